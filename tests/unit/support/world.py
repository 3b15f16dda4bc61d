# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node as a value: a bare Debian with GPUs, and what each step of a plan does to it.

The effects are those of apt, dpkg, DKMS, GRUB and modprobe as observed on simulated nodes, so that a plan can be
carried out and looked at again without a node.
"""

from __future__ import annotations

import dataclasses as dc
import hashlib
import re

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import MANAGED_FILES
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan, Step
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.versions import parse_driver_package

from . import rocm_world

KERNEL = "6.1.0-56-amd64"
MENU = "Advanced options for Debian GNU/Linux>Debian GNU/Linux, with Linux "


def package(name: str, version: str, state: str = "installed") -> lk.Package:
    """One package."""
    return lk.Package(name, version, "amd64", state)


def in_tree(kernel: str) -> lk.OnDisk:
    """The kernel's own amdgpu, which has no version."""
    path = f"/lib/modules/{kernel}/kernel/drivers/gpu/drm/amd/amdgpu/amdgpu.ko"
    return lk.OnDisk(kernel, path, "in_tree", None, f"INTREE{kernel}")


def dkms_built(kernel: str, version: str) -> lk.OnDisk:
    """amdgpu as DKMS builds it: the same module version for several builds, another srcversion for each."""
    return lk.OnDisk(
        kernel,
        f"/lib/modules/{kernel}/updates/dkms/amdgpu.ko",
        "dkms",
        version.split("-", maxsplit=1)[0],
        f"SRC{version}",
    )


def gpu(index: int, device_id: str = "74a1", driver: str | None = None) -> lk.Gpu:
    """One GPU on the bus."""
    return lk.Gpu(index, f"0000:{0x05 + index:02x}:00.0", device_id, driver=driver)


def bare_node(
    kernel: str = KERNEL, version_id: str = "12", codename: str = "bookworm", gpus: int = 8, device_id: str = "74a1"
) -> lk.Look:
    """A freshly installed Debian: one kernel, no headers, no driver loaded."""
    return lk.Look(
        os=lk.Os(id="debian", version_id=version_id, codename=codename, architecture="x86_64", root=True),
        kernel=lk.Kernel(
            running=kernel,
            installed=(lk.InstalledKernel(kernel, f"/boot/vmlinuz-{kernel}", "x", False, True),),
            next_boot=kernel,
            next_boot_source="grub",
            boot_entries={kernel: MENU + kernel},
            secure_boot=False,
        ),
        packages=lk.Packages(
            manager="apt", installed=(package(f"linux-image-{kernel}", "6.1.1"), package("linux-image-amd64", "6.1.1"))
        ),
        repositories=lk.Repositories(),
        dkms=lk.Dkms(present=False),
        driver=lk.Driver(loaded=False, on_disk=(in_tree(kernel),)),
        boot=lk.Boot(tool="initramfs-tools", images=(lk.Initramfs(kernel, "x", 100, 50),), modprobe_time=50,
                     lockdown="none", key="/var/lib/dkms/mok.pub"),
        firmware=lk.Firmware(),
        rocm=lk.Rocm(),
        smi=lk.Smi(),
        gpus=lk.Gpus(tuple(gpu(i, device_id) for i in range(gpus))),
        devices=lk.Devices(groups={"render": 104, "video": 44}),
        processes=lk.Processes(),
        files=lk.Files(tuple(lk.ManagedFile(path) for path in MANAGED_FILES)),
    )


def actions(plan: Plan) -> list[str]:
    """The actions of a plan, in order."""
    return [step.action for step in plan.steps]


def carry_out(node: lk.Look, plan: Plan) -> lk.Look:
    """The node after all steps of a plan."""
    for step in plan.steps:
        node = _EFFECTS[step.action](node, step)
    return node


def reboot(node: lk.Look) -> lk.Look:
    """The node after a reboot: the next kernel runs, and its module is loaded."""
    assert node.kernel
    return _loaded(dc.replace(node, kernel=dc.replace(node.kernel, running=node.kernel.next_boot)))


