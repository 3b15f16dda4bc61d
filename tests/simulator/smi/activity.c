/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* What a GPU does now: clocks, activity, and what holds it back. */
#define _GNU_SOURCE
#include <time.h>

#include "sim.h"

/* The limit of a clock that is set, else the product's. */
static uint32_t bound(int gpu, const char *name, const char *which)
{
    uint64_t limit = store_number("gpu%d.limit.%s.%s", gpu, name, which);
    return (uint32_t)(limit ? limit : store_number("gpu%d.clock.%s.%s", gpu, name, which));
}

API int amdsmi_get_clock_info(const void *handle, uint32_t kind, amdsmi_clk_info_t *info)
{
    BEGIN_DEVICE(amdsmi_get_clock_info, handle, info);
    ONLY_PRIMARY();
    const char *name = kind == AMDSMI_CLK_TYPE_GFX ? "gfx" : kind == AMDSMI_CLK_TYPE_MEM ? "memory" : "soc";
    if (kind != AMDSMI_CLK_TYPE_GFX && kind != AMDSMI_CLK_TYPE_MEM && kind != AMDSMI_CLK_TYPE_SOC)
        return STATUS(NOT_SUPPORTED);
    memset(info, 0, sizeof *info);
    info->clk = (uint32_t)store_number("gpu%d.clock.%s.now", device.gpu, name);
    info->min_clk = bound(device.gpu, name, "min");
    info->max_clk = bound(device.gpu, name, "max");
    info->clk_deep_sleep = info->clk < info->min_clk;
    return STATUS(SUCCESS);
}

/* Percent. */
API int amdsmi_get_gpu_activity(const void *handle, amdsmi_engine_usage_t *usage)
{
    BEGIN_DEVICE(amdsmi_get_gpu_activity, handle, usage);
    ONLY_PRIMARY();
    memset(usage, 0, sizeof *usage);
    usage->gfx_activity = (uint32_t)GPU_NUMBER(device.gpu, "activity.gfx");
    usage->umc_activity = (uint32_t)GPU_NUMBER(device.gpu, "activity.memory");
    usage->mm_activity = 0xFFFF;
    return STATUS(SUCCESS);
}

#ifdef HAS_amdsmi_get_violation_status
#define VIOLATION(field, key)                                                                                                              \
    do {                                                                                                                                   \
        uint64_t percent_ = GPU_NUMBER(device.gpu, "violation." key);                                                                      \
        status->acc_##field = percent_ * 1000;                                                                                             \
        status->per_##field = percent_;                                                                                                    \
        status->active_##field = percent_ > 0;                                                                                             \
    } while (0)

/* Two samples, 100 ms apart, as in the real library; GPUs before MI300 have no accumulators. */
API int amdsmi_get_violation_status(const void *handle, amdsmi_violation_status_t *status)
{
    BEGIN_DEVICE(amdsmi_get_violation_status, handle, status);
    ONLY_PRIMARY();
    if (!GPU_NUMBER(device.gpu, "violations"))
        return STATUS(NOT_SUPPORTED);
    struct timespec apart = {0, 100 * 1000 * 1000};
    while (nanosleep(&apart, &apart) != 0)
        ;
    memset(status, 0xFF, sizeof *status); /* of partitions and host limits: "N/A" */
    status->acc_counter = 1000000;
    VIOLATION(prochot_thrm, "prochot");
    VIOLATION(ppt_pwr, "ppt");
    VIOLATION(socket_thrm, "socket_thermal");
    VIOLATION(vr_thrm, "vr_thermal");
    VIOLATION(hbm_thrm, "hbm_thermal");
    return STATUS(SUCCESS);
}
#endif
