/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

/* Put what the running kernel says of the driver and its GPUs over the state in memory, where node.follows=kernel. */
void follow_kernel(void);
