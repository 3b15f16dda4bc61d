/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Error counters, retired pages, RAS. Counters are of the whole GPU, whichever partition asks. */
#include "sim.h"

#define PAGE_SIZE_BYTES 4096

static void fill_counts(amdsmi_error_count_t *counts, int gpu)
{
    memset(counts, 0, sizeof *counts);
    counts->correctable_count = GPU_NUMBER(gpu, "ecc.correctable");
    counts->uncorrectable_count = GPU_NUMBER(gpu, "ecc.uncorrectable");
#ifdef HAS_amdsmi_error_count_t_deferred_count
    counts->deferred_count = GPU_NUMBER(gpu, "ecc.deferred");
#endif
}

API int amdsmi_get_gpu_total_ecc_count(const void *handle, amdsmi_error_count_t *counts)
{
    BEGIN_DEVICE(amdsmi_get_gpu_total_ecc_count, handle, counts);
    fill_counts(counts, device.gpu);
    return STATUS(SUCCESS);
}

/* All errors of the model are memory's; other blocks with RAS have none, blocks without answer so. */
API int amdsmi_get_gpu_ecc_count(const void *handle, uint64_t block, amdsmi_error_count_t *counts)
{
    BEGIN_DEVICE(amdsmi_get_gpu_ecc_count, handle, counts);
    if (block != AMDSMI_GPU_BLOCK_UMC && block != AMDSMI_GPU_BLOCK_SDMA && block != AMDSMI_GPU_BLOCK_GFX)
        return STATUS(NOT_SUPPORTED);
    if (block == AMDSMI_GPU_BLOCK_UMC)
        fill_counts(counts, device.gpu);
    else
        memset(counts, 0, sizeof *counts);
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_ecc_enabled(const void *handle, uint64_t *blocks)
{
    BEGIN_DEVICE(amdsmi_get_gpu_ecc_enabled, handle, blocks);
    *blocks = AMDSMI_GPU_BLOCK_UMC | AMDSMI_GPU_BLOCK_SDMA | AMDSMI_GPU_BLOCK_GFX;
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_ecc_status(const void *handle, uint64_t block, uint32_t *state)
{
    BEGIN_DEVICE(amdsmi_get_gpu_ecc_status, handle, state);
    bool enabled = block == AMDSMI_GPU_BLOCK_UMC || block == AMDSMI_GPU_BLOCK_SDMA || block == AMDSMI_GPU_BLOCK_GFX;
    *state = enabled ? AMDSMI_RAS_ERR_STATE_ENABLED : AMDSMI_RAS_ERR_STATE_DISABLED;
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_ras_feature_info(const void *handle, amdsmi_ras_feature_t *feature)
{
    BEGIN_DEVICE(amdsmi_get_gpu_ras_feature_info, handle, feature);
    memset(feature, 0, sizeof *feature);
    feature->ras_eeprom_version = 0x21000;
    feature->ecc_correction_schema_flag = 1u << 3; /* poison */
    return STATUS(SUCCESS);
}

static int fill_pages(const struct device *handle, uint32_t *count, amdsmi_retired_page_record_t *records)
{
    struct device device = *handle;
    ONLY_ROOT();
    ONLY_PRIMARY();
    uint32_t pages = (uint32_t)GPU_NUMBER(device.gpu, "bad_pages");
    for (uint32_t i = 0; records && i < pages && i < *count; i++) {
        memset(&records[i], 0, sizeof *records);
        records[i].page_address = (uint64_t)PAGE_SIZE_BYTES * (i + 1);
        records[i].page_size = PAGE_SIZE_BYTES;
        records[i].status = AMDSMI_MEM_PAGE_STATUS_RESERVED;
    }
    *count = pages;
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_bad_page_info(const void *handle, uint32_t *count, amdsmi_retired_page_record_t *records)
{
    BEGIN_DEVICE(amdsmi_get_gpu_bad_page_info, handle, count);
    return fill_pages(&device, count, records);
}

API int amdsmi_get_gpu_memory_reserved_pages(const void *handle, uint32_t *count, amdsmi_retired_page_record_t *records)
{
    BEGIN_DEVICE(amdsmi_get_gpu_memory_reserved_pages, handle, count);
    return fill_pages(&device, count, records);
}

#ifdef HAS_amdsmi_get_gpu_bad_page_threshold
API int amdsmi_get_gpu_bad_page_threshold(const void *handle, uint32_t *threshold)
{
    BEGIN_DEVICE(amdsmi_get_gpu_bad_page_threshold, handle, threshold);
    ONLY_ROOT();
    ONLY_PRIMARY();
    *threshold = (uint32_t)GPU_NUMBER(device.gpu, "bad_page_threshold");
    return STATUS(SUCCESS);
}
#endif
