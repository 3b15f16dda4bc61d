#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module gpu_info: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_info
short_description: Read the GPUs of a node
description:
  - Reads the GPUs with their partitions, links and counters, their firmware, their device nodes, and the processes
    on them.
  - This is the GPU part of M(instinct.fleet.gpu_node_info) alone. Changes nothing.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
extends_documentation_fragment:
  - instinct.fleet._attributes.info_module
  - instinct.fleet._look
options:
  health:
    description: Whether to read the health of the GPUs too, which takes longer.
    type: bool
    default: false
seealso:
  - module: instinct.fleet.gpu_node_info
"""

EXAMPLES = r"""
- name: Read the GPUs
  instinct.fleet.gpu_info:
  register: node

- name: Read their health too
  instinct.fleet.gpu_info:
    health: true
  register: node

- name: Stop if a GPU is missing
  ansible.builtin.assert:
    that: node.look.gpus.gpus | length == 8
"""

RETURN = r"""
look:
  description: The sections about GPUs. All other sections of M(instinct.fleet.gpu_node_info) are null.
  returned: always
  type: dict
  contains:
    schema:
      description: Number of the form of this result.
      returned: always
      type: int
    firmware:
      description: Firmware of GPUs, baseboard and NICs.
      returned: always
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
    smi:
      description: "Which source answered about GPUs, and whether the vendor's binding and library belong together."
      returned: always
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
      returned: always
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
      returned: always
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
      returned: always
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

from ..module_utils._core.look.shape import GPU_SECTIONS
from ..module_utils._look.entry import look


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        argument_spec={
            "health": {"type": "bool", "default": False},
            "timeout": {"type": "int", "default": 30},
        },
        supports_check_mode=True,
    )
    look(module, (*GPU_SECTIONS, *(["health"] if module.params["health"] else [])))


if __name__ == "__main__":
    main()
