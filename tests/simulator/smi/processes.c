/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Processes on GPUs: proc.<pid>=<name>:<bytes of VRAM>:<GPUs or "all">:<live|fixed|zombie> for those that KFD has, and
 * client.<pid>, the same, for those that have opened a device and do not compute. */
#define _GNU_SOURCE
#include "processes.h"

#include <stdlib.h>
#include <unistd.h>

#include "sim.h"

struct process {
    uint32_t pid;
    char name[64];
    uint64_t vram;
    char gpus[128];
    bool zombie; /* KFD has it, and it holds GPUs; no list of the library shows it */
};

/* The next process of a kind. One that was told to be real counts only while it lives. */
static bool next_of(const char *kind_of, size_t *at, struct process *process)
{
    const char *key, *value;
    while (store_next(at, kind_of, &key, &value)) {
        char kind[16] = "", path[32];
        unsigned long long vram = 0;
        memset(process, 0, sizeof *process);
        if (sscanf(value, "%63[^:]:%llu:%127[^:]:%15s", process->name, &vram, process->gpus, kind) != 4)
            continue;
        process->pid = (uint32_t)strtoul(key, NULL, 10);
        process->vram = vram;
        process->zombie = strcmp(kind, "zombie") == 0;
        snprintf(path, sizeof path, "/proc/%u", process->pid);
        if (process->zombie || strcmp(kind, "fixed") == 0 || access(path, F_OK) == 0)
            return true;
    }
    return false;
}

static bool next_of_kfd(size_t *at, struct process *process)
{
    return next_of("proc.", at, process);
}

static bool holds(const struct process *process, int gpu)
{
    char number[16];
    snprintf(number, sizeof number, "%d", gpu);
    return strcmp(process->gpus, "all") == 0 || list_has(process->gpus, number);
}

/* The driver asks whether any process of the whole node uses KFD; kfd.busy_scope=device narrows that, as newer ones do. */
bool processes_hold(int gpu)
{
    bool any = strcmp(store_text("kfd.busy_scope"), "device") != 0;
    struct process process;
    for (size_t at = 0; next_of_kfd(&at, &process);) {
        if (any || holds(&process, gpu))
            return true;
    }
    return false;
}

bool processes_live_on(int gpu)
{
    struct process process;
    for (size_t at = 0; next_of_kfd(&at, &process);) {
        if (!process.zombie && holds(&process, gpu))
            return true;
    }
    return false;
}

void processes_forget(uint64_t gpus)
{
    char value[256];
    struct process process;
    for (size_t at = 0; next_of_kfd(&at, &process);) {
        bool more = !process.zombie;
        for (int gpu = 0; gpu < gpu_count(); gpu++)
            more = more || (holds(&process, gpu) && !(gpus >> gpu & 1));
        if (more)
            continue;
        snprintf(value, sizeof value, "%s:%llu:%s:live", process.name, (unsigned long long)process.vram, process.gpus);
        store_put(value, "proc.%u", process.pid);
    }
}

static void fill_list(amdsmi_proc_info_t *info, const struct process *process, const struct device *device)
{
    memset(info, 0, sizeof *info);
    SET_TEXT(info->name, "%.31s", process->name);
    info->pid = process->pid;
    info->mem = holds(process, device->gpu) && device->part == 0 ? process->vram : 0;
    info->memory_usage.vram_mem = info->mem;
}

/* Libraries before 27.0 list a process of KFD for every GPU, newer ones and clients where they are; memory is counted there. */
API int amdsmi_get_gpu_process_list(const void *handle, uint32_t *count, amdsmi_proc_info_t *list)
{
    BEGIN_DEVICE(amdsmi_get_gpu_process_list, handle, count);
    uint32_t found = 0;
    struct process process;
    for (size_t at = 0; next_of_kfd(&at, &process);) {
        if (process.zombie || (SIM_LIBRARY_MAJOR >= 27 && !holds(&process, device.gpu)))
            continue;
        if (list && found < *count)
            fill_list(&list[found], &process, &device);
        found++;
    }
    for (size_t at = 0; next_of("client.", &at, &process);) {
        if (device.part != 0 || !holds(&process, device.gpu))
            continue;
        if (list && found < *count)
            fill_list(&list[found], &process, &device);
        found++;
    }
    *count = found;
    return STATUS(SUCCESS);
}

static void fill(amdsmi_process_info_t *info, const struct process *process)
{
    memset(info, 0, sizeof *info);
    info->process_id = process->pid;
    info->vram_usage = process->vram;
}

API int amdsmi_get_gpu_compute_process_info(amdsmi_process_info_t *list, uint32_t *count)
{
    BEGIN(amdsmi_get_gpu_compute_process_info);
    if (!count)
        return STATUS(INVAL);
    uint32_t found = 0;
    struct process process;
    for (size_t at = 0; next_of_kfd(&at, &process); found++) {
        if (list && found < *count)
            fill(&list[found], &process);
    }
    *count = found;
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_compute_process_info_by_pid(uint32_t pid, amdsmi_process_info_t *info)
{
    BEGIN(amdsmi_get_gpu_compute_process_info_by_pid);
    if (!info)
        return STATUS(INVAL);
    struct process process;
    for (size_t at = 0; next_of_kfd(&at, &process);) {
        if (process.pid == pid) {
            fill(info, &process);
            return STATUS(SUCCESS);
        }
    }
    return STATUS(NOT_FOUND);
}
