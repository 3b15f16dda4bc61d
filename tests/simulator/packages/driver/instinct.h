/* SPDX-License-Identifier: GPL-2.0-only */
/* One simulated GPU as the stand-in driver knows it, and what KFD offers to the rest of the driver. */
#ifndef INSTINCT_H
#define INSTINCT_H

#include <linux/pci.h>
#include <linux/platform_device.h>

#include <drm/drm_device.h>

#define MOST_GPUS 8
#define MOST_PARTITIONS 8

struct instinct {
	struct pci_dev *pdev;
	struct drm_device *drm[MOST_PARTITIONS];
	struct platform_device *xcp[MOST_PARTITIONS];
	struct kobject *node; /* of the topology */
	int index;            /* in the order of binding */
	u32 kfd_id, gfx_target, compute_units, xcc, minors;
	u64 serial, hive, vram_mib;
};

int kfd_start(void);              /* class, /dev/kfd and an empty topology; 0 or an error */
void kfd_stop(void);
int kfd_place(void);              /* a free index for a GPU, or an error */
int kfd_add(struct instinct *gpu); /* a node for it in the topology; 0 or an error */
void kfd_remove(struct instinct *gpu);

#endif
