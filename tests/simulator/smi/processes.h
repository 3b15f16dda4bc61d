/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Processes that hold GPUs. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

bool processes_hold(int gpu);

/* Whether a process computes on it that has not ended. */
bool processes_live_on(int gpu);

/* Under the lock: KFD forgets those that ended and that hold none but these GPUs, a bit each. */
void processes_forget(uint64_t gpus);
