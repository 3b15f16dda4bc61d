/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* A virtual machine has a driver that its kernel loads: there the state says of it what the kernel says. */
#define _GNU_SOURCE
#include "follow.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store.h"

#define MODULE "/sys/module/amdgpu"
#define DRIVER "/amdgpu"

static void copy_line(const char *path, const char *key)
{
    char line[128] = "";
    FILE *file = fopen(path, "re");
    if (file) {
        if (!fgets(line, sizeof line, file))
            *line = '\0';
        fclose(file);
    }
    line[strcspn(line, "\n")] = '\0';
    store_put(line, "%s", key);
}

static void follow_gpu(unsigned gpu)
{
    char path[128], target[256];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s", store_text("gpu%u.bdf", gpu));
    store_put(access(path, F_OK) == 0 ? "0" : "1", "gpu%u.lost", gpu);
    strncat(path, "/driver", sizeof path - strlen(path) - 1);
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    const char *name = strrchr(target, '/');
    store_put(name && strcmp(name, DRIVER) == 0 ? "1" : "0", "gpu%u.bound", gpu);
}

void follow_kernel(void)
{
    if (strcmp(store_text("node.follows"), "kernel") != 0)
        return;
    store_put(access(MODULE, F_OK) == 0 ? "loaded" : "unloaded", "driver.state");
    copy_line(MODULE "/version", "driver.version");
    copy_line(MODULE "/srcversion", "driver.srcversion");
    for (unsigned gpu = 0; gpu < store_number("node.gpus"); gpu++)
        follow_gpu(gpu);
}
