/* Copyright: (c) 2026, instinct.fleet authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* What there is of logical GPUs. */
#pragma once

#define MOST_GPUS 64

struct logical {
    int gpus;
    int partitions[MOST_GPUS]; /* that are shown; none of a GPU that the driver does not drive */
    int first_node[MOST_GPUS]; /* of the KFD topology */
};

void logical_count(struct logical *found);
