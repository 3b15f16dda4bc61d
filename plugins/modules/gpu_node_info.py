#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module gpu_node_info: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_node_info
short_description: Read everything about a GPU node in one go
description:
  - Reads operating system, kernels, packages and holds, package sources and keys, DKMS, the amdgpu driver, firmware,
    ROCm, GPUs, device nodes, processes on GPUs and the digests of files.
  - Changes nothing, and needs no gathered facts.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
extends_documentation_fragment:
  - instinct.fleet._attributes.info_module
  - instinct.fleet._look
options:
  sections:
    description:
      - Sections to read. Without this option all are read but those that diagnosis needs besides, which take longer.
        V(host), V(log), V(health) and V(settings).
    type: list
    elements: str
    choices:
      - os
      - kernel
      - packages
      - repositories
      - dkms
      - driver
      - boot
      - firmware
      - rocm
      - smi
      - gpus
      - devices
      - processes
      - files
      - host
      - log
      - health
      - settings
  files:
    description:
      - More paths of files whose digest, owner and mode are wanted in section C(files), after the files that the roles
        of this collection manage.
    type: list
    elements: path
    default: []
  packages:
    description: More name patterns of packages that are wanted in section C(packages), with C(*) and C(?).
    type: list
    elements: str
    default: []
  log_patterns:
    description:
      - What section C(log) looks for. Lines are searched on the node, and only what was found comes back.
      - The catalogue of faults of this collection gives them.
    type: list
    elements: dict
    default: []
    suboptions:
      id:
        description: Name under which lines come back.
        type: str
        required: true
      where:
        description: Kind of log.
        type: str
        required: true
        choices: [kernel, dkms, packages, container, library, tool]
      words:
        description: A line is only searched if it has one of these words, which are in lower case, in any case.
        type: list
        elements: str
        required: true
      patterns:
        description: Regular expressions of Python. Group C(bdf) is the subject of the line.
        type: list
        elements: str
        required: true
      keep:
        description:
          - Groups of the patterns. Lines are kept apart by the first that they have, for example by the process.
          - A line that has none of them belongs to the next line that has, if that is near.
        type: list
        elements: str
        default: []
      followed_by:
        description: C(id) of patterns of which it matters how soon they follow.
        type: list
        elements: str
        default: []
  log_boots:
    description:
      - Of which boots lines count in section C(log).
      - V(all) needs a journal that is kept.
    type: str
    choices: [this, all]
    default: this
  setting_names:
    description:
      - What section C(settings) looks for. Values of other names are never returned.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name of a variable, parameter, file or option of a command. A parameter of a module is written
          with the module, for example V(amdgpu.noretry).
        type: str
        required: true
      kind:
        description: What it is the name of.
        type: str
        required: true
        choices: [environment, module_parameter, kernel_parameter, file, sysfs, command]
seealso:
  - module: instinct.fleet.gpu_info
"""

EXAMPLES = r"""
- name: Look at everything
  instinct.fleet.gpu_node_info:
    files:
      - /etc/apt/sources.list.d/rocm.list
  register: node

- name: Which kernel boots next
  instinct.fleet.gpu_node_info:
    sections: [kernel]
  register: node

- name: Stop if the loaded driver is not the installed one
  ansible.builtin.assert:
    that: node.look.driver.loaded_is_on_disk
