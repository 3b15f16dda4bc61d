/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* The snapshot of devices that amdsmi_init takes. */
#pragma once
#include <stdbool.h>

struct device;
bool handles_started(void);
bool handles_device(const void *handle, struct device *device);
