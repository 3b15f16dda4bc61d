/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Logical GPUs: how many a GPU is, how many of them the driver can show, and their numbers in KFD. */
#define _GNU_SOURCE
#include "logical.h"

#include <stdlib.h>

#include "sim.h"

int gpu_count(void)
{
    int count = (int)store_number("node.gpus");
    return count < MOST_GPUS ? count : MOST_GPUS;
}

int partition_count(int gpu)
{
    uint64_t partitions = strtoull(store_text("gpu%d.mode.%s", gpu, GPU_TEXT(gpu, "compute")), NULL, 10);
    return partitions ? (int)partitions : 1;
}

/* A partition for which DRM has no minor number is not added to the topology. */
static int shown_count(int gpu)
{
    int minors = (int)GPU_NUMBER(gpu, "minors");
    int partitions = partition_count(gpu);
    return minors < partitions ? minors : partitions;
}

int kfd_id(const struct device *device)
{
    return (int)GPU_NUMBER(device->gpu, "kfd_id") + 257 * device->part; /* machine.py counts the same way */
}

/* A change of its mode takes a GPU out of the topology and adds it at the end: kfd_order says when that was last. */
void logical_count(struct logical *found)
{
    uint64_t order[MOST_GPUS];
    int cpus = (int)store_number("node.cpus");
    found->gpus = gpu_count();
    for (int gpu = 0; gpu < found->gpus; gpu++) {
        order[gpu] = GPU_NUMBER(gpu, "kfd_order");
        found->partitions[gpu] = GPU_NUMBER(gpu, "bound") ? shown_count(gpu) : 0;
    }
    for (int gpu = 0; gpu < found->gpus; gpu++) {
        found->first_node[gpu] = cpus;
        for (int other = 0; other < found->gpus; other++) {
            if (order[other] < order[gpu] || (order[other] == order[gpu] && other < gpu))
                found->first_node[gpu] += found->partitions[other];
        }
    }
}
