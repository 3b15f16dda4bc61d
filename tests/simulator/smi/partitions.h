/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Compute partitions, for those who set them by name and those who set them by profile. */
#pragma once
#include "sim.h"

/* "<partitions>:<memory modes that go with it>"; empty if the product has no such mode. */
const char *mode_text(int gpu, const char *mode);

/* Whether partitions can be set at all: not for products without, nor for virtual functions. */
bool partitionable(int gpu);

int set_compute(const struct device *handle, const char *mode);
