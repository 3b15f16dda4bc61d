/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KFD as user space sees it: /dev/kfd, and the topology of the machine below /sys/class/kfd/kfd. No ioctl does anything.
 * It is a part of amdgpu.c, and not compiled apart: reading the kernel's headers is what a build takes its time for.
 */
#ifndef INSTINCT_KFD_H
#define INSTINCT_KFD_H

#include <linux/device.h>
#include <linux/fs.h>
#include <linux/nodemask.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/version.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>

#include "version.h"

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

struct node {
	struct kobject kobject;
	struct instinct *gpu; /* NULL: a processor */
};

static struct class *kfd_class;
static struct device *kfd_device;
static struct kobject *topology, *nodes, *processes;
static struct kobject *processors[MAX_NUMNODES];
static struct instinct *places[MOST_GPUS];
static DEFINE_MUTEX(lock);
static unsigned int generation;
static int major;

static const struct file_operations kfd_files = { .owner = THIS_MODULE };

static ssize_t generation_id_show(struct kobject *kobject, struct kobj_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%u\n", generation);
}
static struct kobj_attribute generation_id = __ATTR_RO(generation_id);

/* The files of a node. */
static ssize_t node_show(struct kobject *kobject, struct attribute *attribute, char *text)
{
	struct instinct *gpu = container_of(kobject, struct node, kobject)->gpu;

	if (!strcmp(attribute->name, "gpu_id"))
		return sysfs_emit(text, "%u\n", gpu ? gpu->kfd_id : 0);
	if (!strcmp(attribute->name, "name"))
		return sysfs_emit(text, "%s\n", gpu ? "ip discovery" : "");
	if (!gpu)
		return sysfs_emit(text, "cpu_cores_count %u\nsimd_count 0\nmem_banks_count 1\n", num_online_cpus());
	return sysfs_emit(text,
			  "cpu_cores_count 0\nsimd_count %u\nmem_banks_count 1\ngfx_target_version %u\nvendor_id %u\n"
			  "device_id %u\nlocation_id %u\ndomain %d\ndrm_render_minor %d\nhive_id %llu\nunique_id %llu\n"
			  "num_xcc %u\n",
			  gpu->compute_units * 4, gpu->gfx_target, gpu->pdev->vendor, gpu->pdev->device,
			  pci_dev_id(gpu->pdev), pci_domain_nr(gpu->pdev->bus), gpu->drm[0]->render->index, gpu->hive,
			  gpu->serial, gpu->xcc);
}

static struct attribute gpu_id = { "gpu_id", 0444 }, name = { "name", 0444 }, properties = { "properties", 0444 };
static struct attribute *node_attrs[] = { &gpu_id, &name, &properties, NULL };
ATTRIBUTE_GROUPS(node);

static void node_release(struct kobject *kobject)
{
	kfree(container_of(kobject, struct node, kobject));
}

static const struct sysfs_ops node_operations = { .show = node_show };
static struct kobj_type node_type = {
	.sysfs_ops = &node_operations,
	.release = node_release,
	.default_groups = node_groups,
};

/* mem_banks/0 of a node: its memory. */
static ssize_t bank_show(struct kobject *kobject, struct kobj_attribute *attribute, char *text)
{
	struct instinct *gpu = container_of(kobject->parent->parent, struct node, kobject)->gpu;

	return sysfs_emit(text, "heap_type %d\nsize_in_bytes %llu\nflags 0\nwidth 8192\n", gpu ? 1 : 0,
			  gpu ? gpu->vram_mib << 20 : (u64)totalram_pages() << PAGE_SHIFT);
}
static struct kobj_attribute bank = __ATTR(properties, 0444, bank_show, NULL);

static void remove_node(struct kobject *kobject)
{
	if (kobject) {
		kobject_del(kobject);
		kobject_put(kobject);
	}
}

static struct kobject *add_node(struct instinct *gpu, int number)
{
	struct node *node = kzalloc(sizeof(*node), GFP_KERNEL);
	struct kobject *banks, *first;

	if (!node)
		return NULL;
	node->gpu = gpu;
	if (kobject_init_and_add(&node->kobject, &node_type, nodes, "%d", number)) {
		kobject_put(&node->kobject);
		return NULL;
	}
	banks = kobject_create_and_add("mem_banks", &node->kobject);
	first = banks ? kobject_create_and_add("0", banks) : NULL;
	/* The folders stay as long as the node: its removal takes all below it out of sysfs. */
	if (!first || sysfs_create_file(first, &bank.attr)) {
		remove_node(&node->kobject);
		return NULL;
	}
	generation++;
	return &node->kobject;
}

/* A free index for a GPU, or an error. */
static int kfd_place(void)
{
	int i;

	for (i = 0; i < MOST_GPUS; i++)
		if (!places[i])
			return i;
	return -ENOSPC;
}

/* A node for a GPU in the topology; 0 or an error. */
static int kfd_add(struct instinct *gpu)
{
	int error = 0;

	mutex_lock(&lock);
	gpu->node = add_node(gpu, num_online_nodes() + gpu->index);
	if (gpu->node)
		places[gpu->index] = gpu;
	else
		error = -ENOMEM;
	mutex_unlock(&lock);
	return error;
}

static void kfd_remove(struct instinct *gpu)
{
	mutex_lock(&lock);
	places[gpu->index] = NULL;
	remove_node(gpu->node);
	generation++;
	mutex_unlock(&lock);
}

static void kfd_stop(void)
{
	int i;

	for (i = 0; i < num_online_nodes(); i++)
		remove_node(processors[i]);
	kobject_put(nodes);
	kobject_put(topology);
	kobject_put(processes);
	if (!IS_ERR_OR_NULL(kfd_device))
		device_destroy(kfd_class, MKDEV(major, 0));
	if (!IS_ERR_OR_NULL(kfd_class))
		class_destroy(kfd_class);
	if (major > 0)
		unregister_chrdev(major, "kfd");
}

static int add_topology(void)
{
	int i;

	topology = kobject_create_and_add("topology", &kfd_device->kobj);
	nodes = topology ? kobject_create_and_add("nodes", topology) : NULL;
	processes = kobject_create_and_add("proc", &kfd_device->kobj);
	if (!nodes || !processes || sysfs_create_file(topology, &generation_id.attr))
		return -ENOMEM;
	for (i = 0; i < num_online_nodes(); i++) {
		processors[i] = add_node(NULL, i);
		if (!processors[i])
			return -ENOMEM;
	}
	return 0;
}

/* Class, /dev/kfd and a topology of processors alone; 0 or an error. */
static int kfd_start(void)
{
	int error = 0;

	major = register_chrdev(0, "kfd", &kfd_files);
	if (major < 0)
		return major;
	/* Linux 6.4 dropped the owner from class_create(); a driver from before that does not know. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0) || AMDGPU_WRITTEN_FOR < KERNEL_VERSION(6, 4, 0)
	kfd_class = class_create(THIS_MODULE, "kfd");
#else
	kfd_class = class_create("kfd");
#endif
	if (IS_ERR(kfd_class))
		error = PTR_ERR(kfd_class);
	if (!error) {
		kfd_device = device_create(kfd_class, NULL, MKDEV(major, 0), NULL, "kfd");
		error = PTR_ERR_OR_ZERO(kfd_device);
	}
	if (!error)
		error = add_topology();
	if (error)
		kfd_stop();
	return error;
}

#endif
