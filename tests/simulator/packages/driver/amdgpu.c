// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stand-in for the amdgpu driver of the packages. It is compiled, signed and
 * inspected on simulated nodes, where a simulated modprobe "loads" it. It is
 * never meant to run: on a real GPU it binds nothing.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/version.h>

#include "version.h"

static int vm_fragment_size = -1;
module_param(vm_fragment_size, int, 0444);
MODULE_PARM_DESC(vm_fragment_size, "VM fragment size in bits (-1 = automatic)");

static int noretry = -1;
module_param(noretry, int, 0644);
MODULE_PARM_DESC(noretry, "Disable retry faults (0 = retry, 1 = no retry, -1 = automatic)");

static int gpu_recovery = -1;
module_param(gpu_recovery, int, 0444);
MODULE_PARM_DESC(gpu_recovery, "Recover the GPU after a hang (1 = on, 0 = off, -1 = automatic)");

#define INSTINCT(device) { PCI_DEVICE(PCI_VENDOR_ID_ATI, device) }

static const struct pci_device_id ids[] = {
	INSTINCT(0x738c), INSTINCT(0x7408), INSTINCT(0x740c), INSTINCT(0x740f),
	INSTINCT(0x74a0), INSTINCT(0x74a1), INSTINCT(0x74a2), INSTINCT(0x74a5),
	INSTINCT(0x74a8), INSTINCT(0x74a9), INSTINCT(0x74b5), INSTINCT(0x74b6),
	INSTINCT(0x74b9), INSTINCT(0x74bc), INSTINCT(0x74bd), INSTINCT(0x75a0),
	INSTINCT(0x75a3), INSTINCT(0x75a8), { }
};
MODULE_DEVICE_TABLE(pci, ids);

static struct class *kfd_class;

static int instinct_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	dev_warn(&pdev->dev, "amdgpu: simulated driver, leaves real GPUs alone\n");
	return -ENODEV;
}

static struct pci_driver instinct_driver = {
	.name = "amdgpu",
	.id_table = ids,
	.probe = instinct_probe,
};

static int __init instinct_init(void)
{
	int error;

	/* Linux 6.4 dropped the owner from class_create(); a driver from before that does not know. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0) || AMDGPU_WRITTEN_FOR < KERNEL_VERSION(6, 4, 0)
	kfd_class = class_create(THIS_MODULE, "kfd");
#else
	kfd_class = class_create("kfd");
#endif
	if (IS_ERR(kfd_class))
		return PTR_ERR(kfd_class);
	pr_info("amdgpu version " AMDGPU_VERSION " (simulated)\n");
	error = pci_register_driver(&instinct_driver);
	if (error)
		class_destroy(kfd_class);
	return error;
}

static void __exit instinct_exit(void)
{
	pci_unregister_driver(&instinct_driver);
	class_destroy(kfd_class);
}

module_init(instinct_init);
module_exit(instinct_exit);

MODULE_AUTHOR("instinct.fleet authors");
MODULE_DESCRIPTION("AMD GPU (simulated stand-in)");
MODULE_LICENSE("GPL");
MODULE_VERSION(AMDGPU_VERSION);
MODULE_FIRMWARE("amdgpu/aldebaran_sos.bin");
MODULE_FIRMWARE("amdgpu/psp_13_0_6_sos.bin");
MODULE_FIRMWARE("amdgpu/psp_13_0_12_sos.bin");
