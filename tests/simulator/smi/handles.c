/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Life cycle and handles: a socket for each physical GPU, a processor for each of its partitions. */
#define _GNU_SOURCE
#include "handles.h"

#include <pthread.h>
#include <time.h>

#include "logical.h"
#include "sim.h"

#define MOST_DEVICES 512

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int users; /* of the library; counted since 26.0, before that it is 0 or 1 */
static int sockets[MOST_GPUS];
static int socket_count;
static struct device devices[MOST_DEVICES];
static int device_count;

bool handles_started(void)
{
    return users > 0;
}

bool handles_device(const void *handle, struct device *device)
{
    const struct device *found = handle;
    if (found < devices || found >= devices + device_count)
        return false;
    *device = *found;
    return true;
}

static void enumerate(void)
{
    struct logical there;
    logical_count(&there);
    socket_count = device_count = 0;
    for (int gpu = 0; gpu < there.gpus; gpu++) {
        if (!there.partitions[gpu] || GPU_NUMBER(gpu, "lost"))
            continue;
        sockets[socket_count++] = gpu;
        for (int part = 0; part < there.partitions[gpu] && device_count < MOST_DEVICES; part++)
            devices[device_count++] = (struct device){gpu, part, there.first_node[gpu] + part};
    }
}

static void delay(void)
{
    uint64_t milliseconds = store_number("library.init_delay_ms");
    struct timespec time = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000L};
    while (nanosleep(&time, &time) != 0)
        ;
}

static int start(void)
{
    if (!store_load() || strcmp(store_text("driver.state"), "loaded") != 0)
        return STATUS(DRIVER_NOT_LOADED);
    delay();
    users = 1; /* for the gate, which injects statuses */
    int status = call_begin("amdsmi_init");
    users = 0;
    if (status == STATUS(SUCCESS))
        enumerate();
    return status;
}

API int amdsmi_init(uint64_t flags)
{
    (void)flags;
    pthread_mutex_lock(&mutex);
    int status = users ? STATUS(SUCCESS) : start();
    if (status == STATUS(SUCCESS) && (users == 0 || SIM_LIBRARY_MAJOR >= 26))
        users++;
    pthread_mutex_unlock(&mutex);
    return status;
}

API int amdsmi_shut_down(void)
{
    pthread_mutex_lock(&mutex);
    int status = users ? STATUS(SUCCESS) : STATUS(NOT_INIT);
    if (users)
        users--;
    pthread_mutex_unlock(&mutex);
    return status;
}

/* Counting calls: without an array they tell how many there are, with one they fill it as far as it goes. */
API int amdsmi_get_socket_handles(uint32_t *count, const void **handles)
{
    BEGIN(amdsmi_get_socket_handles);
    if (!count)
        return STATUS(INVAL);
    for (int i = 0; handles && i < socket_count && i < (int)*count; i++)
        handles[i] = &sockets[i];
    *count = (uint32_t)socket_count;
    return STATUS(SUCCESS);
}

static bool is_socket(const void *handle)
{
    const int *found = handle;
    return found >= sockets && found < sockets + socket_count;
}

API int amdsmi_get_processor_handles(const void *socket, uint32_t *count, const void **handles)
{
    BEGIN(amdsmi_get_processor_handles);
    if (!count || !is_socket(socket))
        return STATUS(INVAL);
    int gpu = *(const int *)socket;
    uint32_t found = 0;
    for (int i = 0; i < device_count; i++) {
        if (devices[i].gpu != gpu)
            continue;
        if (handles && found < *count)
            handles[found] = &devices[i];
        found++;
    }
    *count = found;
    return STATUS(SUCCESS);
}

API int amdsmi_get_socket_info(const void *socket, size_t length, char *name)
{
    BEGIN(amdsmi_get_socket_info);
    if (!name || !is_socket(socket))
        return STATUS(INVAL);
    snprintf(name, length, "%s", GPU_TEXT(*(const int *)socket, "bdf"));
    return STATUS(SUCCESS);
}

API int amdsmi_get_processor_type(const void *handle, uint32_t *type)
{
    BEGIN_DEVICE(amdsmi_get_processor_type, handle, type);
    *type = AMDSMI_PROCESSOR_TYPE_AMD_GPU;
    return STATUS(SUCCESS);
}

/* The partition is the function of the address, as with mainline kernels. */
static uint64_t address(const struct device *device, int domain_shift)
{
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    sscanf(GPU_TEXT(device->gpu, "bdf"), "%x:%x:%x.%x", &domain, &bus, &slot, &function);
    return (uint64_t)domain << domain_shift | bus << 8 | slot << 3 | (unsigned)device->part;
}

API int amdsmi_get_gpu_device_bdf(const void *handle, uint64_t *bdf)
{
    BEGIN_DEVICE(amdsmi_get_gpu_device_bdf, handle, bdf);
    *bdf = address(&device, 16);
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_bdf_id(const void *handle, uint64_t *bdf)
{
    BEGIN_DEVICE(amdsmi_get_gpu_bdf_id, handle, bdf);
    *bdf = address(&device, 32) | (uint64_t)device.part << 28;
    return STATUS(SUCCESS);
}

API int amdsmi_get_processor_handle_from_bdf(uint64_t bdf, const void **handle)
{
    BEGIN(amdsmi_get_processor_handle_from_bdf);
    if (!handle)
        return STATUS(INVAL);
    for (int i = 0; i < device_count; i++) {
        if (address(&devices[i], 16) == bdf) {
            *handle = &devices[i];
            return STATUS(SUCCESS);
        }
    }
    return STATUS(NOT_FOUND);
}
