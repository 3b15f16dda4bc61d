// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stand-in for the amdgpu driver of the packages. On simulated nodes that are containers it is compiled, signed and
 * inspected, and a simulated modprobe "loads" it. In virtual machines the kernel loads it, and it binds the simulated
 * GPUs: firmware, DRM, KFD, sysfs are the kernel's own; nothing computes. On a real GPU it binds nothing.
 */
#include <linux/firmware.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/version.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>

#include "kfd.h"
#include "silicon.h"
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

/* The signed firmware that each generation asks for, by its LLVM target. */
static const struct {
	u32 gfx_target;
	const char *firmware;
} generations[] = {
	{ 90008, "amdgpu/arcturus_sos.bin" },
	{ 90010, "amdgpu/aldebaran_sos.bin" },
	{ 90402, "amdgpu/psp_13_0_6_sos.bin" },
	{ 90500, "amdgpu/psp_13_0_12_sos.bin" },
};

static u32 word(struct pci_dev *pdev, int where)
{
	u32 value = 0;

	pci_read_config_dword(pdev, where, &value);
	return value;
}

static u64 two_words(struct pci_dev *pdev, int where)
{
	return word(pdev, where) | (u64)word(pdev, where + 4) << 32;
}

/* DRM: a device for the GPU, and one for each other partition that it could have. */
static const struct file_operations instinct_files = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.release = drm_release,
	.unlocked_ioctl = drm_ioctl,
#ifdef FOP_UNSIGNED_OFFSET
	.fop_flags = FOP_UNSIGNED_OFFSET,
#endif
};

static const struct drm_driver instinct_drm = {
	.driver_features = DRIVER_RENDER,
	.fops = &instinct_files,
	.name = "amdgpu",
	.desc = "AMD GPU (simulated stand-in)",
	.major = 3,
	.minor = 64,
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
	.date = "20150101",
#endif
};

static int add_drm(struct instinct *gpu, int part, struct device *parent)
{
	struct drm_device *drm = drm_dev_alloc(&instinct_drm, parent);
	int error;

	if (IS_ERR(drm))
		return PTR_ERR(drm);
	error = drm_dev_register(drm, 0);
	if (error)
		drm_dev_put(drm);
	else
		gpu->drm[part] = drm;
	return error;
}

static int add_partition(struct instinct *gpu, int part)
{
	struct platform_device *xcp;
	char name[24];

	snprintf(name, sizeof(name), "amdgpu_xcp_%d", gpu->index * (int)(gpu->minors - 1) + part - 1);
	xcp = platform_device_register_simple(name, PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(xcp))
		return PTR_ERR(xcp);
	gpu->xcp[part] = xcp;
	return add_drm(gpu, part, &xcp->dev);
}

static void remove_drm(struct instinct *gpu)
{
	int part;

	for (part = MOST_PARTITIONS - 1; part >= 0; part--) {
		if (gpu->drm[part]) {
			drm_dev_unplug(gpu->drm[part]);
			drm_dev_put(gpu->drm[part]);
		}
		platform_device_unregister(gpu->xcp[part]);
	}
}

/* Firmware comes first, as with the real driver: without the file there is no GPU. */
static int load_firmware(struct instinct *gpu)
{
	const struct firmware *blob;
	int i, error = -ENOENT;

	for (i = 0; i < ARRAY_SIZE(generations); i++) {
		if (generations[i].gfx_target != gpu->gfx_target)
			continue;
		error = request_firmware(&blob, generations[i].firmware, &gpu->pdev->dev);
		if (!error)
			release_firmware(blob);
	}
	if (error)
		dev_err(&gpu->pdev->dev, "amdgpu: early_init of IP block <psp> failed %d\n", error);
	return error;
}

static int start_gpu(struct instinct *gpu)
{
	int part, error = load_firmware(gpu);

	if (!error && AMDGPU_PROBE_ERROR) {
		error = AMDGPU_PROBE_ERROR;
		dev_err(&gpu->pdev->dev, "amdgpu: hw_init of IP block <psp> failed %d\n", error);
	}
	if (!error)
		error = add_drm(gpu, 0, &gpu->pdev->dev);
	for (part = 1; part < gpu->minors && !error; part++)
		error = add_partition(gpu, part);
	if (!error)
		error = kfd_add(gpu);
	if (error)
		remove_drm(gpu);
	return error;
}

