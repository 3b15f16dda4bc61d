/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Who a GPU is: ASIC, board, VBIOS, driver, firmware, KFD and DRM numbers; and who the library is. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "sim.h"

/* Tells for certain that this library is not AMD's; the builder and the installer look for it. */
API const char instinct_sim_library[] = "instinct.fleet simulated libamd_smi " SIM_LIBRARY_VERSION;

API int amdsmi_get_lib_version(amdsmi_version_t *version)
{
    if (!version)
        return STATUS(INVAL);
    const char *told = store_load() ? store_text("library.version") : "";
    unsigned major = 0, minor = 0, release = 0;
    sscanf(*told ? told : SIM_LIBRARY_VERSION, "%u.%u.%u", &major, &minor, &release);
    memset(version, 0, sizeof *version);
    version->major = major;
    version->minor = minor;
    version->release = release;
    version->build = "simulated by instinct.fleet";
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_asic_info(const void *handle, amdsmi_asic_info_t *info)
{
    BEGIN_DEVICE(amdsmi_get_gpu_asic_info, handle, info);
    int gpu = device.gpu;
    bool virtual = GPU_NUMBER(gpu, "virtual") && *GPU_TEXT(gpu, "vf_device_id");
    memset(info, 0, sizeof *info);
    SET_TEXT(info->market_name, "%s", GPU_TEXT(gpu, "market_name"));
    SET_TEXT(info->vendor_name, "Advanced Micro Devices Inc. [AMD/ATI]");
    info->vendor_id = 0x1002;
    info->subvendor_id = 0x1002;
    info->device_id = virtual ? GPU_NUMBER(gpu, "vf_device_id") : GPU_NUMBER(gpu, "device_id");
    info->rev_id = (uint32_t)GPU_NUMBER(gpu, "revision_id");
    SET_TEXT(info->asic_serial, "%s", device.part ? "0xFFFFFFFFFFFFFFFF" : GPU_TEXT(gpu, "serial"));
#ifdef HAS_amdsmi_asic_info_t_oam_id
    info->oam_id = device.part ? NONE32 : (uint32_t)GPU_NUMBER(gpu, "oam");
#endif
#ifdef HAS_amdsmi_asic_info_t_num_of_compute_units
    info->num_of_compute_units = (uint32_t)GPU_NUMBER(gpu, "compute_units") / (uint32_t)partition_count(gpu);
#endif
#ifdef HAS_amdsmi_asic_info_t_target_graphics_version
    info->target_graphics_version = strtoull(GPU_TEXT(gpu, "gfx"), NULL, 16);
#endif
#ifdef HAS_amdsmi_asic_info_t_subsystem_id
    info->subsystem_id = (uint32_t)GPU_NUMBER(gpu, "subsystem_id");
#endif
    return STATUS(SUCCESS);
}

/* One UUID for each partition since 26.0, one for each GPU before. */
static void write_uuid(const struct device *device, char *text, size_t length)
{
    uint64_t serial = GPU_NUMBER(device->gpu, "serial");
    unsigned part = SIM_LIBRARY_MAJOR >= 26 ? (unsigned)device->part : 0xff;
    snprintf(text, length, "%02xff%04x-0000-1000-80%02x-%012llx", part, (unsigned)GPU_NUMBER(device->gpu, "device_id"),
             (unsigned)(serial >> 48 & 0xff), (unsigned long long)(serial & 0xffffffffffffULL));
}

API int amdsmi_get_gpu_device_uuid(const void *handle, uint32_t *length, char *uuid)
{
    BEGIN_DEVICE(amdsmi_get_gpu_device_uuid, handle, length && uuid);
    write_uuid(&device, uuid, *length);
    return STATUS(SUCCESS);
}

#ifdef HAS_amdsmi_get_gpu_kfd_info
API int amdsmi_get_gpu_kfd_info(const void *handle, amdsmi_kfd_info_t *info)
{
    BEGIN_DEVICE(amdsmi_get_gpu_kfd_info, handle, info);
    memset(info, 0, sizeof *info);
    info->kfd_id = (uint64_t)kfd_id(&device);
    info->node_id = (uint32_t)device.node;
#ifdef HAS_amdsmi_kfd_info_t_current_partition_id
    info->current_partition_id = (uint32_t)device.part;
#endif
    return STATUS(SUCCESS);
}
#endif

#ifdef HAS_amdsmi_get_gpu_enumeration_info
API int amdsmi_get_gpu_enumeration_info(const void *handle, amdsmi_enumeration_info_t *info)
{
    BEGIN_DEVICE(amdsmi_get_gpu_enumeration_info, handle, info);
    memset(info, 0, sizeof *info);
    info->drm_render = (uint32_t)GPU_NUMBER(device.gpu, "minor") + (uint32_t)device.part;
    info->drm_card = (uint32_t)GPU_NUMBER(device.gpu, "card") + (uint32_t)device.part;
    info->hsa_id = (uint32_t)device.node;
    info->hip_id = (uint32_t)device.node - (uint32_t)store_number("node.cpus");
    SET_TEXT(info->hip_uuid, "GPU-%016llx", (unsigned long long)GPU_NUMBER(device.gpu, "serial"));
    return STATUS(SUCCESS);
}
#endif

API int amdsmi_get_gpu_board_info(const void *handle, amdsmi_board_info_t *info)
{
    BEGIN_DEVICE(amdsmi_get_gpu_board_info, handle, info);
    memset(info, 0, sizeof *info);
    SET_TEXT(info->model_number, "102-SIMULATED");
    SET_TEXT(info->product_serial, "SIM%s", GPU_TEXT(device.gpu, "serial") + 2);
    SET_TEXT(info->product_name, "%s", GPU_TEXT(device.gpu, "market_name"));
    SET_TEXT(info->manufacturer_name, "AMD");
    return STATUS(SUCCESS);
}

API int amdsmi_get_gpu_vbios_info(const void *handle, amdsmi_vbios_info_t *info)
{
    BEGIN_DEVICE(amdsmi_get_gpu_vbios_info, handle, info);
    memset(info, 0, sizeof *info);
    SET_TEXT(info->name, "%s", GPU_TEXT(device.gpu, "vbios.name"));
    SET_TEXT(info->part_number, "%s", GPU_TEXT(device.gpu, "vbios.part_number"));
    SET_TEXT(info->version, "%s", GPU_TEXT(device.gpu, "vbios.version"));
    SET_TEXT(info->build_date, "%s", GPU_TEXT(device.gpu, "vbios.build_date"));
    return STATUS(SUCCESS);
}

/* The kernel's own driver has no version: the library then gives what /proc/version says. */
API int amdsmi_get_gpu_driver_info(const void *handle, amdsmi_driver_info_t *info)
{
    BEGIN_DEVICE(amdsmi_get_gpu_driver_info, handle, info);
    const char *version = store_text("driver.version");
    memset(info, 0, sizeof *info);
    SET_TEXT(info->driver_name, "amdgpu");
    if (*version)
        SET_TEXT(info->driver_version, "%s", version);
    else
        SET_TEXT(info->driver_version, "Linux version %s (simulated)", store_text("node.kernel"));
    SET_TEXT(info->driver_date, "2015/01/01 00:00");
    return STATUS(SUCCESS);
}

API int amdsmi_get_fw_info(const void *handle, amdsmi_fw_info_t *info)
{
    BEGIN_DEVICE(amdsmi_get_fw_info, handle, info);
    ONLY_PRIMARY();
    static const struct {
        const char *key;
        uint32_t id;
    } blocks[] = {
        {"PM", AMDSMI_FW_ID_PM}, {"PSP_SOSDRV", AMDSMI_FW_ID_PSP_SOSDRV}, {"RLC", AMDSMI_FW_ID_RLC},
        {"CP_MEC1", AMDSMI_FW_ID_CP_MEC1}, {"SDMA0", AMDSMI_FW_ID_SDMA0}, {"VCN", AMDSMI_FW_ID_VCN},
        {"TA_XGMI", AMDSMI_FW_ID_TA_XGMI}, {"TA_RAS", AMDSMI_FW_ID_TA_RAS},
#ifdef AMDSMI_FW_ID_PLDM_BUNDLE
        {"PLDM_BUNDLE", AMDSMI_FW_ID_PLDM_BUNDLE},
#endif
    };
    memset(info, 0, sizeof *info);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const char *number = store_text("gpu%d.firmware.%s", device.gpu, blocks[i].key);
        if (!*number)
            continue;
        info->fw_info_list[info->num_fw_info].fw_id = blocks[i].id;
        info->fw_info_list[info->num_fw_info].fw_version = strtoull(number, NULL, 0);
        info->num_fw_info++;
    }
    return STATUS(SUCCESS);
}

