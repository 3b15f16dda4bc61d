/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* What goes wrong when modes are set. */
#pragma once
#include <stdbool.h>

/* A status that a key tells as <code>[*<times>]; SUCCESS if it tells none, or no more. */
int told_status(const char *key);

/* What the kernel answers for this GPU before it does anything. */
int mishap(int gpu);

/* Whether a change of this kind (compute, memory) is taken and not done. */
bool mishap_ignores(int gpu, const char *kind);

/* Whether the GPU falls off the bus by a change, and what is answered then. */
bool mishap_loses(int gpu, int *status);
