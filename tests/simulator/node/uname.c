/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Preloaded into every program of a simulated node: uname(2) tells the node's own kernel, where it has one, and adjtimex(2)
 * a clock that is synchronized, unless there is a file that says otherwise. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#define UNSYNCHRONIZED "/run/instinct-sim/unsynchronized"
#ifndef RELEASE
#define RELEASE "/run/instinct-sim/osrelease"
#endif

int uname(struct utsname *name)
{
    int status = (int)syscall(SYS_uname, name);
    if (status != 0)
        return status;
    int file = open(RELEASE, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    char text[sizeof name->release];
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length > 0) {
        text[length] = '\0';
        text[strcspn(text, "\n")] = '\0';
        strcpy(name->release, text);
    }
    return 0;
}

int adjtimex(struct timex *clock)
{
    int state = (int)syscall(SYS_adjtimex, clock);
    if (state < 0 || access(UNSYNCHRONIZED, F_OK) == 0)
        return state;
    clock->status &= ~STA_UNSYNC;
    return TIME_OK;
}
