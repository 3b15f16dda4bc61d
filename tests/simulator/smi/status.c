/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Statuses: the gate that every call passes, injected statuses, and what is outside the model. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "handles.h"
#include "mishaps.h"
#include "sim.h"

/* A status told by the key status.<call>=<code>[*<times>], else SUCCESS. */
static int injected(const char *call)
{
    char key[128];
    snprintf(key, sizeof key, "status.%s", call);
    const char *told = store_text("%s", key);
    if (!strchr(told, '*'))
        return atoi(told);
    if (!store_begin())
        return STATUS(SUCCESS);
    int status = told_status(key);
    store_end(status != STATUS(SUCCESS));
    return status;
}

int call_begin(const char *call)
{
    if (!handles_started())
        return STATUS(NOT_INIT);
    if (!store_load() || strcmp(store_text("driver.state"), "loaded") != 0)
        return STATUS(DRIVER_NOT_LOADED);
    return injected(call);
}

int device_begin(const char *call, const void *handle, struct device *device)
{
    int status = call_begin(call);
    if (status != STATUS(SUCCESS))
        return status;
    if (!handles_device(handle, device))
        return STATUS(NOT_FOUND);
    if (device->part >= partition_count(device->gpu)) /* stale: the real library may answer for another device */
        return STATUS(NOT_FOUND);
    return GPU_NUMBER(device->gpu, "lost") ? STATUS(IO) : STATUS(SUCCESS);
}

/* All symbols that are not ours end here. */
int sim_stub(const char *name)
{
    int status = call_begin(name);
    return status != STATUS(SUCCESS) ? status : STATUS(NOT_SUPPORTED);
}

/* The real check is getuid() == geteuid() == 0; library.root=yes|no decides where tests may not be root. */
bool is_root(void)
{
    const char *told = store_text("library.root");
    return *told ? strcmp(told, "yes") == 0 : getuid() == 0 && geteuid() == 0;
}

bool list_has(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; length && *at; at += strcspn(at, ","), at += *at == ',') {
        if (strcspn(at, ",") == length && strncmp(at, word, length) == 0)
            return true;
    }
    return false;
}

int run_node(const char *word)
{
    char command[256];
    snprintf(command, sizeof command, "%s", store_text("node.command"));
    if (!*command)
        return 127;
    pid_t child = fork();
    if (child == 0) {
        execl(command, command, word, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

API int amdsmi_status_code_to_string(uint32_t status, const char **text)
{
    static const struct {
        uint32_t status;
        const char *text;
    } words[] = {
        {STATUS(SUCCESS), "AMDSMI_STATUS_SUCCESS: simulated"},
        {STATUS(INVAL), "AMDSMI_STATUS_INVAL: simulated"},
        {STATUS(NOT_SUPPORTED), "AMDSMI_STATUS_NOT_SUPPORTED: simulated"},
        {STATUS(NO_PERM), "AMDSMI_STATUS_NO_PERM: simulated"},
        {STATUS(BUSY), "AMDSMI_STATUS_BUSY: simulated"},
        {STATUS(NOT_FOUND), "AMDSMI_STATUS_NOT_FOUND: simulated"},
        {STATUS(NOT_INIT), "AMDSMI_STATUS_NOT_INIT: simulated"},
    };
    if (!text)
        return STATUS(INVAL);
    *text = "AMDSMI_STATUS: another one (simulated)";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].status == status)
            *text = words[i].text;
    }
    return STATUS(SUCCESS);
}
