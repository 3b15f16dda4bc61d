/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Preloaded into every program of a simulated node: uname(2) tells the node's own kernel, where it has one. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

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