#ifdef HAS_amdsmi_get_gpu_virtualization_mode
API int amdsmi_get_gpu_virtualization_mode(const void *handle, uint32_t *mode)
{
    BEGIN_DEVICE(amdsmi_get_gpu_virtualization_mode, handle, mode);
    *mode = GPU_NUMBER(device.gpu, "virtual") ? AMDSMI_VIRTUALIZATION_MODE_GUEST : AMDSMI_VIRTUALIZATION_MODE_BAREMETAL;
    return STATUS(SUCCESS);
}
#endif

/* Numbers of 16 bits that older programs ask for one by one. */
#define SMALL_NUMBER(call, value)                                                                                                          \
    API int call(const void *handle, uint16_t *number)                                                                                     \
    {                                                                                                                                      \
        BEGIN_DEVICE(call, handle, number);                                                                                                \
        *number = (uint16_t)(value);                                                                                                       \
        return STATUS(SUCCESS);                                                                                                            \
    }
SMALL_NUMBER(amdsmi_get_gpu_id, GPU_NUMBER(device.gpu, "device_id"))
SMALL_NUMBER(amdsmi_get_gpu_revision, GPU_NUMBER(device.gpu, "revision_id"))
SMALL_NUMBER(amdsmi_get_gpu_subsystem_id, GPU_NUMBER(device.gpu, "subsystem_id"))
#ifdef HAS_amdsmi_get_gpu_xcd_counter
SMALL_NUMBER(amdsmi_get_gpu_xcd_counter, GPU_NUMBER(device.gpu, "xcc"))
#endif

API int amdsmi_get_gpu_vendor_name(const void *handle, char *name, size_t length)
{
    BEGIN_DEVICE(amdsmi_get_gpu_vendor_name, handle, name);
    snprintf(name, length, "Advanced Micro Devices Inc. [AMD/ATI]");
    return STATUS(SUCCESS);
}
