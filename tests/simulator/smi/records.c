/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Error records (CPER): a header as the binding has it, and the AMD field ids behind it in a form of our own.
 * State: gpu<n>.cper.<k>=<severity> <date>T<time> <ids>, oldest first; severity by number, ids with commas between. */
#include "sim.h"

#ifdef HAS_amdsmi_get_gpu_cper_entries
#include <stdlib.h>

#define MOST_RECORDS 512
#define MOST_IDS 12 /* as many as the binding has room for */
#define EMPTY_IS_ERROR (SIM_LIBRARY_MAJOR < 27) /* until 26.4 */

struct tail {
    uint64_t count;
    uint64_t ids[MOST_IDS];
};

static uint32_t record(char *place, const char *text)
{
    amdsmi_cper_hdr_t header;
    struct tail tail;
    unsigned severity = 0, year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0;
    char ids[128] = "";
    memset(&header, 0, sizeof header);
    memset(&tail, 0, sizeof tail);
    sscanf(text, "%u %u-%u-%uT%u:%u:%u %127s", &severity, &year, &month, &day, &hours, &minutes, &seconds, ids);
    memcpy(header.signature, "CPER", sizeof header.signature);
    header.signature_end = NONE32;
    header.sec_cnt = 1;
    header.error_severity = severity;
    header.timestamp.year = (uint8_t)(year % 100);
    header.timestamp.month = (uint8_t)month;
    header.timestamp.day = (uint8_t)day;
    header.timestamp.hours = (uint8_t)hours;
    header.timestamp.minutes = (uint8_t)minutes;
    header.timestamp.seconds = (uint8_t)seconds;
    header.record_length = sizeof header + sizeof tail;
    for (char *at = ids; *at && tail.count < MOST_IDS; at += strcspn(at, ","), at += *at == ',')
        tail.ids[tail.count++] = strtoull(at, NULL, 10);
    memcpy(place, &header, sizeof header);
    memcpy(place + sizeof header, &tail, sizeof tail);
    return header.record_length;
}

static const char *told(int gpu, uint64_t number)
{
    return store_text("gpu%d.cper.%llu", gpu, (unsigned long long)number);
}

static bool any_from(int gpu, uint64_t number)
{
    while (number < MOST_RECORDS && !*told(gpu, number))
        number++;
    return number < MOST_RECORDS;
}

/* The cursor is the number of the next record. */
API int amdsmi_get_gpu_cper_entries(const void *handle, uint32_t mask, char *data, uint64_t *size, const void **headers, uint64_t *count,
                                    uint64_t *cursor)
{
    BEGIN_DEVICE(amdsmi_get_gpu_cper_entries, handle, data && size && headers && count && cursor);
    ONLY_ROOT();
    ONLY_PRIMARY();
    if (!GPU_NUMBER(device.gpu, "violations")) /* drivers keep records since MI300 */
        return STATUS(NOT_SUPPORTED);
    if (EMPTY_IS_ERROR && !any_from(device.gpu, 0))
        return STATUS(FILE_ERROR);
    uint64_t most = *count, used = 0;
    for (*count = 0; *count < most && *cursor < MOST_RECORDS; (*cursor)++) {
        const char *text = told(device.gpu, *cursor);
        if (!*text || !(mask & 1u << atoi(text)))
            continue;
        if (used + sizeof(amdsmi_cper_hdr_t) + sizeof(struct tail) > *size)
            break;
        headers[(*count)++] = data + used;
        used += record(data + used, text);
    }
    *size = used;
    return any_from(device.gpu, *cursor) ? STATUS(MORE_DATA) : STATUS(SUCCESS);
}

API int amdsmi_get_afids_from_cper(const char *data, uint32_t size, uint64_t *ids, uint32_t *count)
{
    BEGIN(amdsmi_get_afids_from_cper);
    struct tail tail;
    if (!data || !ids || !count || size != sizeof(amdsmi_cper_hdr_t) + sizeof tail)
        return STATUS(INVAL);
    memcpy(&tail, data + sizeof(amdsmi_cper_hdr_t), sizeof tail);
    *count = (uint32_t)tail.count;
    memcpy(ids, tail.ids, tail.count * sizeof *ids);
    return STATUS(SUCCESS);
}
#endif
