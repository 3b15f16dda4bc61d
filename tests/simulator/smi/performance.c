/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Power, performance levels, clocks and links: what can be set, and what of it reads back.
 * source of what each product takes: ROCm/rocm-systems:projects/amdsmi/docs/conceptual/perf-determinism.md */
#include <stdlib.h>

#include "sim.h"

static bool is_mi200(int gpu) { return strcmp(GPU_TEXT(gpu, "gfx"), "90a") == 0; }

/* Why nothing can be set; a GPU that ignores what it is told answers SUCCESS to everything. */
static int refused(const struct device *handle)
{
    struct device device = *handle;
    ONLY_ROOT();
    ONLY_PRIMARY();
    return GPU_NUMBER(device.gpu, "virtual") ? STATUS(NOT_SUPPORTED) : (int)GPU_NUMBER(device.gpu, "setting.refused");
}

static int keep(int gpu, const char *key, const char *value)
{
    if (GPU_NUMBER(gpu, "setting.ignored"))
        return STATUS(SUCCESS);
    if (!store_begin())
        return STATUS(FILE_ERROR);
    store_put(value, "gpu%d.%s", gpu, key);
    return store_end(true) ? STATUS(SUCCESS) : STATUS(FILE_ERROR);
}

static int keep_number(int gpu, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return keep(gpu, key, text);
}

static int shown(int status)
{
    run_node("sysfs");
    return status;
}

API int amdsmi_get_power_cap_info(const void *handle, uint32_t sensor, amdsmi_power_cap_info_t *info)
{
    BEGIN_DEVICE(amdsmi_get_power_cap_info, handle, info);
    ONLY_PRIMARY();
    if (sensor != 0)
        return STATUS(NOT_SUPPORTED);
    memset(info, 0, sizeof *info);
    info->power_cap = GPU_NUMBER(device.gpu, "power.cap_uw");
    info->min_power_cap = GPU_NUMBER(device.gpu, "power.min_uw");
    info->default_power_cap = info->max_power_cap = GPU_NUMBER(device.gpu, "power.default_uw");
    return STATUS(SUCCESS);
}

API int amdsmi_set_power_cap(const void *handle, uint32_t sensor, uint64_t cap)
{
    BEGIN_DEVICE(amdsmi_set_power_cap, handle, true);
    int status = refused(&device);
    if (status != STATUS(SUCCESS))
        return status;
    if (sensor != 0)
        return STATUS(NOT_SUPPORTED);
    if (cap == 0 || cap < GPU_NUMBER(device.gpu, "power.min_uw") || cap > GPU_NUMBER(device.gpu, "power.default_uw"))
        return STATUS(INVAL);
    return shown(keep_number(device.gpu, "power.cap_uw", cap));
}

static const struct level {
    uint32_t number;
    const char *name;
    bool everywhere; /* MI300 and later take no other */
} LEVELS[] = {
    {AMDSMI_DEV_PERF_LEVEL_AUTO, "auto", true},
    {AMDSMI_DEV_PERF_LEVEL_MANUAL, "manual", true},
    {AMDSMI_DEV_PERF_LEVEL_LOW, "low", false},
    {AMDSMI_DEV_PERF_LEVEL_HIGH, "high", false},
    {AMDSMI_DEV_PERF_LEVEL_STABLE_STD, "profile_standard", false},
    {AMDSMI_DEV_PERF_LEVEL_STABLE_PEAK, "profile_peak", false},
    {AMDSMI_DEV_PERF_LEVEL_STABLE_MIN_MCLK, "profile_min_mclk", false},
    {AMDSMI_DEV_PERF_LEVEL_STABLE_MIN_SCLK, "profile_min_sclk", false},
    {AMDSMI_DEV_PERF_LEVEL_DETERMINISM, "perf_determinism", false},
};
enum { LEVEL_COUNT = sizeof LEVELS / sizeof *LEVELS };

API int amdsmi_get_gpu_perf_level(const void *handle, uint32_t *level)
{
    BEGIN_DEVICE(amdsmi_get_gpu_perf_level, handle, level);
    ONLY_PRIMARY();
    *level = AMDSMI_DEV_PERF_LEVEL_AUTO;
    for (int i = 0; i < LEVEL_COUNT; i++) {
        if (strcmp(LEVELS[i].name, GPU_TEXT(device.gpu, "level")) == 0)
            *level = LEVELS[i].number;
    }
    return STATUS(SUCCESS);
}

/* Every level but manual frees the clocks. */
static int keep_level(int gpu, const char *name)
{
    static const char *const limits[] = {"limit.gfx.min", "limit.gfx.max", "limit.memory.max"};
    int status = keep(gpu, "level", name);
    for (size_t i = 0; i < sizeof limits / sizeof *limits && status == STATUS(SUCCESS) && strcmp(name, "manual") != 0; i++)
        status = keep(gpu, limits[i], "");
    return status;
}

API int amdsmi_set_gpu_perf_level(const void *handle, uint32_t level)
{
    BEGIN_DEVICE(amdsmi_set_gpu_perf_level, handle, true);
    int status = refused(&device);
    if (status != STATUS(SUCCESS))
        return status;
    for (int i = 0; i < LEVEL_COUNT; i++) {
        if (LEVELS[i].number == level)
            return LEVELS[i].everywhere || is_mi200(device.gpu) ? shown(keep_level(device.gpu, LEVELS[i].name)) : STATUS(NOT_SUPPORTED);
    }
    return STATUS(INVAL);
}

