/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Error counters, retired pages, RAS. Counters are of the whole GPU, whichever partition asks. */
#include "sim.h"

#define PAGE_SIZE_BYTES 4096

static const struct {
    uint64_t block;
    const char *name;
} blocks[] = {
    {AMDSMI_GPU_BLOCK_UMC, "umc"},           {AMDSMI_GPU_BLOCK_SDMA, "sdma"}, {AMDSMI_GPU_BLOCK_GFX, "gfx"},
    {AMDSMI_GPU_BLOCK_MMHUB, "mmhub"},       {AMDSMI_GPU_BLOCK_HDP, "hdp"},   {AMDSMI_GPU_BLOCK_PCIE_BIF, "pcie_bif"},
    {AMDSMI_GPU_BLOCK_XGMI_WAFL, "xgmi_wafl"},
};
#define BLOCKS (sizeof blocks / sizeof *blocks)

/* Add what a block of a GPU counted: ecc.<block>.<kind>, where nothing means 0. */
static void add_counts(amdsmi_error_count_t *counts, int gpu, const char *block)
{
    counts->correctable_count += store_number("gpu%d.ecc.%s.correctable", gpu, block);
    counts->uncorrectable_count += store_number("gpu%d.ecc.%s.uncorrectable", gpu, block);
#ifdef HAS_amdsmi_error_count_t_deferred_count
    counts->deferred_count += store_number("gpu%d.ecc.%s.deferred", gpu, block);
#endif
}

API int amdsmi_get_gpu_total_ecc_count(const void *handle, amdsmi_error_count_t *counts)
{
    BEGIN_DEVICE(amdsmi_get_gpu_total_ecc_count, handle, counts);
    memset(counts, 0, sizeof *counts);
    for (size_t i = 0; i < BLOCKS; i++)
        add_counts(counts, device.gpu, blocks[i].name);
    return STATUS(SUCCESS);
}

/* The product says which blocks have RAS; the others answer that they are not supported. */
static const char *block_name(int gpu, uint64_t block)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        if (blocks[i].block == block && list_has(GPU_TEXT(gpu, "ras_blocks"), blocks[i].name))
            return blocks[i].name;
    }
    return NULL;
}

API int amdsmi_get_gpu_ecc_count(const void *handle, uint64_t block, amdsmi_error_count_t *counts)
{
    BEGIN_DEVICE(amdsmi_get_gpu_ecc_count, handle, counts);
    const char *name = block_name(device.gpu, block);
    if (!name)
        return STATUS(NOT_SUPPORTED);
    memset(counts, 0, sizeof *counts);
    add_counts(counts, device.gpu, name);
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_ecc_enabled(const void *handle, uint64_t *enabled)
{
    BEGIN_DEVICE(amdsmi_get_gpu_ecc_enabled, handle, enabled);
    *enabled = 0;
    for (size_t i = 0; i < BLOCKS; i++)
        *enabled |= block_name(device.gpu, blocks[i].block) ? blocks[i].block : 0;
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_ecc_status(const void *handle, uint64_t block, uint32_t *state)
{
    BEGIN_DEVICE(amdsmi_get_gpu_ecc_status, handle, state);
    *state = block_name(device.gpu, block) ? AMDSMI_RAS_ERR_STATE_ENABLED : AMDSMI_RAS_ERR_STATE_DISABLED;
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

/* Retired pages first, then those that wait for a reset, then those that could not be taken away. */
static int page_state(int gpu, uint32_t page)
{
    uint64_t retired = GPU_NUMBER(gpu, "bad_pages");
    if (page < retired)
        return AMDSMI_MEM_PAGE_STATUS_RESERVED;
    return page < retired + GPU_NUMBER(gpu, "bad_pages.pending") ? AMDSMI_MEM_PAGE_STATUS_PENDING : AMDSMI_MEM_PAGE_STATUS_UNRESERVABLE;
}

static int fill_pages(const struct device *handle, uint32_t *count, amdsmi_retired_page_record_t *records)
{
    struct device device = *handle;
    ONLY_ROOT();
    ONLY_PRIMARY();
    uint32_t pages = (uint32_t)(GPU_NUMBER(device.gpu, "bad_pages") + GPU_NUMBER(device.gpu, "bad_pages.pending") +
                                GPU_NUMBER(device.gpu, "bad_pages.unreservable"));
    for (uint32_t i = 0; records && i < pages && i < *count; i++) {
        memset(&records[i], 0, sizeof *records);
        records[i].page_address = (uint64_t)PAGE_SIZE_BYTES * (i + 1);
        records[i].page_size = PAGE_SIZE_BYTES;
        records[i].status = page_state(device.gpu, i);
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
