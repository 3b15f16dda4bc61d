/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Resetting a GPU, and with it all of its hive: what processes left behind that ended is given back. */
#define _GNU_SOURCE
#include "processes.h"
#include "sim.h"

#define OWN_MIB "284" /* that the driver itself uses */

API int amdsmi_reset_gpu(const void *handle)
{
    BEGIN_DEVICE(amdsmi_reset_gpu, handle, true);
    ONLY_PRIMARY();
    ONLY_ROOT();
    if (GPU_NUMBER(device.gpu, "virtual"))
        return STATUS(NOT_SUPPORTED);
    if (!store_begin())
        return STATUS(FILE_ERROR);
    uint64_t hive = GPU_NUMBER(device.gpu, "hive");
    for (int gpu = 0; gpu < gpu_count(); gpu++) {
        if (gpu == device.gpu || (hive && GPU_NUMBER(gpu, "hive") == hive))
            store_put(OWN_MIB, "gpu%d.vram_used_mib", gpu);
    }
    processes_forget();
    if (!store_end(true))
        return STATUS(FILE_ERROR);
    run_node("sysfs");
    return STATUS(SUCCESS);
}
