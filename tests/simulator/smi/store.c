/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* One file, one lock, atomic replacement: the same rules as in instinct_sim/state.py. */
#define _GNU_SOURCE
#include "store.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "follow.h"

#define DEFAULT_PATH "/var/lib/instinct-sim/state"
#define KEY_SIZE 160
#define PATH_SIZE 4096

struct pair {
    char *key;
    char *value; /* own memory only after a put */
    bool owned;
};

static __thread char *text;
static __thread struct pair *pairs;
static __thread size_t count;
static __thread size_t room;
static __thread int lock_file = -1;

const char *store_path(void)
{
    const char *path = getenv("INSTINCT_SIM_STATE");
    return path && *path ? path : DEFAULT_PATH;
}

static void forget(void)
{
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].owned) {
            free(pairs[i].key);
            free(pairs[i].value);
        }
    }
    free(text);
    text = NULL;
    count = 0;
}

static void add(char *key, char *value, bool owned)
{
    if (count == room) {
        room = room ? room * 2 : 1024;
        pairs = realloc(pairs, room * sizeof *pairs);
        if (!pairs)
            abort();
    }
    pairs[count++] = (struct pair){key, value, owned};
}

bool store_load(void)
{
    struct stat status;
    int file = open(store_path(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    forget();
    if (fstat(file, &status) != 0 || !(text = malloc((size_t)status.st_size + 1))) {
        close(file);
        return false;
    }
    ssize_t length = read(file, text, (size_t)status.st_size);
    close(file);
    if (length < 0)
        return false;
    text[length] = '\0';
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *equals = strchr(line, '=');
        if (*line == '#' || !equals)
            continue;
        *equals = '\0';
        add(line, equals + 1, false);
    }
    follow_kernel();
    return true;
}

static struct pair *find(const char *format, va_list arguments)
{
    char key[KEY_SIZE];
    vsnprintf(key, sizeof key, format, arguments);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(pairs[i].key, key) == 0)
            return &pairs[i];
    }
    return NULL;
}

const char *store_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const struct pair *found = find(format, arguments);
    va_end(arguments);
    return found ? found->value : "";
}

uint64_t store_number(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const struct pair *found = find(format, arguments);
    va_end(arguments);
    return found ? strtoull(found->value, NULL, 0) : 0;
}

bool store_next(size_t *at, const char *prefix, const char **key, const char **value)
{
    size_t length = strlen(prefix);
    for (; *at < count; (*at)++) {
        if (strncmp(pairs[*at].key, prefix, length) == 0) {
            *key = pairs[*at].key + length;
            *value = pairs[*at].value;
            (*at)++;
            return true;
        }
    }
    return false;
}

bool store_begin(void)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s.lock", store_path());
    lock_file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (lock_file < 0)
        return false;
    if (flock(lock_file, LOCK_EX) == 0 && store_load())
        return true;
    store_end(false);
    return false;
}

void store_put(const char *value, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct pair *found = find(format, arguments);
    va_end(arguments);
    if (found) {
        *found = (struct pair){strdup(found->key), strdup(value), true};
        return;
    }
    char key[KEY_SIZE];
    va_start(arguments, format);
    vsnprintf(key, sizeof key, format, arguments);
    va_end(arguments);
    add(strdup(key), strdup(value), true);
}

static bool write_file(void)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s.new", store_path());
    FILE *file = fopen(path, "we");
    if (!file)
        return false;
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s=%s\n", pairs[i].key, pairs[i].value);
    return fclose(file) == 0 && rename(path, store_path()) == 0;
}

bool store_end(bool write)
{
    bool written = !write || write_file();
    if (lock_file >= 0)
        close(lock_file);
    lock_file = -1;
    return written;
}
