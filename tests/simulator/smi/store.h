/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* The state of the simulated node: a key=value file that instinct_sim/state.py shares. Every thread has its own copy. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read the file anew. False if there is none: then the machine has no driver. */
bool store_load(void);

/* Value of a key, or "" where there is none. It is good until the next load. */
const char *store_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint64_t store_number(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Walk over the keys with a prefix: start with *at == 0, ends with false. The key comes without its prefix. */
bool store_next(size_t *at, const char *prefix, const char **key, const char **value);

/* Change the state: begin (locks and loads), put, and end, which writes the file if all is well. */
bool store_begin(void);
void store_put(const char *value, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool store_end(bool write);

/* Path of the file. */
const char *store_path(void);
