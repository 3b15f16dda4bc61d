/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Resetting a GPU, and with it all of its hive: what processes left behind that ended is given back, and settings are
 * those of the product again (source: linux:drivers/gpu/drm/amd/pm/swsmu/amdgpu_smu.c, which restores those of a user
 * after a suspend alone). The driver refuses nobody: a process that lives loses its work and is counted until it ends. */
#define _GNU_SOURCE
#include "processes.h"
#include "sim.h"

#define OWN_MIB "284" /* that the driver itself uses */

static void renew(int gpu)
{
    static const char *const settings[] = {"level", "limit.gfx.min", "limit.gfx.max", "limit.memory.max", "policy.soc", "policy.plpd"};
    char cap[32];
    if (!processes_live_on(gpu))
        store_put(OWN_MIB, "gpu%d.vram_used_mib", gpu);
    snprintf(cap, sizeof cap, "%s", GPU_TEXT(gpu, "power.default_uw"));
    store_put(cap, "gpu%d.power.cap_uw", gpu);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        store_put("", "gpu%d.%s", gpu, settings[i]);
}

API int amdsmi_reset_gpu(const void *handle)
{
    BEGIN_DEVICE(amdsmi_reset_gpu, handle, true);
    ONLY_PRIMARY();
    ONLY_ROOT();
    if (GPU_NUMBER(device.gpu, "virtual"))
        return STATUS(NOT_SUPPORTED);
    if (!store_begin())
        return STATUS(FILE_ERROR);
    uint64_t hive = GPU_NUMBER(device.gpu, "hive"), reached = 0;
    for (int gpu = 0; gpu < gpu_count(); gpu++) {
        if (gpu == device.gpu || (hive && GPU_NUMBER(gpu, "hive") == hive))
            reached |= UINT64_C(1) << gpu;
    }
    processes_forget(reached);
    for (int gpu = 0; gpu < gpu_count(); gpu++) {
        if (reached >> gpu & 1)
            renew(gpu);
    }
    if (!store_end(true))
        return STATUS(FILE_ERROR);
    run_node("sysfs");
    return STATUS(SUCCESS);
}
