/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a simulated GPU says of itself in its configuration space, from 0xa0 on: put there by the module that puts the
 * GPUs on the PCI bus of a virtual machine (tests/simulator/machine/bus), read by the stand-in driver. A device without
 * the magic number is none of ours.
 */
#ifndef INSTINCT_SILICON_H
#define INSTINCT_SILICON_H

#define SILICON_MAGIC 0x314d4953 /* "SIM1" */

enum silicon_register {
	SILICON_IS_SIMULATED = 0xa0, /* 32 bits each, but for two of 64 */
	SILICON_KFD_ID = 0xa4,
	SILICON_SERIAL = 0xa8,       /* 64 */
	SILICON_HIVE = 0xb0,         /* 64 */
	SILICON_GFX_TARGET = 0xb8,
	SILICON_COMPUTE_UNITS = 0xbc,
	SILICON_XCC = 0xc0,
	SILICON_MINORS = 0xc4,       /* render nodes: as many as there could be partitions */
	SILICON_VRAM_MIB = 0xc8,
};

#endif
