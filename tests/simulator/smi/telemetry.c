/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Temperatures, power drawn, PCIe and memory: plain numbers of the state, in the units of the interface. */
#include "sim.h"

API int amdsmi_get_temp_metric(const void *handle, uint32_t sensor, uint32_t metric, int64_t *degrees)
{
    BEGIN_DEVICE(amdsmi_get_temp_metric, handle, degrees);
    ONLY_PRIMARY();
    const char *place = sensor == AMDSMI_TEMPERATURE_TYPE_HOTSPOT ? "hotspot" : sensor == AMDSMI_TEMPERATURE_TYPE_VRAM ? "memory" : "edge";
    if (sensor != AMDSMI_TEMPERATURE_TYPE_HOTSPOT && sensor != AMDSMI_TEMPERATURE_TYPE_VRAM && sensor != AMDSMI_TEMPERATURE_TYPE_EDGE)
        return STATUS(NOT_SUPPORTED);
    if (!*store_text("gpu%d.temperature.%s", device.gpu, place)) /* MI300 has no edge sensor */
        return STATUS(NOT_SUPPORTED);
    if (metric == AMDSMI_TEMP_CURRENT)
        *degrees = (int64_t)store_number("gpu%d.temperature.%s", device.gpu, place);
    else if (metric == AMDSMI_TEMP_CRITICAL)
        *degrees = sensor == AMDSMI_TEMPERATURE_TYPE_VRAM ? 105 : 100;
    else
        return STATUS(NOT_SUPPORTED);
    return STATUS(SUCCESS);
}

/* Watts and microwatts. */
static int fill_power(const struct device *handle, amdsmi_power_info_t *info)
{
    struct device device = *handle;
    ONLY_PRIMARY();
    memset(info, 0, sizeof *info);
    info->current_socket_power = (uint32_t)GPU_NUMBER(device.gpu, "power.draw_w");
    info->average_socket_power = 0xFFFF;
    info->gfx_voltage = info->soc_voltage = info->mem_voltage = 0xFFFF;
    info->power_limit = (uint32_t)GPU_NUMBER(device.gpu, "power.cap_uw");
#ifdef HAS_amdsmi_power_info_t_socket_power
    info->socket_power = info->current_socket_power;
#endif
    return STATUS(SUCCESS);
}

API int amdsmi_get_power_info(const void *handle, amdsmi_power_info_t *info)
{
    BEGIN_DEVICE(amdsmi_get_power_info, handle, info);
    return fill_power(&device, info);
}

#ifdef HAS_amdsmi_get_power_info_v2 /* 25.x alone */
API int amdsmi_get_power_info_v2(const void *handle, uint32_t sensor, amdsmi_power_info_t *info)
{
    BEGIN_DEVICE(amdsmi_get_power_info_v2, handle, info);
    return sensor == 0 ? fill_power(&device, info) : STATUS(NOT_SUPPORTED);
}
#endif

API int amdsmi_get_pcie_info(const void *handle, amdsmi_pcie_info_t *info)
{
    BEGIN_DEVICE(amdsmi_get_pcie_info, handle, info);
    ONLY_PRIMARY();
    const char *form = GPU_TEXT(device.gpu, "form_factor");
    memset(info, 0, sizeof *info);
    info->pcie_static.max_pcie_width = (uint16_t)GPU_NUMBER(device.gpu, "pcie.max_width");
    info->pcie_static.max_pcie_speed = (uint32_t)GPU_NUMBER(device.gpu, "pcie.max_speed_mts");
    info->pcie_static.pcie_interface_version = (uint32_t)GPU_NUMBER(device.gpu, "pcie.generation");
    info->pcie_static.slot_type = AMDSMI_CARD_FORM_FACTOR_UNKNOWN;
    if (strcmp(form, "OAM") == 0)
        info->pcie_static.slot_type = AMDSMI_CARD_FORM_FACTOR_OAM;
    else if (strcmp(form, "PCIE") == 0)
        info->pcie_static.slot_type = AMDSMI_CARD_FORM_FACTOR_PCIE;
    info->pcie_metric.pcie_width = (uint16_t)GPU_NUMBER(device.gpu, "pcie.width");
    info->pcie_metric.pcie_speed = (uint32_t)GPU_NUMBER(device.gpu, "pcie.speed_mts");
    info->pcie_metric.pcie_bandwidth = NONE32;
    info->pcie_metric.pcie_replay_count = GPU_NUMBER(device.gpu, "pcie.replays");
    info->pcie_metric.pcie_l0_to_recovery_count = GPU_NUMBER(device.gpu, "pcie.recoveries");
    info->pcie_metric.pcie_nak_sent_count = GPU_NUMBER(device.gpu, "pcie.naks");
    return STATUS(SUCCESS);
}

/* Mebibytes. */
API int amdsmi_get_gpu_vram_usage(const void *handle, amdsmi_vram_usage_t *usage)
{
    BEGIN_DEVICE(amdsmi_get_gpu_vram_usage, handle, usage);
    memset(usage, 0, sizeof *usage);
    usage->vram_total = (uint32_t)GPU_NUMBER(device.gpu, "vram_mib") / (uint32_t)partition_count(device.gpu);
    usage->vram_used = (uint32_t)GPU_NUMBER(device.gpu, "vram_used_mib");
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_vram_info(const void *handle, amdsmi_vram_info_t *info)
{
    BEGIN_DEVICE(amdsmi_get_gpu_vram_info, handle, info);
    const char *type = GPU_TEXT(device.gpu, "vram_type");
    memset(info, 0, sizeof *info);
    info->vram_type = strcmp(type, "HBM2") == 0    ? AMDSMI_VRAM_TYPE_HBM2
                      : strcmp(type, "HBM2E") == 0 ? AMDSMI_VRAM_TYPE_HBM2E
                                                   : AMDSMI_VRAM_TYPE_HBM3;
#ifdef AMDSMI_VRAM_TYPE_HBM3E
    if (strcmp(type, "HBM3E") == 0)
        info->vram_type = AMDSMI_VRAM_TYPE_HBM3E;
#endif
    if (sizeof info->vram_vendor > sizeof(uint32_t)) /* a name since 26.0, a number before */
        snprintf((char *)&info->vram_vendor, sizeof info->vram_vendor, "SIMULATED");
    info->vram_size = GPU_NUMBER(device.gpu, "vram_mib");
#ifdef HAS_amdsmi_vram_info_t_vram_bit_width
    info->vram_bit_width = 8192;
    info->vram_max_bandwidth = UINT64_MAX;
#endif
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_memory_total(const void *handle, uint32_t type, uint64_t *bytes)
{
    BEGIN_DEVICE(amdsmi_get_gpu_memory_total, handle, bytes);
    if (type != AMDSMI_MEM_TYPE_VRAM && type != AMDSMI_MEM_TYPE_VIS_VRAM)
        return STATUS(NOT_SUPPORTED);
    *bytes = (GPU_NUMBER(device.gpu, "vram_mib") << 20) / (uint64_t)partition_count(device.gpu);
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_memory_usage(const void *handle, uint32_t type, uint64_t *bytes)
{
    BEGIN_DEVICE(amdsmi_get_gpu_memory_usage, handle, bytes);
    if (type != AMDSMI_MEM_TYPE_VRAM && type != AMDSMI_MEM_TYPE_VIS_VRAM)
        return STATUS(NOT_SUPPORTED);
    *bytes = GPU_NUMBER(device.gpu, "vram_used_mib") << 20;
    return STATUS(SUCCESS);
}