def _loaded(node: lk.Look) -> lk.Look:
    disk = next(d for d in node.driver.on_disk if d.kernel == node.kernel.running)
    driver = dc.replace(
        node.driver,
        loaded=True,
        initstate="live",
        version=disk.version,
        srcversion=disk.srcversion,
        loaded_is_on_disk=True,
    )
    gpus = tuple(dc.replace(g, driver="amdgpu") for g in node.gpus.gpus)
    return dc.replace(node, driver=driver, gpus=lk.Gpus(gpus))


def _key(node: lk.Look, step: Step) -> lk.Look:
    keys = [k for k in node.repositories.keyrings if k.path != step.data["path"]]
    keys.append(lk.Key(step.data["path"], (step.data["fingerprint"],)))
    return dc.replace(node, repositories=dc.replace(node.repositories, keyrings=tuple(keys)))


def _file(node: lk.Look, step: Step) -> lk.Look:
    path, content = step.data["path"], step.data.get("content")
    digest = hashlib.sha256(content.encode()).hexdigest() if content is not None else None
    new = lk.ManagedFile(path)
    if digest:
        new = lk.ManagedFile(path, digest, "root", "root", step.data["mode"], text=content)
    sources = tuple(source for source in node.repositories.sources if source.file != path)
    return dc.replace(
        node,
        repositories=dc.replace(node.repositories, sources=sources),
        files=dc.replace(node.files, files=tuple(new if f.path == path else f for f in node.files.files)),
    )


def _with_packages(node: lk.Look, packages: dict[str, lk.Package], holds: set[str] | None = None) -> lk.Look:
    old = node.packages
    return dc.replace(
        node,
        packages=dc.replace(
            old, installed=tuple(packages.values()), holds=tuple(sorted(old.holds if holds is None else holds))
        ),
    )


def _install(node: lk.Look, step: Step) -> lk.Look:
    packages = {p.name: p for p in node.packages.installed}
    for item in step.data["packages"]:
        name, _eq, version = item.partition("=")
        assert name not in node.packages.holds, f"apt refuses to change the held package {name}"
        packages[name] = package(name, _concrete(version) if version else "1.0")
    node = _with_packages(node, packages)
    for name in step.data["names"]:
        if name.startswith("linux-headers-") and name[len("linux-headers-") :][0].isdigit():
            node = _kernel_installed(node, name[len("linux-headers-") :])
    if "amdgpu-dkms" in step.data["names"]:
        node = _dkms_installed(node, parse_driver_package(packages["amdgpu-dkms"].version).dkms_version)
    for name in step.data["names"]:
        node = rocm_world.installed(node, packages[name])
    return node


def _concrete(version: str) -> str:
    """A version that fits the pattern, as the repository would have it."""
    if re.fullmatch(r"\d+\.\d+\.\d+-\*", version):
        return version.replace("*", "3")
    if not version.startswith("*."):
        return version
    code = version[2:-2]
    numbers = f"{int(code[:-4])}.{int(code[-4:-2])}.{int(code[-2:])}"
    return f"{numbers}.{code}-56~22.04"


def _kernel_installed(node: lk.Look, release: str) -> lk.Look:
    kernels = {k.release: k for k in node.kernel.installed}
    kernels[release] = lk.InstalledKernel(release, f"/boot/vmlinuz-{release}", "x", True, True)
    if release not in {i.kernel for i in node.boot.images}:
        image = lk.Initramfs(release, "x", _tick(node), 0)
        node = dc.replace(node, boot=dc.replace(node.boot, images=(*node.boot.images, image)))
    entries = {**node.kernel.boot_entries, release: MENU + release} if node.kernel.boot_entries else {}
    driver = node.driver
    if release not in {d.kernel for d in driver.on_disk}:
        driver = dc.replace(driver, on_disk=(*driver.on_disk, in_tree(release)))
    return dc.replace(
        node,
        driver=driver,
        kernel=dc.replace(
            node.kernel,
            installed=tuple(kernels.values()),
            boot_entries=entries,
            next_boot=max(kernels) if entries else None,
        ),
    )


