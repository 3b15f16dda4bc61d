/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Compute and memory partitions: what can be set, who may, what it changes and when. */
#define _GNU_SOURCE
#include "partitions.h"

#include "mishaps.h"
#include "processes.h"

const char *mode_text(int gpu, const char *mode)
{
    return list_has(GPU_TEXT(gpu, "lacking"), mode) ? "" : store_text("gpu%d.mode.%s", gpu, mode);
}

bool partitionable(int gpu)
{
    return *GPU_TEXT(gpu, "memory_modes") && !GPU_NUMBER(gpu, "virtual");
}

static bool fits(int gpu, const char *mode)
{
    const char *colon = strchr(mode_text(gpu, mode), ':');
    return colon && list_has(colon + 1, GPU_TEXT(gpu, "memory"));
}

API int amdsmi_get_gpu_compute_partition(const void *handle, char *mode, uint32_t length)
{
    BEGIN_DEVICE(amdsmi_get_gpu_compute_partition, handle, mode && length);
    ONLY_PRIMARY();
    if (!*GPU_TEXT(device.gpu, "memory_modes"))
        return STATUS(NOT_SUPPORTED);
    snprintf(mode, length, "%s", GPU_TEXT(device.gpu, "compute"));
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_memory_partition(const void *handle, char *mode, uint32_t length)
{
    BEGIN_DEVICE(amdsmi_get_gpu_memory_partition, handle, mode && length);
    ONLY_PRIMARY();
    if (!*GPU_TEXT(device.gpu, "memory_modes"))
        return STATUS(NOT_SUPPORTED);
    snprintf(mode, length, "%s", GPU_TEXT(device.gpu, "memory"));
    return STATUS(SUCCESS);
}

/* KFD gives up this GPU alone, and takes it up again behind all others. */
static void apply_compute(int gpu, const char *mode)
{
    char generation[24];
    snprintf(generation, sizeof generation, "%llu", (unsigned long long)store_number("kfd.generation") + 1);
    store_put(generation, "kfd.generation");
    store_put(generation, "gpu%d.kfd_order", gpu);
    store_put(mode, "gpu%d.compute", gpu);
}

/* Under the lock. The same mode again is no change, even for a GPU that is busy. */
static int change_compute(int gpu, const char *mode)
{
    if (strcmp(GPU_TEXT(gpu, "compute"), mode) == 0)
        return STATUS(SUCCESS);
    if (!fits(gpu, mode))
        return STATUS(SETTING_UNAVAILABLE);
    int status = mishap(gpu);
    if (status != STATUS(SUCCESS))
        return status;
    if (processes_hold(gpu))
        return STATUS(BUSY);
    if (!mishap_loses(gpu, &status) && !mishap_ignores(gpu, "compute"))
        apply_compute(gpu, mode);
    return status;
}

int set_compute(const struct device *handle, const char *mode)
{
    struct device device = *handle;
    ONLY_ROOT();
    ONLY_PRIMARY();
    if (!partitionable(device.gpu))
        return STATUS(NOT_SUPPORTED);
    if (!store_begin())
        return STATUS(FILE_ERROR);
    uint64_t generation = store_number("kfd.generation");
    int status = change_compute(device.gpu, mode);
    if (!store_end(true))
        return STATUS(FILE_ERROR);
    if (store_number("kfd.generation") != generation || GPU_NUMBER(device.gpu, "lost"))
        run_node("sysfs");
    return status;
}

/* The numbers of the modes differ between versions: only their names count. */
API int amdsmi_set_gpu_compute_partition(const void *handle, uint32_t mode)
{
    BEGIN_DEVICE(amdsmi_set_gpu_compute_partition, handle, true);
    switch (mode) {
    case AMDSMI_COMPUTE_PARTITION_SPX: return set_compute(&device, "SPX");
    case AMDSMI_COMPUTE_PARTITION_DPX: return set_compute(&device, "DPX");
    case AMDSMI_COMPUTE_PARTITION_TPX: return set_compute(&device, "TPX");
    case AMDSMI_COMPUTE_PARTITION_QPX: return set_compute(&device, "QPX");
    case AMDSMI_COMPUTE_PARTITION_CPX: return set_compute(&device, "CPX");
    default: return STATUS(INVAL);
    }
}

static const char *memory_name(uint32_t mode)
{
    switch (mode) {
    case AMDSMI_MEMORY_PARTITION_NPS1: return "NPS1";
    case AMDSMI_MEMORY_PARTITION_NPS2: return "NPS2";
    case AMDSMI_MEMORY_PARTITION_NPS4: return "NPS4";
    case AMDSMI_MEMORY_PARTITION_NPS8: return "NPS8";
    default: return NULL;
    }
}

/* The wish is of the whole hive, and comes true when the driver is unloaded. Libraries before 26.0 reload it themselves. */
static int set_memory(const struct device *handle, const char *mode)
{
    struct device device = *handle;
    ONLY_ROOT();
    ONLY_PRIMARY();
    if (!partitionable(device.gpu) || !GPU_NUMBER(device.gpu, "memory_switchable"))
        return STATUS(NOT_SUPPORTED);
    if (!mode)
        return STATUS(INVAL);
    if (strcmp(GPU_TEXT(device.gpu, "memory"), mode) == 0)
        return STATUS(SUCCESS);
    if (!list_has(GPU_TEXT(device.gpu, "memory_modes"), mode))
        return STATUS(INVAL);
    if (!store_begin())
        return STATUS(FILE_ERROR);
    int status = mishap(device.gpu);
    if (status == STATUS(SUCCESS))
        store_put(mode, "hive.requested_memory");
    if (!store_end(true))
        return STATUS(FILE_ERROR);
    if (status != STATUS(SUCCESS))
        return status;
    if (SIM_LIBRARY_MAJOR < 26)
        return run_node("reload") == 0 ? STATUS(SUCCESS) : STATUS(AMDGPU_RESTART_ERR);
    return STATUS(SUCCESS);
}

API int amdsmi_set_gpu_memory_partition(const void *handle, uint32_t mode)
{
    BEGIN_DEVICE(amdsmi_set_gpu_memory_partition, handle, true);
    return set_memory(&device, memory_name(mode));
}

#ifdef HAS_amdsmi_set_gpu_memory_partition_mode
API int amdsmi_set_gpu_memory_partition_mode(const void *handle, uint32_t mode)
{
    BEGIN_DEVICE(amdsmi_set_gpu_memory_partition_mode, handle, true);
    return set_memory(&device, memory_name(mode));
}
#endif

#ifdef HAS_amdsmi_gpu_driver_reload
API int amdsmi_gpu_driver_reload(void)
{
    BEGIN(amdsmi_gpu_driver_reload);
    ONLY_ROOT();
    return run_node("reload") == 0 ? STATUS(SUCCESS) : STATUS(AMDGPU_RESTART_ERR);
}
#endif