"""

RETURN = r"""
look:
  description: One section for each that was asked for. The others are null.
  returned: always
  type: dict
  contains:
    schema:
      description: Number of the form of this result.
      returned: always
      type: int
    os:
      description: The operating system, from C(/etc/os-release).
      returned: when asked for
      type: dict
      contains:
        id:
          description: C(ID), for example V(ubuntu).
          returned: always
          type: str
        id_like:
          description: Words of C(ID_LIKE).
          returned: always
          type: list
          elements: str
        version_id:
          description: C(VERSION_ID), for example V(24.04).
          returned: always
          type: str
        point_version:
          description: Version with its point release. V(24.04.3) from C(VERSION), V(12.11) from
            C(/etc/debian_version).
          returned: always
          type: str
        codename:
          description: C(VERSION_CODENAME), for example V(noble).
          returned: always
          type: str
        pretty_name:
          description: C(PRETTY_NAME).
          returned: always
          type: str
        architecture:
          description: Machine as C(uname -m) prints it, for example V(x86_64).
          returned: always
          type: str
        virtualization:
          description: V(none), V(container), or the hypervisor as systemd-detect-virt calls it, from C(/run) and
            C(/sys/class/dmi/id). V(other) for a hypervisor without a known name.
          returned: always
          type: str
        python:
          description: Version of the Python that looked.
          returned: always
          type: str
        root:
          description: Whether the look ran as root.
          returned: always
          type: bool
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    kernel:
      description: The running kernel, the installed ones and the one that boots next.
      returned: when asked for
      type: dict
      contains:
        running:
          description: Release as C(uname -r) prints it, from C(/proc/sys/kernel/osrelease).
          returned: always
          type: str
        boot_id:
          description: Identifier of this boot, from C(/proc/sys/kernel/random/boot_id).
          returned: always
          type: str
        cmdline:
          description: Command line of the running kernel, from C(/proc/cmdline).
          returned: always
          type: str
        installed:
          description: Kernels that have a directory of modules in C(/lib/modules) or an image in C(/boot).
          returned: always
          type: list
          elements: dict
          contains:
            release:
              description: Release of the kernel.
              returned: always
              type: str
            image:
              description: Path of the image, null if there is none.
              returned: always
              type: str
            initrd:
              description: Path of the initial RAM disk, null if there is none.
              returned: always
              type: str
            headers:
              description: Whether C(/lib/modules/<release>/build) leads to a Makefile.
              returned: always
              type: bool
            modules:
              description: Whether C(/lib/modules/<release>/modules.dep) exists.
              returned: always
              type: bool
        next_boot:
          description: Release of the kernel that starts at the next boot if nobody intervenes.
          returned: always
          type: str
        default_boot:
          description: The same where nothing is chosen for one boot only (C(next_entry) of C(grubenv)).
          returned: always
          type: str
        next_boot_source:
          description: Where O(ignore:next_boot) was read. V(grub) from C(grub.cfg) and C(grubenv), V(symlink) from
            C(/vmlinuz).
          returned: always
          type: str
        boot_entries:
          description: Release of each kernel to the path of its titles in C(grub.cfg), joined by C(>), as
            C(GRUB_DEFAULT) and grub-reboot take it; or to its id where each kernel has a file in
            C(/boot/loader/entries). Recovery entries are left out.
          returned: always
          type: dict
        boots_saved:
          description: Whether the boot loader starts the entry that C(grubenv) saves, unless told otherwise for once.
          returned: always
          type: bool
        boot_arguments:
          description: Release of each kernel of O(ignore:boot_entries) to what its entry gives to the kernel, with
            variables of GRUB as they stand there.
          returned: always
          type: dict
        boots_once:
          description: What the boot loader gives in addition to a kernel that is chosen for one boot only; null
            without a menu that was read.
          returned: always
          type: str
        secure_boot:
          description: Whether Secure Boot is on, from the EFI variable. V(false) on a machine without EFI.
          returned: always
          type: bool
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    packages:
      description: Packages that a release may touch, holds, and everything that is broken.
      returned: when asked for
      type: dict
      contains:
        manager:
          description: V(apt), V(dnf) or V(zypper), from which database the packages were read.
          returned: always
          type: str
        installed:
          description: Packages whose name matches a pattern of the collection or of O(packages), in any state but
            removed, from C(/var/lib/dpkg/status).
          returned: always
          type: list
          elements: dict
          contains:
            name:
              description: Name of the package.
              returned: always
              type: str
            version:
              description: Whole version with epoch and revision.
              returned: always
              type: str
            architecture:
              description: Architecture of the package.
              returned: always
              type: str
            state:
              description: State in the words of dpkg, for example V(installed), V(half-configured), V(unpacked).
              returned: always
              type: str
        holds:
          description: Names of all packages on hold.
          returned: always
          type: list
          elements: str
        broken:
          description: Every package, whatever its name, that is neither cleanly installed nor cleanly removed.
          returned: always
          type: list
          elements: dict
          contains:
            name:
              description: Name of the package.
              returned: always
              type: str
            version:
              description: Whole version with epoch and revision.
              returned: always
              type: str
            architecture:
              description: Architecture of the package.
              returned: always
              type: str
            state:
              description: State in the words of dpkg, for example V(installed), V(half-configured), V(unpacked).
              returned: always
              type: str
        interrupted:
          description: Whether a run of dpkg was cut off, or is at work now. Until its updates are merged
            (C(dpkg --configure -a)), apt refuses to install anything. V(null) on nodes with rpm, which keeps no
            journal.
          returned: always
          type: bool
        torn_lists:
          description: Paths of the package lists of apt that are not as long as the Release file of their repository
            tells, which a power cut leaves. C(apt-get update) takes them for good.
          returned: always
          type: list
          elements: str
        misheld:
          description: Names of the packages on hold at another version than the installed one; only dnf can do that.
          returned: always
          type: list
          elements: str
        obeys_holds:
          description: Whether the package manager leaves packages on hold alone. V(false) for dnf without its
            versionlock plugin.
          returned: always
          type: bool
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    repositories:
      description: Package sources, pins, keys, and what may upgrade packages by itself.
      returned: when asked for
      type: dict
      contains:
        sources:
          description: Package sources of apt, from C(/etc/apt/sources.list) and C(/etc/apt/sources.list.d).
          returned: always
          type: list
          elements: dict
          contains:
            file:
              description: File that holds the source.
              returned: always
              type: str
            types:
              description: V(deb), V(deb-src).
              returned: always
              type: list
              elements: str
            uris:
              description: Base addresses.
              returned: always
              type: list
              elements: str
            suites:
              description: Suites, or an exact path that ends with a slash.
              returned: always
              type: list
              elements: str
            components:
              description: Components.
              returned: always
              type: list
              elements: str
            architectures:
              description: Architectures that the source is limited to, empty for no limit.
              returned: always
              type: list
              elements: str
            signed_by:
              description: Path of the keyring or fingerprint that must sign. V(embedded) for a key written into the
                file, whose fingerprint is then in RV(look.repositories.keyrings) under the path of that file. Null
                means any key that apt trusts.
              returned: always
              type: str
            trusted:
              description: Whether signatures are not checked at all.
              returned: always
              type: bool
            enabled:
              description: Whether apt uses the source.
              returned: always
              type: bool
        preferences:
          description: Pins, from C(/etc/apt/preferences) and C(/etc/apt/preferences.d).
          returned: always
          type: list
          elements: dict
          contains:
            file:
              description: File that holds the pin.
              returned: always
              type: str
            package:
              description: Package names or patterns, separated by blanks.
              returned: always
              type: str
            pin:
              description: What is pinned, for example V(release o=repo.radeon.com).
              returned: always
              type: str
            priority:
              description: Priority.
              returned: always
              type: int
        keyrings:
          description: Keyrings that sources name, and those in C(/etc/apt/keyrings) and C(/etc/apt/trusted.gpg.d).
          returned: always
          type: list
          elements: dict
          contains:
            path:
              description: Path of the keyring.
              returned: always
              type: str
            fingerprints:
              description: Fingerprints of the primary keys in it, upper case.
              returned: always
              type: list
              elements: str
        unattended_upgrades:
          description: Whether unattended upgrades are installed and switched on, from C(apt-config dump).
          returned: always
          type: bool
        unattended_blacklist:
          description: Patterns of C(Unattended-Upgrade::Package-Blacklist).
          returned: always
          type: list
          elements: str
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    dkms:
      description: DKMS and its module builds.
      returned: when asked for
      type: dict
      contains:
        present:
          description: Whether the program dkms is there.
          returned: always
          type: bool
        modules:
          description: Modules as C(dkms status) prints them. A kernel for which the build failed has no line. Read from
            C(/var/lib/dkms) itself; the program is asked only where that is not laid out as usual.
          returned: always
          type: list
          elements: dict
          contains:
            module:
              description: Name, for example V(amdgpu).
              returned: always
              type: str
            version:
              description: Version of the DKMS tree, for example V(6.14.14-2226257.24.04).
              returned: always
              type: str
            kernel:
              description: Kernel release; null in state V(added).
              returned: always
              type: str
            architecture:
              description: Architecture; null in state V(added).
              returned: always
              type: str
            state:
              description: V(added), V(built), V(installed) or V(broken).
              returned: always
              type: str
            flags:
              description: What dkms says in brackets behind the state, each once, in the same words for all its
                versions; V(original module kept), V(built modules missing), V(installed differs from built), or text
                not known.
              returned: always
              type: list
              elements: str
            built_for:
              description: Kernel that a weak module was really built for; null for an ordinary one.
              returned: always
              type: str
        errors:
          description: Errors that C(dkms status) printed.
          returned: always
          type: list
          elements: str
        sources:
          description: Versions of amdgpu whose source is in C(/usr/src), whether DKMS knows of them or not.
          returned: always
          type: list
          elements: str
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    driver:
      description: The amdgpu module, as loaded and as on disk.
      returned: when asked for
      type: dict
      contains:
        loaded:
          description: Whether C(/sys/module/amdgpu) exists.
          returned: always
          type: bool
        initstate:
          description: V(live), V(coming) or V(going), from C(/sys/module/amdgpu/initstate).
          returned: always
          type: str
        version:
          description: Version of the loaded module, from C(/sys/module/amdgpu/version). Null for the in-tree driver,
            which has none.
          returned: always
          type: str
        srcversion:
          description: Source digest of the loaded module, from C(/sys/module/amdgpu/srcversion).
          returned: always
          type: str
        on_disk:
          description: The module that modprobe would load for each installed kernel, from C(modules.dep) and the
            module file.
          returned: always
          type: list
          elements: dict
          contains:
            kernel:
              description: Release of the kernel.
              returned: always
              type: str
            path:
              description: Path of the module file.
              returned: always
              type: str
            kind:
              description: V(dkms), V(in_tree) or V(other).
              returned: always
              type: str
            version:
              description: Version stated in the file; null for the in-tree driver, which has none.
              returned: always
              type: str
            srcversion:
              description: Source digest stated in the file. Null for an in-tree module of a kernel that neither runs
                nor boots next, since it is not opened.
              returned: always
              type: str
            signer:
              description: Name of the key that signed the file; null if it is not signed or the signature names none.
              returned: always
              type: str
        loaded_is_on_disk:
          description: Whether the loaded module is the one on disk for the running kernel, by their source digests.
            V(false) means that a reload or reboot is pending. Null when no module is loaded.
          returned: always
          type: bool
        blacklisted_by:
          description: Lines of C(modprobe.d) files and kernel arguments that keep amdgpu from loading.
          returned: always
          type: list
          elements: str
        parameters:
          description: Parameters of the loaded module, from C(/sys/module/amdgpu/parameters).
          returned: always
          type: dict
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    boot:
      description: What a boot loads before the root file system is there, and what Secure Boot lets into the kernel.
      returned: when asked for
      type: dict
      contains:
        tool:
          description: What makes initramfs images here, V(initramfs-tools) or V(dracut); null if neither is installed.
          returned: always
          type: str
        images:
          description: The initramfs of each installed kernel that has one. None is opened. One that is newer than all
            that could be copied into it holds the same.
          returned: always
          type: list
          elements: dict
          contains:
            kernel:
              description: Release of the kernel.
              returned: always
              type: str
            path:
              description: Path of the image.
              returned: always
              type: str
            time:
              description: When it was made, in seconds since 1970.
              returned: always
              type: int
            driver_time:
              description: When the amdgpu module on disk for this kernel was put there; null if there is none.
              returned: always
              type: int
        modprobe_time:
          description: Newest change in C(/etc/modprobe.d), or of a C(modprobe.d) file that keeps amdgpu from loading.
          returned: always
          type: int
        lockdown:
          description: V(none), V(integrity) or V(confidentiality); null where the kernel does not tell.
          returned: always
          type: str
        key:
          description: The certificate with which DKMS signs modules, as its settings name it.
          returned: always
          type: str
        key_name:
          description: Common name in it; null if there is no such file yet, for DKMS makes it with its first build.
          returned: always
          type: str
        key_enrolled:
          description: Whether Secure Boot trusts it, from the list of keys that shim passes on. Null where Secure Boot
            is off.
          returned: always
          type: bool
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    firmware:
      description: Firmware of GPUs, baseboard and NICs.
      returned: when asked for
      type: dict
      contains:
        gpus:
          description: Firmware of each GPU that has any to tell.
          returned: always
          type: list
          elements: dict
          contains:
            bdf:
              description: PCI address of the GPU.
              returned: always
              type: str
            blocks:
              description: Name of each firmware block to its version, both as the source prints them.
              returned: always
              type: dict
            source:
              description: Where the blocks were read. V(amdsmi) and V(sysfs) name and print them differently.
              returned: always
              type: str
            vbios:
              description: Version of the VBIOS, for example V(022.040.003.043.000001); only the library tells.
              returned: always
              type: str
            vbios_part:
              description: Part number of the VBIOS, for example V(113-M3000100-102), from the library or
                C(vbios_version) in sysfs.
              returned: always
              type: str
            bundle:
              description: Version of the PLDM bundle; null where the library does not tell.
              returned: always
              type: str
        source:
          description: V(amdsmi) or V(sysfs); null if nothing was read of any GPU.
          returned: always
          type: str
        baseboard:
          description: The baseboard.
          returned: always
          type: dict
          contains:
            vendor:
              description: Maker of the system, from C(/sys/class/dmi/id), as the following fields up to C(bios_date).
              returned: always
              type: str
            product:
              description: Name of the system.
              returned: always
              type: str
            board:
              description: Name of the board.
              returned: always
              type: str
            bios_vendor:
              description: Maker of the BIOS.
              returned: always
              type: str
            bios_version:
              description: Version of the BIOS.
              returned: always
              type: str
            bios_date:
              description: Date of the BIOS.
              returned: always
              type: str
            bmc:
              description: Revision of the BMC's firmware, from the IPMI driver.
              returned: always
              type: str
            bkc:
              description: Always null, since nothing inside the node tells the best known configuration.
              returned: always
              type: str
        nics:
          description: PCI functions of RDMA devices, and of interfaces of known families that have no RDMA device.
            Virtual functions are left out.
          returned: always
          type: list
          elements: dict
          contains:
            bdf:
              description: PCI address.
              returned: always
              type: str
            device:
              description: Name of the RDMA device, for example V(mlx5_0); of the interface where there is none.
              returned: always
              type: str
            driver:
              description: Driver that is bound to the function.
              returned: always
              type: str
            family:
              description: V(mlx5), V(bnxt), V(ionic) or V(ice), by PCI vendor and driver; null for others.
              returned: always
              type: str
            board:
              description: Identifier of the board, for example V(MT_0000000838); null where the driver states none.
              returned: always
              type: str
            version:
              description: Version of the firmware.
              returned: always
              type: str
            source:
              description: V(sysfs), or V(ethtool) where sysfs does not tell the version; null if nothing does.
              returned: always
              type: str
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    rocm:
      description: ROCm installations, side by side.
      returned: when asked for
      type: dict
      contains:
        prefixes:
          description: Installations C(/opt/rocm-*) and C(/opt/rocm/core-*).
          returned: always
          type: list
          elements: dict
          contains:
            path:
              description: Path of the installation.
              returned: always
              type: str
            version:
              description: Version in C(.info/version) without build number.
              returned: always
              type: str
            parts:
              description: Which of C(amdgcn), C(bin), C(include), C(lib), C(libexec), C(llvm) and C(share) it has, and
                where each is, links followed.
              returned: always
              type: dict
        active:
          description: Path of the installation that C(/opt/rocm), or what update-alternatives keeps in it, leads to.
          returned: always
          type: str
        place:
          description: What C(/opt/rocm) is, V(link) or V(folder).
          returned: always
          type: str
        parts:
          description: Where the links that stand for parts of an installation in the folder C(/opt/rocm) lead.
          returned: always
          type: dict
        content:
          description: What else is in the folder C(/opt/rocm), neither a link nor an installation.
          returned: always
          type: list
          elements: str
        alternatives:
          description: Groups of update-alternatives that offer something of ROCm.
          returned: always
          type: list
          elements: dict
          contains:
            name:
              description: Name of the group.
              returned: always
              type: str
            link:
              description: What programs use.
              returned: always
              type: str
            choices:
              description: What it may lead to.
              returned: always
              type: list
              elements: str
            chosen:
              description: What it leads to.
              returned: always
              type: str
            others:
              description: Programs of the link's name in installations of ROCm, which the group does not offer.
              returned: always
              type: list
              elements: str
        linker_stale:
          description: Whether the linker's cache is older than what it was made from.
          returned: always
          type: bool
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    smi:
      description: "Which source answered about GPUs, and whether the vendor's binding and library belong together."
      returned: when asked for
      type: dict
      contains:
        source:
          description: V(amdsmi), V(sysfs), or V(none) when there is no GPU.
          returned: always
          type: str
        binding_path:
          description: Folder of the Python package amdsmi that was found.
          returned: always
          type: str
        binding_version:
          description: Version that the binding states.
          returned: always
          type: str
        library_path:
          description: Path of libamd_smi with links followed.
          returned: always
          type: str
        library_version:
          description: Version that the library states when asked.
          returned: always
          type: str
        mismatch:
          description: Whether binding and library do not belong together, in which case the library is not called.
            Null when not both were found.
          returned: always
          type: bool
        simulated:
          description: Whether the library says that it is a simulation.
          returned: always
          type: bool
        error:
          description: Why the library did not answer; null if it did.
          returned: always
          type: str
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    gpus:
      description: All AMD accelerators on the PCI bus.
      returned: when asked for
      type: dict
      contains:
        gpus:
          description: GPUs in the order of their PCI addresses, from sysfs, KFD and the library.
          returned: always
          type: list
          elements: dict
          contains:
            index:
              description: Position in PCI order, from 0.
              returned: always
              type: int
            bdf:
              description: PCI address, for example V(0000:05:00.0).
              returned: always
              type: str
            device_id:
              description: PCI device id in hexadecimal, for example V(74a1).
              returned: always
              type: str
            product:
              description: Product such as V(MI300X), as the market name says it; null if nothing names the product.
              returned: always
              type: str
            market_name:
              description: Market name, from the library or C(product_name) in sysfs.
              returned: always
              type: str
            virtual_function:
              description: Whether it is a virtual function, by its C(physfn) link, its device id or the library.
              returned: always
              type: bool
            uuid:
              description: UUID of the GPU, from the library.
              returned: always
              type: str
            serial:
              description: Serial number of the chip in hexadecimal, from the library or C(unique_id) in sysfs.
              returned: always
              type: str
            numa_node:
              description: NUMA node; null if the platform does not say.
              returned: always
              type: int
            vram_bytes:
              description: Size of the memory in bytes, from the library or C(mem_info_vram_total).
              returned: always
              type: int
            compute_partition:
              description: Compute partition mode, for example V(SPX); null for a GPU without partitions.
              returned: always
              type: str
            available_compute:
              description: Compute partition modes that the driver offers now.
              returned: always
              type: list
              elements: str
            memory_partition:
              description: Memory partition mode, for example V(NPS1); null for a GPU without partitions.
              returned: always
              type: str
            available_memory:
              description: Memory partition modes that the driver offers.
              returned: always
              type: list
              elements: str
            partitions:
              description: Logical devices of the GPU, from the KFD topology.
              returned: always
              type: list
              elements: dict
              contains:
                id:
                  description: Number of the partition, from 0.
                  returned: always
                  type: int
                render_node:
                  description: Path of its render node.
                  returned: always
                  type: str
                uuid:
                  description: UUID of the partition, from the library.
                  returned: always
                  type: str
                kfd_node:
                  description: Number of its node in the KFD topology.
                  returned: always
                  type: int
                kfd_id:
                  description: Its GPU id in KFD.
                  returned: always
                  type: int
                rocr_uuid:
                  description:
                    - Its name for C(ROCR_VISIBLE_DEVICES), for example V(GPU-51a05e2100740f00), from C(unique_id) in
                      the KFD topology; null where the driver gives no id.
                    - Partitions of a GPU may all have that of their GPU, which is no name of their own then.
                  returned: always
                  type: str
            near_cpus:
              description: CPUs near the GPU as Linux lists them, for example V(0-47), from C(local_cpulist) in sysfs.
              returned: always
              type: str
            xgmi_peers:
              description:
                - PCI addresses of the GPUs that it has a direct XGMI link to, from the links of the KFD topology.
                - Null where the topology does not have the GPU. A link that is down now is among them.
              returned: always
              type: list
              elements: str
            xgmi_hive_id:
              description: Identifier of its XGMI hive in hexadecimal; null for a GPU outside a hive.
              returned: always
              type: str
            pcie:
              description: PCIe link as trained now and as it could be, from the library or sysfs.
              returned: always
              type: dict
              contains:
                width:
                  description: Lanes in use.
                  returned: always
                  type: int
                max_width:
                  description: Lanes at most.
                  returned: always
                  type: int
                speed_mts:
                  description: Speed per lane in MT/s.
                  returned: always
                  type: int
                max_speed_mts:
                  description: Speed per lane at most, in MT/s.
                  returned: always
                  type: int
            errors:
              description: Error counters since the driver was loaded, all blocks together, from the library or C(ras)
                in sysfs.
              returned: always
              type: dict
              contains:
                correctable:
                  description: Corrected errors.
                  returned: always
                  type: int
                uncorrectable:
                  description: Uncorrected errors.
                  returned: always
                  type: int
                deferred:
                  description: Deferred errors.
                  returned: always
                  type: int
                bad_pages:
                  description: Retired and pending memory pages. Needs root.
                  returned: always
                  type: int
                xgmi_error:
                  description: Always null, since reading the counter clears it and a look changes nothing.
                  returned: always
                  type: int
            temperature_hotspot_c:
              description: Temperature of the hottest point in degrees Celsius.
              returned: always
              type: int
            temperature_memory_c:
              description: Temperature of the memory in degrees Celsius.
              returned: always
              type: int
            power_cap_w:
              description: Power cap in watts.
              returned: always
              type: int
            driver:
              description: Driver that is bound, for example V(amdgpu) or V(vfio-pci); null if none is.
              returned: always
              type: str
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    devices:
      description: Device nodes of the driver.
      returned: when asked for
      type: dict
      contains:
        nodes:
          description: C(/dev/kfd), and the render and card nodes of AMD accelerators.
          returned: always
          type: list
          elements: dict
          contains:
            path:
              description: Path of the node.
              returned: always
              type: str
            kind:
              description: V(kfd), V(render) or V(card).
              returned: always
              type: str
            owner:
              description: Name of the owner, or its number if it has no local name.
              returned: always
              type: str
            group:
              description: Name of the group, or its number if it has no local name.
              returned: always
              type: str
            gid:
              description: Number of the group.
              returned: always
              type: int
            mode:
              description: Permissions as octal text, for example V(0660).
              returned: always
              type: str
            bdf:
              description: PCI address of the GPU; null for C(/dev/kfd).
              returned: always
              type: str
        groups:
          description: Local groups to their numbers.
          returned: always
          type: dict
        displays:
          description: DRM devices that are not of these GPUs, for example a BMC's display. Each takes a minor of DRM.
          returned: always
          type: int
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    processes:
      description: Processes on GPUs.
      returned: when asked for
      type: dict
      contains:
        processes:
          description: Processes in the list of KFD, C(/sys/class/kfd/kfd/proc), which is what makes the driver call a
            GPU busy.
          returned: always
          type: list
          elements: dict
          contains:
            pid:
              description: Process id.
              returned: always
              type: int
            command:
              description: Command name, from C(/proc/<pid>/comm). Null if the process is not visible from here.
              returned: always
              type: str
            user:
              description: Name of its real user, or the number.
              returned: always
              type: str
            unit:
              description: Its systemd unit, or C(container:) and the start of the container id, from its control
                group.
              returned: always
              type: str
            gpus:
              description: PCI addresses of the GPUs on which it has a queue or memory.
              returned: always
              type: list
              elements: str
            vram_bytes:
              description: GPU memory that it holds, in bytes, all GPUs together.
              returned: always
              type: int
            state:
              description: State letter of C(/proc/<pid>/status), for example V(Z) for a process that ended and that
                nobody waited for. Null if the process is not visible from here.
              returned: always
              type: str
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    files:
      description: Digests of the files that roles manage and of those asked for, and what the node recorded about
        itself.
      returned: when asked for
      type: dict
      contains:
        files:
          description: The managed files, then those of O(files) in the same order.
          returned: always
          type: list
          elements: dict
          contains:
            path:
              description: Path as asked for.
              returned: always
              type: str
            sha256:
              description: SHA-256 of the content in hexadecimal; null if there is no such file.
              returned: always
              type: str
            owner:
              description: Name of the owner, or its number.
              returned: always
              type: str
            group:
              description: Name of the group, or its number.
              returned: always
              type: str
            mode:
              description: Permissions as octal text, for example V(0644).
              returned: always
              type: str
            link:
              description: Target if the path is a symbolic link.
              returned: always
              type: str
            text:
              description: Content of a small text file that the roles write; null for all other files.
              returned: always
              type: str
        recorded_release:
          description: Release in C(/var/lib/instinct/release.json); null if none was recorded.
          returned: always
          type: str
        journal:
          description: The last entries of C(/var/lib/instinct/journal.jsonl), oldest first. Lines that are none are
            left out, as a line that a crash tore.
          returned: always
          type: list
          elements: dict
          contains:
            when:
              description: When it was done, in ISO 8601.
              returned: always
              type: str
            who:
              description: Who ran it.
              returned: always
              type: str
            what:
              description: What it was about, for example the role.
              returned: always
              type: str
            before:
              description: What it was before.
              returned: always
              type: str
            after:
              description: What it is since then.
              returned: always
              type: str
            result:
              description: How it ended.
              returned: always
              type: str
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    host:
      description: What the platform and the operating system give the GPUs.
      returned: when asked for
      type: dict
      contains:
        iommu_groups:
          description: How many IOMMU groups there are. 0 means that no IOMMU is in use.
          returned: always
          type: int
        iommu_types:
          description: Types of the groups that GPUs are in, for example V(identity) or V(DMA-FQ).
          returned: always
          type: list
          elements: str
        devices:
          description: The GPUs, then the bridges and ports between them and the root complex.
          returned: always
          type: list
          elements: dict
          contains:
            bdf:
              description: PCI address.
              returned: always
              type: str
            vendor:
              description: PCI vendor id, for example V(1002).
              returned: always
              type: str
            device:
              description: PCI device id.
              returned: always
              type: str
            kind:
              description: V(gpu), V(bridge) or V(root_port).
              returned: always
              type: str
            above:
              description: PCI address of the bridge above; null below the root complex.
              returned: always
              type: str
            link:
              description: The link to what is above it, as trained now and as it could be.
              returned: always
              type: dict
              contains:
                width:
                  description: Lanes in use.
                  returned: always
                  type: int
                max_width:
                  description: Lanes that it has.
                  returned: always
                  type: int
                speed_mts:
                  description: Speed in use, in MT/s.
                  returned: always
                  type: int
                max_speed_mts:
                  description: Highest speed, in MT/s.
                  returned: always
                  type: int
            bars:
              description: Sizes in bytes of the memory BARs that have an address, in their order.
              returned: always
              type: list
              elements: int
            bars_unplaced:
              description: Sizes in bytes of the memory BARs that have no address; -1 for a size that nothing tells.
              returned: always
              type: list
              elements: int
            acs:
              description: ACS control register; null if it has none, or it could not be read.
              returned: always
              type: int
            atomics:
              description: Atomics that it routes or completes, bits 6 to 9 of the device capabilities 2 register.
              returned: always
              type: int
            atomics_requested:
              description: Whether it may send atomics, bit 6 of the device control 2 register.
              returned: always
              type: bool
            aer_correctable:
              description: Corrected errors that the kernel counted for it, all kinds together.
              returned: always
              type: int
            aer_fatal:
              description: Uncorrected errors that the kernel counted for it, fatal or not, all kinds together.
              returned: always
              type: int
        cpu_vendor:
          description: C(vendor_id) of C(/proc/cpuinfo), for example V(AuthenticAMD).
          returned: always
          type: str
        cpus:
          description: Logical CPUs that are online.
          returned: always
          type: int
        memory_bytes:
          description: Memory of the node.
          returned: always
          type: int
        numa_nodes:
          description: NUMA nodes that are online.
          returned: always
          type: int
        numa_balancing:
          description: C(kernel.numa_balancing).
          returned: always
          type: int
        transparent_hugepages:
          description: V(always), V(madvise) or V(never).
          returned: always
          type: str
        hugepages_bytes:
          description: Memory that is reserved as huge pages, of all sizes.
          returned: always
          type: int
        sysctls:
          description: Kernel settings that matter to GPUs and RDMA, with their numbers.
          returned: always
          type: dict
        limits:
          description: Limits of the daemons that start jobs, and of process 1.
          returned: always
          type: list
          elements: dict
          contains:
            process:
              description: Name of the process, for example V(slurmd).
              returned: always
              type: str
            pid:
              description: Its process id.
              returned: always
              type: int
            memlock_bytes:
              description: Memory that it may lock, in bytes; -1 means no limit.
              returned: always
              type: int
            open_files:
              description: Files that it may have open; -1 means no limit.
              returned: always
              type: int
        drm_devices:
          description: Driver to the render and card nodes that it has.
          returned: always
          type: dict
        drm_minors:
          description: Minors of DRM in use, of the kind that has the most. Old kernels have 64 of each kind.
          returned: always
          type: int
        kernel_config:
          description: Options of the running kernel that matter, for example C(CONFIG_PCI_P2PDMA) to V(y), V(m) or
            V(n).
          returned: always
          type: dict
        loaded_modules:
          description: Loaded kernel modules, of those that matter.
          returned: always
          type: list
          elements: str
        rdma:
          description: Ports of RDMA devices.
          returned: always
          type: list
          elements: dict
          contains:
            device:
              description: Name of the device, for example V(mlx5_0).
              returned: always
              type: str
            port:
              description: Number of the port.
              returned: always
              type: int
            driver:
              description: Driver of the device.
              returned: always
              type: str
            link_layer:
              description: V(InfiniBand) or V(Ethernet).
              returned: always
              type: str
            state:
              description: Logical state, for example V(ACTIVE) or V(DOWN).
              returned: always
              type: str
            physical:
              description: Physical state, for example V(LinkUp) or V(Polling).
              returned: always
              type: str
            rate_gbps:
              description: Rate in Gb/s.
              returned: always
              type: int
            counters:
              description: Error counters of the port.
              returned: always
              type: dict
            net_device:
              description: Network device of the port.
              returned: always
              type: str
        clock:
          description: The node's clock.
          returned: always
          type: dict
          contains:
            epoch:
              description: When the look was taken, in seconds since 1970.
              returned: always
              type: float
            synchronized:
              description: Whether the kernel holds its clock to be synchronized.
              returned: always
              type: bool
            booted:
              description: When this boot began, in seconds since 1970.
              returned: always
              type: float
        lockdown:
          description: "Lockdown of the kernel: V(none), V(integrity) or V(confidentiality)."
          returned: always
          type: str
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    log:
      description: What logs hold of the patterns that O(log_patterns) asks for.
      returned: when asked for
      type: dict
      contains:
        read:
          description: Logs that were read.
          returned: always
          type: list
          elements: dict
          contains:
            where:
              description: V(kernel), V(dkms) or V(packages).
              returned: always
              type: str
            origin:
              description: V(kmsg), V(journal), V(dmesg), or the path of a file.
              returned: always
              type: str
            lines:
              description: Lines that were read.
              returned: always
              type: int
            complete:
              description: Whether it reaches back to the start of this boot; null if that cannot be told.
              returned: always
              type: bool
            boots:
              description: How many boots it has. Only the last one counts unless O(log_boots=all).
              returned: always
              type: int
        hits:
          description: Lines that a pattern met, taken together by subject and by what is to be kept apart.
          returned: always
          type: list
          elements: dict
          contains:
            id:
              description: C(id) of the pattern.
              returned: always
              type: str
            where:
              description: Kind of log.
              returned: always
              type: str
            origin:
              description: Log that it is in.
              returned: always
              type: str
            subject:
              description: PCI address, or V(node).
              returned: always
              type: str
            count:
              description: How many lines.
              returned: always
              type: int
            first:
              description: Number of the first line in that log, from 0.
              returned: always
              type: int
            last:
              description: Number of the last line.
              returned: always
              type: int
            groups:
              description: Named groups of the pattern in the last line.
              returned: always
              type: dict
            sums:
              description: Groups that begin with C(new_), added up over all lines.
              returned: always
              type: dict
            sample:
              description: The first and the last line, cut to 300 characters.
              returned: always
              type: list
              elements: str
            first_time:
              description: Time of the first line as the log has it; empty if it has none.
              returned: always
              type: str
            last_time:
              description: Time of the last line.
              returned: always
              type: str
            followed:
              description: C(id) of a pattern in C(followed_by) to the smallest number of lines from a line of this one
                to the next of that, with no other line of this pattern between them.
              returned: always
              type: dict
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    settings:
      description: Where the names of O(setting_names) are set.
      returned: when asked for
      type: dict
      contains:
        settings:
          description: One entry for each place.
          returned: always
          type: list
          elements: dict
          contains:
            name:
              description: The name that was asked for.
              returned: always
              type: str
            value:
              description: Its value; null for a flag, or for a file that is there.
              returned: always
              type: str
            kind:
              description: Kind of the name, as asked for.
              returned: always
              type: str
            file:
              description: Path of the file.
              returned: always
              type: str
            line:
              description: Number of the line, from 1.
              returned: always
              type: int
            holder:
              description: Unit, container or service that it is for.
              returned: always
              type: str
        files:
          description: How many files were read.
          returned: always
          type: int
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    health:
      description: Health of the GPUs as they are now. It takes 0.1 s longer, for all GPUs together, where the library
        can tell what throttles them.
      returned: when asked for
      type: dict
      contains:
        gpus:
          description: Physical GPUs in the order of their PCI addresses. A partition has no health of its own.
          returned: always
          type: list
          elements: dict
          contains:
            bdf:
              description: PCI address, for example V(0000:05:00.0).
              returned: always
              type: str
            temperatures_c:
              description: Sensor to temperature in degrees Celsius. V(edge), V(hotspot), V(memory), V(hbm_0) to
                V(hbm_3). Products since MI300 have no V(edge).
              returned: always
              type: dict
            limits_c:
              description: Sensor to the critical temperature that the GPU itself names, in degrees Celsius.
              returned: always
              type: dict
            power_w:
              description: Power that the socket draws, in watts.
              returned: always
              type: int
            power_cap_w:
              description: Power cap in watts.
              returned: always
              type: int
            power_cap_default_w:
              description: Power cap of the product in watts.
              returned: always
              type: int
            clocks:
              description: Clock domain V(gfx), V(memory) or V(soc) to C(current_mhz), C(min_mhz) and C(max_mhz), in
                MHz.
              returned: always
              type: dict
            performance_level:
              description: Performance level in the words of the kernel, for example V(auto) or V(manual).
              returned: always
              type: str
            throttled:
              description: What can hold the GPU back to whether it does now. V(prochot), V(ppt), V(socket_thermal),
                V(vr_thermal), V(hbm_thermal). Needs library 24.7, and MI300 or later.
              returned: always
              type: dict
            throttled_percent:
              description: The same to its share of the sampling window in percent.
              returned: always
              type: dict
            blocks:
              description: RAS block such as V(umc) or V(gfx) to its counters C(correctable), C(uncorrectable) and
                C(deferred) since the driver was loaded. A block without RAS is not there.
              returned: always
              type: dict
            ras_blocks:
              description: Blocks whose RAS is enabled.
              returned: always
              type: list
              elements: str
            pages:
              description: Memory pages that are out of use. Needs root.
              returned: always
              type: dict
              contains:
                retired:
                  description: Pages that are out of use.
                  returned: always
                  type: int
                pending:
                  description: Pages that the next reset of the GPU takes out of use.
                  returned: always
                  type: int
                unreservable:
                  description: Pages that should be out of use and could not be reserved.
                  returned: always
                  type: int
                threshold:
                  description: Number of bad pages at which the driver takes the GPU for broken.
                  returned: always
                  type: int
            cper:
              description: Error records that the driver keeps of the GPU (CPER), oldest first, the last 64. Needs root
                and MI300. Libraries before 26.5 answer an empty ring with an error, which is unknown.
              returned: always
              type: list
              elements: dict
              contains:
                severity:
                  description: V(fatal), V(non_fatal_uncorrected) or V(non_fatal_corrected).
                  returned: always
                  type: str
                epoch:
                  description: When it happened, in seconds since 1970; null if the record has no time.
                  returned: always
                  type: float
                afids:
                  description: Numbers by which AMD names the fault (AFID).
                  returned: always
                  type: list
                  elements: int
            pcie_replays:
              description: Packets that were sent again on the PCIe link.
              returned: always
              type: int
            pcie_recoveries:
              description: Times that the PCIe link went from L0 to recovery.
              returned: always
              type: int
            pcie_naks:
              description: Packets of the PCIe link that were refused, sent and received.
              returned: always
              type: int
            xgmi_links:
              description: XGMI links in order. V(up), V(down) or V(absent). Empty outside a hive.
              returned: always
              type: list
              elements: str
            xgmi_error:
              description: Always null, since reading XGMI errors clears them and a look changes nothing. Errors of
                links are counted in C(blocks) under V(xgmi_wafl).
              returned: always
              type: int
            vram_used_bytes:
              description: Memory in use, in bytes.
              returned: always
              type: int
            vram_total_bytes:
              description: Size of the memory in bytes.
              returned: always
              type: int
            gfx_activity_percent:
              description: Share of time in which the compute engines were busy, in percent.
              returned: always
              type: int
            memory_activity_percent:
              description: The same of the memory controllers.
              returned: always
              type: int
            unknown:
              description: Field of this GPU to the reason why it could not be read. A field that is null, empty or not
                in its mapping and has no entry here is something that the GPU does not have.
              returned: always
              type: dict
        source:
          description: V(amdsmi) or V(sysfs), whichever answered for the GPUs; null if none did.
          returned: always
          type: str
        pids:
          description: Processes that the library lists on any GPU; null if it did not answer. Compare with
            C(processes), which is KFD's own list.
          returned: always
          type: list
          elements: int
        driver_version:
          description: Version of the driver that the library states; null if it did not answer, and for the driver of
            the kernel, which has none.
          returned: always
          type: str
        driver_in_tree:
          description: Whether the library shows the kernel's own driver, by giving the text of C(/proc/version) instead
            of a version.
          returned: always
          type: bool
        unknown:
          description: Field path in this section to the reason why it could not be read. A field that is null without
            an entry here is absent on the node.
          returned: always
          type: dict
    elapsed_ms:
      description: Section to the wall time that reading it took, in milliseconds. Sections of one group share what
        they read, so the first of them carries the time.
      returned: always
      type: dict
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._core.look.shape import ALL_SECTIONS, SECTIONS
from ..module_utils._core.plan.managed import MANAGED_FILES
from ..module_utils._look.entry import look
from ..module_utils._look.wanted import Wanted