def _dkms_installed(node: lk.Look, version: str) -> lk.Look:
    """The package's prerm removed its old version everywhere; its postinst builds for the kernels with headers."""
    others = [m for m in node.dkms.modules if m.module != "amdgpu"]
    modules, disks = [], []
    for kernel in node.kernel.installed:
        if kernel.headers:
            modules.append(lk.DkmsModule("amdgpu", version, kernel.release, "x86_64", "installed"))
        disks.append(dkms_built(kernel.release, version) if kernel.headers else in_tree(kernel.release))
    return _disks(dc.replace(node, dkms=lk.Dkms(True, (*others, *modules))), disks)


def _tick(node: lk.Look) -> int:
    """A time after everything that has happened."""
    times = [(i.time, i.driver_time or 0) for i in node.boot.images]
    return max([node.boot.modprobe_time or 0, *(time for pair in times for time in pair)]) + 1


def _initramfs(node: lk.Look, step: Step) -> lk.Look:
    kernel, tick = step.data["kernel"], _tick(node)
    old = {i.kernel: i for i in node.boot.images}
    new = dc.replace(old.get(kernel, lk.Initramfs(kernel, "x", 0, 0)), time=tick)
    installed = (dc.replace(k, initrd="x") if k.release == kernel else k for k in node.kernel.installed)
    return dc.replace(node, boot=dc.replace(node.boot, images=tuple({**old, kernel: new}.values())),
                      kernel=dc.replace(node.kernel, installed=tuple(installed)))


def _unblacklist(node: lk.Look, step: Step) -> lk.Look:
    left = tuple(text for text in node.driver.blacklisted_by if not text.startswith("/"))
    return dc.replace(node, driver=dc.replace(node.driver, blacklisted_by=left),
                      boot=dc.replace(node.boot, modprobe_time=_tick(node)))


def _adopt(node: lk.Look, step: Step) -> lk.Look:
    modules = tuple(m for m in node.dkms.modules if m.version not in step.data.get("versions", ()))
    kernels = {m.kernel for m in node.dkms.modules if m not in modules}
    disks = [in_tree(d.kernel) if d.path in step.data["modules"] or d.kernel in kernels else d
             for d in node.driver.on_disk]
    return _disks(dc.replace(node, dkms=dc.replace(node.dkms, modules=modules)), disks)


def _evict(node: lk.Look, step: Step) -> lk.Look:
    return _with_packages(node, {p.name: p for p in node.packages.installed if p.name not in step.data["packages"]})


def _reinstall(node: lk.Look, step: Step) -> lk.Look:
    (item,) = step.data["packages"]
    assert not set(step.data["names"]) & set(node.packages.holds)
    assert not any(m.state == "broken" for m in node.dkms.modules), "scripts of packages fail at a broken tree"
    known = {m.kernel for m in node.dkms.modules}
    assert all(d.kernel in known for d in node.driver.on_disk if d.kind == "dkms"), "and at a module as new as theirs"
    return _dkms_installed(node, parse_driver_package(item.partition("=")[2]).dkms_version)


def _disks(node: lk.Look, disks: list[lk.OnDisk]) -> lk.Look:
    now = next(d for d in disks if d.kernel == node.kernel.running)
    changed = {d.kernel for d in disks} - {d.kernel for d in disks if d in node.driver.on_disk}
    tick = _tick(node)
    images = (dc.replace(i, driver_time=tick) if i.kernel in changed else i for i in node.boot.images)
    node = dc.replace(node, boot=dc.replace(node.boot, images=tuple(images)))
    same = node.driver.srcversion == now.srcversion if node.driver.loaded else None
    return dc.replace(node, driver=dc.replace(node.driver, on_disk=tuple(disks), loaded_is_on_disk=same))


def _build(node: lk.Look, step: Step) -> lk.Look:
    here = (step.data["version"], step.data["kernel"])
    if here in {(m.version, m.kernel) for m in node.dkms.modules} and not step.data["force"]:
        return node
    left = (m for m in node.dkms.modules if (m.version, m.kernel) not in (here, (here[0], None)))
    module = lk.DkmsModule("amdgpu", step.data["version"], step.data["kernel"], "x86_64", "installed")
    disks = [
        dkms_built(d.kernel, step.data["version"]) if d.kernel == step.data["kernel"] else d
        for d in node.driver.on_disk
    ]
    return _disks(dc.replace(node, dkms=lk.Dkms(True, (*left, module))), disks)