API int amdsmi_set_gpu_perf_determinism_mode(const void *handle, uint64_t clock)
{
    BEGIN_DEVICE(amdsmi_set_gpu_perf_determinism_mode, handle, true);
    int status = refused(&device);
    if (status != STATUS(SUCCESS))
        return status;
    if (!is_mi200(device.gpu) && strcmp(GPU_TEXT(device.gpu, "product"), "MI300A") != 0)
        return STATUS(NOT_SUPPORTED);
    if (clock > GPU_NUMBER(device.gpu, "clock.gfx.max"))
        return STATUS(INVAL);
    status = keep_level(device.gpu, "perf_determinism");
    return shown(status == STATUS(SUCCESS) ? keep_number(device.gpu, "limit.gfx.max", clock) : status);
}

#ifdef HAS_amdsmi_set_gpu_clk_limit
/* Makes the level manual. Of the memory clock the highest alone can be set, and on MI200 none. */
API int amdsmi_set_gpu_clk_limit(const void *handle, uint32_t kind, uint32_t limit, uint64_t clock)
{
    BEGIN_DEVICE(amdsmi_set_gpu_clk_limit, handle, true);
    int status = refused(&device);
    if (status != STATUS(SUCCESS))
        return status;
    bool memory = kind == AMDSMI_CLK_TYPE_MEM;
    if ((!memory && kind != AMDSMI_CLK_TYPE_SYS) || (memory && (limit == CLK_LIMIT_MIN || is_mi200(device.gpu))))
        return STATUS(NOT_SUPPORTED);
    const char *name = memory ? "memory" : "gfx";
    if (clock > store_number("gpu%d.clock.%s.max", device.gpu, name) || clock < store_number("gpu%d.clock.%s.min", device.gpu, name))
        return STATUS(INVAL);
    char key[32];
    snprintf(key, sizeof key, "limit.%s.%s", name, limit == CLK_LIMIT_MIN ? "min" : "max");
    status = keep_level(device.gpu, "manual");
    return shown(status == STATUS(SUCCESS) ? keep_number(device.gpu, key, clock) : status);
}
#endif

/* Policies as the driver lists them; links have some where there are links, and MI200 has two. */
static const char *const SOC[] = {"soc_pstate_default", "soc_pstate_0", "soc_pstate_1", "soc_pstate_2"};
static const char *const PLPD[] = {"plpd_disallow", "plpd_default", "plpd_optimized"};

static uint32_t soc_count(int gpu) { return GPU_NUMBER(gpu, "virtual") || is_mi200(gpu) ? 0 : 4; }
static uint32_t plpd_count(int gpu) { return GPU_NUMBER(gpu, "virtual") || !GPU_NUMBER(gpu, "hive") ? 0 : is_mi200(gpu) ? 2 : 3; }

static int list(amdsmi_dpm_policy_t *policy, const char *const *names, uint32_t count, const char *now, uint32_t otherwise)
{
    if (!count)
        return STATUS(NOT_SUPPORTED);
    memset(policy, 0, sizeof *policy);
    policy->num_supported = count;
    policy->current = *now ? (uint32_t)atoi(now) : otherwise;
    for (uint32_t i = 0; i < count; i++) {
        policy->policies[i].policy_id = i;
        SET_TEXT(policy->policies[i].policy_description, "%s", names[i]);
    }
    return STATUS(SUCCESS);
}

static int choose(const struct device *device, const char *key, uint32_t count, uint32_t policy)
{
    int status = refused(device);
    if (status != STATUS(SUCCESS))
        return status;
    if (policy >= count)
        return count ? STATUS(INVAL) : STATUS(NOT_SUPPORTED);
    return keep_number(device->gpu, key, policy);
}

API int amdsmi_get_soc_pstate(const void *handle, amdsmi_dpm_policy_t *policy)
{
    BEGIN_DEVICE(amdsmi_get_soc_pstate, handle, policy);
    ONLY_PRIMARY();
    return list(policy, SOC, soc_count(device.gpu), GPU_TEXT(device.gpu, "policy.soc"), 0);
}

API int amdsmi_set_soc_pstate(const void *handle, uint32_t policy)
{
    BEGIN_DEVICE(amdsmi_set_soc_pstate, handle, true);
    return choose(&device, "policy.soc", soc_count(device.gpu), policy);
}

API int amdsmi_get_xgmi_plpd(const void *handle, amdsmi_dpm_policy_t *policy)
{
    BEGIN_DEVICE(amdsmi_get_xgmi_plpd, handle, policy);
    ONLY_PRIMARY();
    return list(policy, PLPD, plpd_count(device.gpu), GPU_TEXT(device.gpu, "policy.plpd"), 1);
}

API int amdsmi_set_xgmi_plpd(const void *handle, uint32_t policy)
{
    BEGIN_DEVICE(amdsmi_set_xgmi_plpd, handle, true);
    return choose(&device, "policy.plpd", plpd_count(device.gpu), policy);
}

API int amdsmi_get_gpu_process_isolation(const void *handle, uint32_t *isolated)
{
    BEGIN_DEVICE(amdsmi_get_gpu_process_isolation, handle, isolated);
    ONLY_PRIMARY();
    *isolated = (uint32_t)GPU_NUMBER(device.gpu, "isolation");
    return STATUS(SUCCESS);
}

API int amdsmi_set_gpu_process_isolation(const void *handle, uint32_t isolated)
{
    BEGIN_DEVICE(amdsmi_set_gpu_process_isolation, handle, true);
    int status = refused(&device);
    if (status != STATUS(SUCCESS))
        return status;
    return isolated > 1 ? STATUS(INVAL) : keep_number(device.gpu, "isolation", isolated);
}
