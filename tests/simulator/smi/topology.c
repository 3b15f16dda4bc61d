/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* NUMA nodes and links between GPUs. */
#include "sim.h"

API int amdsmi_topo_get_numa_node_number(const void *handle, uint32_t *node)
{
    BEGIN_DEVICE(amdsmi_topo_get_numa_node_number, handle, node);
    *node = (uint32_t)GPU_NUMBER(device.gpu, "numa_node");
    return STATUS(SUCCESS);
}

/* The real library fills the hive alone. */
API int amdsmi_get_xgmi_info(const void *handle, amdsmi_xgmi_info_t *info)
{
    BEGIN_DEVICE(amdsmi_get_xgmi_info, handle, info);
    memset(info, 0, sizeof *info);
    info->xgmi_hive_id = GPU_NUMBER(device.gpu, "hive");
    return STATUS(SUCCESS);
}

API int amdsmi_gpu_xgmi_error_status(const void *handle, uint32_t *status)
{
    BEGIN_DEVICE(amdsmi_gpu_xgmi_error_status, handle, status);
    ONLY_PRIMARY();
    if (!GPU_NUMBER(device.gpu, "hive"))
        return STATUS(NOT_SUPPORTED);
    *status = (uint32_t)GPU_NUMBER(device.gpu, "xgmi.error");
    return STATUS(SUCCESS);
}

API int amdsmi_reset_gpu_xgmi_error(const void *handle)
{
    BEGIN_DEVICE(amdsmi_reset_gpu_xgmi_error, handle, true);
    ONLY_PRIMARY();
    if (!store_begin())
        return STATUS(FILE_ERROR);
    store_put("0", "gpu%d.xgmi.error", device.gpu);
    return store_end(true) ? STATUS(SUCCESS) : STATUS(FILE_ERROR);
}

#ifdef HAS_amdsmi_get_gpu_xgmi_link_status
API int amdsmi_get_gpu_xgmi_link_status(const void *handle, amdsmi_xgmi_link_status_t *status)
{
    BEGIN_DEVICE(amdsmi_get_gpu_xgmi_link_status, handle, status);
    ONLY_PRIMARY();
    uint32_t most = sizeof status->status / sizeof *status->status;
    uint32_t links = (uint32_t)GPU_NUMBER(device.gpu, "xgmi.links");
    if (!links)
        return STATUS(NOT_SUPPORTED);
    memset(status, 0, sizeof *status);
    status->total_links = (uint32_t)gpu_count() < most ? (uint32_t)gpu_count() : most; /* as many as sockets, itself included */
    for (uint32_t link = 0; link < status->total_links; link++) {
        char number[16];
        snprintf(number, sizeof number, "%u", link);
        status->status[link] = list_has(GPU_TEXT(device.gpu, "xgmi.down"), number) ? AMDSMI_XGMI_LINK_DOWN : AMDSMI_XGMI_LINK_UP;
        if (link >= links)
            status->status[link] = AMDSMI_XGMI_LINK_DISABLE;
    }
    return STATUS(SUCCESS);
}
#endif

#ifdef AMDSMI_IOLINK_TYPE_XGMI /* taken away in 26.0, where the other enumeration's numbers changed */
enum { LINK_PCIE = AMDSMI_IOLINK_TYPE_PCIEXPRESS, LINK_XGMI = AMDSMI_IOLINK_TYPE_XGMI };
#else
enum { LINK_PCIE = AMDSMI_LINK_TYPE_PCIE, LINK_XGMI = AMDSMI_LINK_TYPE_XGMI };
#endif

static bool same_hive(int one, int other)
{
    return GPU_NUMBER(one, "hive") && GPU_NUMBER(one, "hive") == GPU_NUMBER(other, "hive");
}

API int amdsmi_topo_get_link_type(const void *source, const void *target, uint64_t *hops, uint32_t *type)
{
    struct device other;
    BEGIN_DEVICE(amdsmi_topo_get_link_type, source, hops && type);
    int status = device_begin("amdsmi_topo_get_link_type", target, &other);
    if (status != STATUS(SUCCESS))
        return status;
    if (source == target)
        return STATUS(INVAL);
    bool linked = same_hive(device.gpu, other.gpu);
    *type = linked ? LINK_XGMI : LINK_PCIE;
    *hops = linked ? 1 : 2;
    return STATUS(SUCCESS);
}

API int amdsmi_topo_get_link_weight(const void *source, const void *target, uint64_t *weight)
{
    struct device other;
    BEGIN_DEVICE(amdsmi_topo_get_link_weight, source, weight);
    int status = device_begin("amdsmi_topo_get_link_weight", target, &other);
    if (status != STATUS(SUCCESS))
        return status;
    *weight = same_hive(device.gpu, other.gpu) ? 15 : 40;
    return STATUS(SUCCESS);
}

API int amdsmi_is_P2P_accessible(const void *source, const void *target, bool *accessible)
{
    struct device other;
    BEGIN_DEVICE(amdsmi_is_P2P_accessible, source, accessible);
    int status = device_begin("amdsmi_is_P2P_accessible", target, &other);
    if (status != STATUS(SUCCESS))
        return status;
    *accessible = true;
    return STATUS(SUCCESS);
}
