/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Processes that hold GPUs. */
#pragma once
#include <stdbool.h>

bool processes_hold(int gpu);

/* Under the lock: KFD forgets those that ended. */
void processes_forget(void);
