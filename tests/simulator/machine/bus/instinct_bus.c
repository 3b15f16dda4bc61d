// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts simulated GPUs on the PCI bus of a virtual machine: a host bridge for each, and behind it one function whose
 * configuration space is a piece of memory. The kernel's own PCI core does the rest: addresses, modalias, udev, binding.
 * There are no BARs and no DMA: a driver that wants more than this file's silicon.h says finds nothing.
 */
#include <linux/module.h>
#include <linux/pci.h>

#include "silicon.h"

#define MOST 8
#define SPACE 256
#define EXPRESS 0x40 /* place of the PCI Express capability */

static ushort device, subsystem, speed = 5, width = 16;
module_param(device, ushort, 0444);
module_param(subsystem, ushort, 0444);
module_param(speed, ushort, 0444);
module_param(width, ushort, 0444);
MODULE_PARM_DESC(speed, "Generation of PCI Express");

static int gpus;
static u8 bus[MOST];
module_param_array(bus, byte, &gpus, 0444);
MODULE_PARM_DESC(bus, "Bus number of each GPU; as many as there are GPUs");

static uint revision, gfx_target, compute_units, xcc, minors = 1, vram_mib;
module_param(revision, uint, 0444);
module_param(gfx_target, uint, 0444);
module_param(compute_units, uint, 0444);
module_param(xcc, uint, 0444);
module_param(minors, uint, 0444);
module_param(vram_mib, uint, 0444);

static int numa[MOST];
static uint kfd_id[MOST];
static unsigned long long serial[MOST], hive;
module_param_array(numa, int, NULL, 0444);
module_param_array(kfd_id, uint, NULL, 0444);
module_param_array(serial, ullong, NULL, 0444);
module_param(hive, ullong, 0444);

static uint gone;
module_param(gone, uint, 0644);
MODULE_PARM_DESC(gone, "Bit mask of GPUs that have fallen off the bus");

static struct silicon {
	u8 space[SPACE];
	struct pci_sysdata sysdata;
	struct resource range;
	struct pci_bus *root;
} silicon[MOST];

static struct silicon *at(struct pci_bus *there, unsigned int devfn)
{
	int i;

	for (i = 0; i < gpus; i++)
		if (bus[i] == there->number && devfn == 0 && !(gone & BIT(i)))
			return &silicon[i];
	return NULL;
}

static int read_space(struct pci_bus *there, unsigned int devfn, int where, int size, u32 *value)
{
	struct silicon *gpu = at(there, devfn);

	*value = ~0U;
	if (!gpu)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (where + size > SPACE)
		return PCIBIOS_SUCCESSFUL;
	*value = 0;
	memcpy(value, gpu->space + where, size);
	return PCIBIOS_SUCCESSFUL;
}

/* Only what a driver may change can be written; a BAR that stays 0 does not exist. */
static int write_space(struct pci_bus *there, unsigned int devfn, int where, int size, u32 value)
{
	struct silicon *gpu = at(there, devfn);

	if (!gpu)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (where == PCI_COMMAND || where == PCI_CACHE_LINE_SIZE || where == PCI_INTERRUPT_LINE)
		memcpy(gpu->space + where, &value, min(size, 2));
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops operations = { .read = read_space, .write = write_space };

static void set(struct silicon *gpu, int where, u64 value, int size)
{
	memcpy(gpu->space + where, &value, size);
}

static void etch(struct silicon *gpu, int i)
{
	set(gpu, PCI_VENDOR_ID, PCI_VENDOR_ID_ATI, 2);
	set(gpu, PCI_DEVICE_ID, device, 2);
	set(gpu, PCI_STATUS, PCI_STATUS_CAP_LIST, 2);
	set(gpu, PCI_CLASS_REVISION, (0x120000 << 8) | revision, 4); /* a processing accelerator */
	set(gpu, PCI_SUBSYSTEM_VENDOR_ID, PCI_VENDOR_ID_ATI, 2);
	set(gpu, PCI_SUBSYSTEM_ID, subsystem, 2);
	set(gpu, PCI_CAPABILITY_LIST, EXPRESS, 1);
	set(gpu, EXPRESS, PCI_CAP_ID_EXP, 1);
	set(gpu, EXPRESS + PCI_EXP_FLAGS, 2, 2); /* version 2, an endpoint */
	set(gpu, EXPRESS + PCI_EXP_LNKCAP, speed | width << 4, 4);
	set(gpu, EXPRESS + PCI_EXP_LNKSTA, speed | width << 4, 2);
	set(gpu, EXPRESS + PCI_EXP_LNKCAP2, (BIT(speed) - 1) << 1, 4);
	set(gpu, SILICON_IS_SIMULATED, SILICON_MAGIC, 4);
	set(gpu, SILICON_KFD_ID, kfd_id[i], 4);
	set(gpu, SILICON_SERIAL, serial[i], 8);
	set(gpu, SILICON_HIVE, hive, 8);
	set(gpu, SILICON_GFX_TARGET, gfx_target, 4);
	set(gpu, SILICON_COMPUTE_UNITS, compute_units, 4);
	set(gpu, SILICON_XCC, xcc, 4);
	set(gpu, SILICON_MINORS, minors, 4);
	set(gpu, SILICON_VRAM_MIB, vram_mib, 4);
}

static int plug(struct silicon *gpu, int i)
{
	LIST_HEAD(resources);

	etch(gpu, i);
	gpu->sysdata.node = node_online(numa[i]) ? numa[i] : NUMA_NO_NODE;
	gpu->range = (struct resource){ .start = bus[i], .end = bus[i], .flags = IORESOURCE_BUS };
	pci_add_resource(&resources, &gpu->range);
	pci_lock_rescan_remove();
	gpu->root = pci_scan_root_bus(NULL, bus[i], &operations, &gpu->sysdata, &resources);
	if (gpu->root)
		pci_bus_add_devices(gpu->root);
	pci_unlock_rescan_remove();
	if (gpu->root)
		return 0;
	pci_free_resource_list(&resources);
	return -ENODEV;
}

static void unplug(void)
{
	int i;

	pci_lock_rescan_remove();
	for (i = 0; i < gpus; i++) {
		if (!silicon[i].root)
			continue;
		pci_stop_root_bus(silicon[i].root);
		pci_remove_root_bus(silicon[i].root);
	}
	pci_unlock_rescan_remove();
}

static int __init start(void)
{
	int i, error = 0;

	for (i = 0; i < gpus && !error; i++)
		error = plug(&silicon[i], i);
	if (error)
		unplug();
	else
		pr_info("instinct_bus: %d simulated GPUs 1002:%04x\n", gpus, device);
	return error;
}

module_init(start);
module_exit(unplug);

MODULE_AUTHOR("instinct.fleet authors");
MODULE_DESCRIPTION("Simulated AMD Instinct GPUs on the PCI bus");
MODULE_LICENSE("GPL");