def _repair(node: lk.Look, step: Step) -> lk.Look:
    """dpkg --configure -a: what was half done is done."""
    whole = {p.name: dc.replace(p, state="installed") for p in node.packages.installed}
    node = _with_packages(node, whole)
    return dc.replace(node, packages=dc.replace(node.packages, broken=(), interrupted=False, torn_lists=()))


def _remove(node: lk.Look, step: Step) -> lk.Look:
    for name in step.data["packages"]:
        assert name not in node.packages.holds, f"apt refuses to remove the held package {name}"
    packages = {p.name: p for p in node.packages.installed if p.name not in step.data["packages"]}
    node = _with_packages(node, packages)
    if "amdgpu-dkms" not in step.data["packages"]:
        return rocm_world.removed(node)
    others = tuple(m for m in node.dkms.modules if m.module != "amdgpu")
    return _disks(dc.replace(node, dkms=lk.Dkms(True, others)), [in_tree(k.release) for k in node.kernel.installed])


def _forget(node: lk.Look, step: Step) -> lk.Look:
    modules = tuple(m for m in node.dkms.modules if m.version != step.data["version"])
    return dc.replace(node, dkms=dc.replace(node.dkms, modules=modules))


def _hold(node: lk.Look, step: Step) -> lk.Look:
    return _with_packages(
        node, {p.name: p for p in node.packages.installed}, set(node.packages.holds) | set(step.data["packages"])
    )


def _unhold(node: lk.Look, step: Step) -> lk.Look:
    return _with_packages(
        node, {p.name: p for p in node.packages.installed}, set(node.packages.holds) - set(step.data["packages"])
    )


def _boot(node: lk.Look, step: Step) -> lk.Look:
    return dc.replace(node, kernel=dc.replace(node.kernel, next_boot=step.after, boots_saved=True, boots_once="panic=30"))


def _group(node: lk.Look, step: Step) -> lk.Look:
    groups = {**node.devices.groups, step.data["name"]: step.data["gid"]}
    return dc.replace(node, devices=dc.replace(node.devices, groups=groups))


def _devices(node: lk.Look, step: Step) -> lk.Look:
    nodes = tuple(
        dc.replace(n, gid=node.devices.groups["render"], group="render") if n.gid in step.data["gids"] else n
        for n in node.devices.nodes
    )
    return dc.replace(node, devices=dc.replace(node.devices, nodes=nodes))


def _same(node: lk.Look, step: Step) -> lk.Look:
    return node


def _tools(node: lk.Look, step: Step) -> lk.Look:
    return _with_packages(node, {p.name: p for p in node.packages.installed} | {"dkms": package("dkms", "3.0")})


def _flash(node: lk.Look, step: Step) -> lk.Look:
    """The tasks of a site, with firmware that is active at once."""
    wanted = {d["bdf"]: d["wanted"][0] for d in step.data["devices"] if d["kind"] == "pldm"}
    gpus = tuple(dc.replace(g, bundle=wanted.get(g.bdf, g.bundle)) for g in node.firmware.gpus)
    return dc.replace(node, firmware=dc.replace(node.firmware, gpus=gpus))


_EFFECTS = {
    "flash": _flash,
    "available": _same,
    "key": _key,
    "file": _file,
    "boot_file": _file,
    "refresh": _same,
    "repair": _repair,
    "tools": _tools,
    "trial": _same,
    "install": _install,
    "build": _build,
    "remove": _remove,
    "forget": _forget,
    "mend": _forget,
    "adopt": _adopt,
    "aside": _adopt,
    "evict": _evict,
    "reinstall": _reinstall,
    "let_go": _unhold,
    "unblacklist": _unblacklist,
    "initramfs": _initramfs,
    "hold": _hold,
    "unhold": _unhold,
    "boot": _boot,
    "load": lambda node, step: _loaded(node),
    "group": _group,
    "devices": _devices,
    "ldconfig": lambda node, step: dc.replace(node, rocm=dc.replace(node.rocm, linker_stale=False)),
    "clear": rocm_world.clear,
    "activate": rocm_world.activate,
    "reboot": lambda node, step: reboot(node),
}
