/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* What all parts of the simulated library share. Structs and constants come from abi.h, made from the binding. */
#pragma once
#include <stdio.h>
#include <string.h>

#include "abi.h"
#include "store.h"

#define API __attribute__((visibility("default")))
#define STATUS(name) AMDSMI_STATUS_##name
#define NONE32 0xFFFFFFFFu /* "no such value", which bindings show as "N/A" */

/* A logical GPU, as enumerated by the last amdsmi_init. */
struct device {
    int gpu;
    int part;
    int node; /* of the KFD topology */
};

/* Every call starts with one of these; what they return is returned if it is not SUCCESS.
 * call_begin: the library is started, the state is read, no status is injected for this call.
 * device_begin: the same, and the handle is one of a logical GPU that still exists. */
int call_begin(const char *call);
int device_begin(const char *call, const void *handle, struct device *device);

#define BEGIN(call)                                                                                                                        \
    do {                                                                                                                                   \
        int begin_ = call_begin(#call);                                                                                                    \
        if (begin_ != STATUS(SUCCESS))                                                                                                     \
            return begin_;                                                                                                                 \
    } while (0)
#define BEGIN_DEVICE(call, handle, argument)                                                                                               \
    struct device device;                                                                                                                  \
    do {                                                                                                                                   \
        int begin_ = device_begin(#call, handle, &device);                                                                                 \
        if (begin_ != STATUS(SUCCESS))                                                                                                     \
            return begin_;                                                                                                                 \
        if (!(argument))                                                                                                                   \
            return STATUS(INVAL);                                                                                                          \
    } while (0)
#define ONLY_PRIMARY()                                                                                                                     \
    do {                                                                                                                                   \
        if (device.part != 0)                                                                                                              \
            return STATUS(NOT_SUPPORTED);                                                                                                  \
    } while (0)
#define ONLY_ROOT()                                                                                                                        \
    do {                                                                                                                                   \
        if (!is_root())                                                                                                                    \
            return STATUS(NO_PERM);                                                                                                        \
    } while (0)

/* Fill a text field of fixed size. */
#define SET_TEXT(field, ...) snprintf((char *)(field), sizeof(field), __VA_ARGS__)

/* Part of the state of one GPU. */
#define GPU_TEXT(gpu, key) store_text("gpu%d." key, gpu)
#define GPU_NUMBER(gpu, key) store_number("gpu%d." key, gpu)

bool is_root(void);
int gpu_count(void);
int partition_count(int gpu);
int kfd_id(const struct device *device);
bool list_has(const char *list, const char *word); /* words with commas between */
int run_node(const char *word);                    /* run the node's own command; its exit status */