static int instinct_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct instinct *gpu;
	int error;

	if (word(pdev, SILICON_IS_SIMULATED) != SILICON_MAGIC) {
		dev_warn(&pdev->dev, "amdgpu: simulated driver, leaves real GPUs alone\n");
		return -ENODEV;
	}
	gpu = devm_kzalloc(&pdev->dev, sizeof(*gpu), GFP_KERNEL);
	if (!gpu)
		return -ENOMEM;
	gpu->pdev = pdev;
	gpu->index = kfd_place();
	gpu->kfd_id = word(pdev, SILICON_KFD_ID);
	gpu->serial = two_words(pdev, SILICON_SERIAL);
	gpu->hive = two_words(pdev, SILICON_HIVE);
	gpu->gfx_target = word(pdev, SILICON_GFX_TARGET);
	gpu->compute_units = word(pdev, SILICON_COMPUTE_UNITS);
	gpu->xcc = word(pdev, SILICON_XCC);
	gpu->minors = clamp_t(u32, word(pdev, SILICON_MINORS), 1, MOST_PARTITIONS);
	gpu->vram_mib = word(pdev, SILICON_VRAM_MIB);
	pci_set_drvdata(pdev, gpu);
	dev_info(&pdev->dev, "[drm] initializing kernel modesetting (IP DISCOVERY 0x%04X:0x%04X 0x%04X:0x%04X 0x%02X).\n",
		 pdev->vendor, pdev->device, pdev->subsystem_vendor, pdev->subsystem_device, pdev->revision);
	error = gpu->index < 0 ? gpu->index : start_gpu(gpu);
	if (error) {
		dev_err(&pdev->dev, "amdgpu: Fatal error during GPU init\n");
		return error;
	}
	dev_info(&pdev->dev, "amdgpu: VRAM: %lluM\n", gpu->vram_mib);
	return 0;
}

static void instinct_remove(struct pci_dev *pdev)
{
	struct instinct *gpu = pci_get_drvdata(pdev);

	dev_info(&pdev->dev, "amdgpu: amdgpu: finishing device.\n");
	kfd_remove(gpu);
	remove_drm(gpu);
}

/* What the driver adds to its device. Modes of partitions are those of a GPU that was never told anything. */
#define SHOW(name, format, ...) \
	static ssize_t name##_show(struct device *dev, struct device_attribute *attribute, char *text) \
	{ \
		struct instinct *gpu = dev_get_drvdata(dev); \
		(void)gpu; \
		return sysfs_emit(text, format "\n", ##__VA_ARGS__); \
	} \
	static DEVICE_ATTR_RO(name)

SHOW(mem_info_vram_total, "%llu", gpu->vram_mib << 20);
SHOW(mem_info_vram_used, "%llu", 284ULL << 20);
SHOW(unique_id, "%016llx", gpu->serial);
SHOW(current_compute_partition, "SPX");
SHOW(current_memory_partition, "NPS1");

static struct attribute *gpu_attrs[] = {
	&dev_attr_mem_info_vram_total.attr, &dev_attr_mem_info_vram_used.attr, &dev_attr_unique_id.attr,
	&dev_attr_current_compute_partition.attr, &dev_attr_current_memory_partition.attr, NULL
};

static umode_t gpu_visible(struct kobject *kobj, struct attribute *attribute, int number)
{
	struct instinct *gpu = dev_get_drvdata(kobj_to_dev(kobj));

	return number > 2 && gpu->minors == 1 ? 0 : attribute->mode; /* no modes where there are no partitions */
}

static const struct attribute_group gpu_group = { .attrs = gpu_attrs, .is_visible = gpu_visible };
static const struct attribute_group *gpu_groups[] = { &gpu_group, NULL };

static struct pci_driver instinct_driver = {
	.name = "amdgpu",
	.id_table = ids,
	.probe = instinct_probe,
	.remove = instinct_remove,
	.dev_groups = gpu_groups,
};

static int __init instinct_init(void)
{
	int error;

	pr_info("[drm] amdgpu kernel modesetting enabled.\n");
	pr_info("[drm] amdgpu version: " AMDGPU_VERSION " (simulated)\n");
	error = kfd_start();
	if (error)
		return error;
	error = pci_register_driver(&instinct_driver);
	if (error)
		kfd_stop();
	return error;
}

static void __exit instinct_exit(void)
{
	pci_unregister_driver(&instinct_driver);
	kfd_stop();
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