_WHERE = ["kernel", "dkms", "packages", "container", "library", "tool"]
_KINDS = ["environment", "module_parameter", "kernel_parameter", "file", "sysfs", "command"]
_TEXT = {"type": "str", "required": True}
_TEXTS = {"type": "list", "elements": "str", "required": True}
_MAYBE = {"type": "list", "elements": "str", "default": []}


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        argument_spec={
            "sections": {"type": "list", "elements": "str", "choices": list(ALL_SECTIONS)},
            "files": {"type": "list", "elements": "path", "default": []},
            "packages": {"type": "list", "elements": "str", "default": []},
            "log_patterns": {"type": "list", "elements": "dict", "default": [], "options": {
                "id": _TEXT, "where": {**_TEXT, "choices": _WHERE}, "words": _TEXTS, "patterns": _TEXTS,
                "keep": _MAYBE, "followed_by": _MAYBE}},
            "log_boots": {"type": "str", "choices": ["this", "all"], "default": "this"},
            "setting_names": {"type": "list", "elements": "dict", "default": [], "options": {
                "name": _TEXT, "kind": {**_TEXT, "choices": _KINDS}}},
            "timeout": {"type": "int", "default": 30},
        },
        supports_check_mode=True,
    )
    asked = module.params
    look(module, SECTIONS if asked["sections"] is None else asked["sections"], Wanted(
        (*MANAGED_FILES, *asked["files"]), tuple(asked["packages"]), tuple(asked["log_patterns"]), asked["log_boots"],
        tuple(asked["setting_names"])))


if __name__ == "__main__":
    main()
