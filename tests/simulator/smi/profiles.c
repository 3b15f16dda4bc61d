/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Accelerator partition profiles: the same modes, by index and with what goes with them. Bindings before 6.4 have none. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "partitions.h"

#ifdef HAS_amdsmi_get_gpu_memory_partition_config
#define MODES 5
static const char *const mode_names[MODES] = {"SPX", "DPX", "TPX", "QPX", "CPX"}; /* order of the profile index */
static const char *const memory_names[] = {"NPS1", "NPS2", "NPS4", "NPS8"};

static uint32_t memory_mask(const char *first, const char *second)
{
    uint32_t mask = 0;
    for (size_t bit = 0; bit < sizeof memory_names / sizeof *memory_names; bit++) {
        if (list_has(first, memory_names[bit]) && list_has(second, memory_names[bit]))
            mask |= 1u << bit;
    }
    return mask;
}

API int amdsmi_get_gpu_memory_partition_config(const void *handle, amdsmi_memory_partition_config_t *config)
{
    BEGIN_DEVICE(amdsmi_get_gpu_memory_partition_config, handle, config);
    ONLY_PRIMARY();
    if (!partitionable(device.gpu))
        return STATUS(NOT_SUPPORTED);
    const char *caps = GPU_TEXT(device.gpu, "memory_modes");
    memset(config, 0, sizeof *config);
    config->partition_caps.nps_cap_mask = memory_mask(caps, caps);
    static const uint32_t numbers[] = {AMDSMI_MEMORY_PARTITION_NPS1, AMDSMI_MEMORY_PARTITION_NPS2, AMDSMI_MEMORY_PARTITION_NPS4,
                                       AMDSMI_MEMORY_PARTITION_NPS8};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strcmp(memory_names[i], GPU_TEXT(device.gpu, "memory")) == 0)
            config->mp_mode = numbers[i];
    }
    return STATUS(SUCCESS);
}

static const uint32_t profile_types[MODES] = {AMDSMI_ACCELERATOR_PARTITION_SPX, AMDSMI_ACCELERATOR_PARTITION_DPX,
                                              AMDSMI_ACCELERATOR_PARTITION_TPX, AMDSMI_ACCELERATOR_PARTITION_QPX,
                                              AMDSMI_ACCELERATOR_PARTITION_CPX};

static void fill_profile(amdsmi_accelerator_partition_profile_t *profile, int gpu, int mode, uint32_t index)
{
    const char *text = mode_text(gpu, mode_names[mode]);
    const char *colon = strchr(text, ':');
    profile->profile_type = profile_types[mode];
    profile->num_partitions = (uint32_t)atoi(text);
    profile->profile_index = index;
    profile->memory_caps.nps_cap_mask = memory_mask(colon ? colon + 1 : "", GPU_TEXT(gpu, "memory_modes"));
}

/* A secondary partition is told its number, and that there is nothing more for it. */
API int amdsmi_get_gpu_accelerator_partition_profile(const void *handle, amdsmi_accelerator_partition_profile_t *profile, uint32_t *partition)
{
    BEGIN_DEVICE(amdsmi_get_gpu_accelerator_partition_profile, handle, profile && partition);
    memset(profile, 0, sizeof *profile);
    *partition = (uint32_t)device.part;
    ONLY_PRIMARY();
    if (!partitionable(device.gpu))
        return STATUS(NOT_SUPPORTED);
    uint32_t index = 0;
    for (int mode = 0; mode < MODES; mode++) {
        if (!*mode_text(device.gpu, mode_names[mode]))
            continue;
        if (strcmp(mode_names[mode], GPU_TEXT(device.gpu, "compute")) == 0)
            fill_profile(profile, device.gpu, mode, index);
        index++;
    }
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_accelerator_partition_profile_config(const void *handle, amdsmi_accelerator_partition_profile_config_t *config)
{
    BEGIN_DEVICE(amdsmi_get_gpu_accelerator_partition_profile_config, handle, config);
    ONLY_ROOT();
    memset(config, 0, sizeof *config);
    ONLY_PRIMARY();
    if (!partitionable(device.gpu))
        return STATUS(NOT_SUPPORTED);
    for (int mode = 0; mode < MODES; mode++) {
        if (*mode_text(device.gpu, mode_names[mode])) {
            fill_profile(&config->profiles[config->num_profiles], device.gpu, mode, config->num_profiles);
            config->num_profiles++;
        }
    }
    return STATUS(SUCCESS);
}

API int amdsmi_set_gpu_accelerator_partition_profile(const void *handle, uint32_t index)
{
    BEGIN_DEVICE(amdsmi_set_gpu_accelerator_partition_profile, handle, true);
    ONLY_ROOT();
    ONLY_PRIMARY();
    if (!partitionable(device.gpu))
        return STATUS(NOT_SUPPORTED);
    uint32_t at = 0;
    for (int mode = 0; mode < MODES; mode++) {
        if (*mode_text(device.gpu, mode_names[mode]) && at++ == index)
            return set_compute(&device, mode_names[mode]);
    }
    return STATUS(INVAL);
}
#endif
