/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* What goes wrong when modes are set, as keys set.* of a GPU tell it. All of this happens under the lock. */
#define _GNU_SOURCE
#include "mishaps.h"

#include <stdlib.h>

#include "sim.h"

int told_status(const char *key)
{
    const char *told = store_text("%s", key);
    int status = atoi(told);
    const char *star = strchr(told, '*');
    if (!star)
        return status;
    int times = atoi(star + 1);
    if (times <= 0)
        return STATUS(SUCCESS);
    char left[48];
    snprintf(left, sizeof left, "%d*%d", status, times - 1);
    store_put(left, "%s", key);
    return status;
}

int mishap(int gpu)
{
    static const char *const kinds[] = {"resetting", "fails"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char key[48];
        snprintf(key, sizeof key, "gpu%d.set.%s", gpu, kinds[i]);
        int status = told_status(key);
        if (status != STATUS(SUCCESS))
            return status;
    }
    return STATUS(SUCCESS);
}

bool mishap_ignores(int gpu, const char *kind)
{
    return list_has(GPU_TEXT(gpu, "set.ignored"), kind);
}

bool mishap_loses(int gpu, int *status)
{
    const char *told = GPU_TEXT(gpu, "set.lost");
    if (!*told)
        return false;
    *status = atoi(told);
    store_put("1", "gpu%d.lost", gpu);
    return true;
}
