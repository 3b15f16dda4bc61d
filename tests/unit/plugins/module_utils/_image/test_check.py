# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images and containers of a fabricated node, judged."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.judge import Judgement
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.running import Device, Needs, Running
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import VerbsDevice
from ansible_collections.instinct.fleet.plugins.module_utils._image import check as checking
from ansible_collections.instinct.fleet.plugins.module_utils._image.check import Subject, check, on_node
from ansible_collections.instinct.fleet.plugins.module_utils._image.tools import Tools
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.tests.unit.support.containers import NIC, checks, host
from ansible_collections.instinct.fleet.tests.unit.support.image_trees import IONIC, LIB, image_tree
from ansible_collections.instinct.fleet.tests.unit.support.providers import provider

LABELS = {"io.github.instinct-fleet.layer.key": "a" * 64, "io.github.instinct-fleet.rocm": "7.2.3",
          "io.github.instinct-fleet.verbs-abi": "ionic=4"}

ALL = Needs()


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., None]:
    """The node has these RDMA devices; at first a NIC with ABI 4."""
    def put(*found: VerbsDevice) -> None:
        monkeypatch.setattr(checking.verbs, "devices", lambda _machine: found)
    put(NIC)
    return put


def judged(subject: Subject, needs: Needs = ALL) -> Judgement:
    return check(subject, on_node(host(verbs=()), 20), needs, checks(), 20)


def of_tree(root: pathlib.Path, needs: Needs = ALL) -> list[str]:
    return [one.id for one in judged(Subject(rootfs=str(root)), needs).findings]


def test_the_good_image_passes(tmp_path: pathlib.Path, devices: t.Any) -> None:
    found = judged(Subject(rootfs=str(image_tree(tmp_path))))
    assert (found.findings, found.unknown, found.verdict) == ((), {}, "pass")


def test_an_image_trimmed_of_its_providers(tmp_path: pathlib.Path, devices: t.Any) -> None:
    root = image_tree(tmp_path)
    (root / IONIC[1:]).unlink()
    assert of_tree(root) == ["image-provider-absent"]
    assert of_tree(root, Needs(rdma=False)) == []


def test_an_image_with_a_provider_that_is_too_old(tmp_path: pathlib.Path, devices: t.Any) -> None:
    root = image_tree(tmp_path)
    (root / IONIC[1:]).write_bytes(provider("ionic", 1, 1))
    found = judged(Subject(rootfs=str(root)))
    assert [(one.id, one.summary) for one in found.findings] == [
        ("image-provider-old", f"RDMA device ionic_0: {IONIC} speaks ABI 1, and the kernel's driver has 4")]
    assert found.findings[0].why.remedy.startswith("install in the image the provider that belongs to the node's driver")
    devices(VerbsDevice("ionic_0", "uverbs0", "ionic", 1))
    assert of_tree(root) == []


@pytest.mark.parametrize(("changes", "ident"), [
    ({"gid": 105}, "image-render-group"), ({"rocm": "7.2.3"}, "image-rocm-window")])
def test_an_image_that_does_not_fit_the_node(tmp_path: pathlib.Path, devices: t.Any, changes: dict[str, t.Any], ident: str) -> None:
    assert of_tree(image_tree(tmp_path, **changes)) == [ident]


def test_an_image_without_code_for_the_gpus(tmp_path: pathlib.Path, devices: t.Any) -> None:
    root = image_tree(tmp_path)
    for path in (root / "opt/rocm-7.0.2/lib/rocblas/library").glob("*gfx942*"):
        path.unlink()
    assert of_tree(root) == ["image-gfx"]


def test_devices_that_cannot_be_read_are_unknown(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_machine: t.Any) -> t.NoReturn:
        raise UnreadableError("no /sys")
    monkeypatch.setattr(checking.verbs, "devices", refuse)
    found = judged(Subject(rootfs=str(image_tree(tmp_path))))
    assert (found.findings, found.unknown) == ((), {"verbs": "no /sys"})


def test_an_image_of_the_store_is_mounted_while_it_is_read(tmp_path: pathlib.Path, devices: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    answers = {"images": f'[{{"Id": "{"c" * 64}", "Names": ["localhost/site/rocm:1"], "Size": 1, "Created": 1}}]',
               "image": f"{image_tree(tmp_path)}\n"}
    monkeypatch.setattr(Tools, "run", lambda _self, _where, *argv: answers[argv[1]])
    monkeypatch.setattr(Tools, "tried", lambda _self, *argv: asked.append(argv) or True)
    assert judged(Subject(image="localhost/site/rocm:1")).verdict == "pass"
    monkeypatch.setattr(checking, "contents", lambda *_args: (_ for _ in ()).throw(RuntimeError))
    with contextlib.suppress(RuntimeError):
        judged(Subject(image="localhost/site/rocm:1"))
    assert asked == [("podman", "image", "unmount", "c" * 64)] * 2


def test_a_container_is_judged_with_its_tree(tmp_path: pathlib.Path, devices: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    root = image_tree(tmp_path, rocm="7.2.3")
    real = checking.contents
    monkeypatch.setattr(checking.container, "first_process", lambda *_args: 4711)
    monkeypatch.setattr(checking, "contents", lambda path, seconds: real(str(root), seconds) if path == "/proc/4711/root" else None)
    seen = Running({"/dev/kfd": Device(0, 0, 0o666)}, memlock_bytes=-1)
    monkeypatch.setattr(checking.container, "running", lambda _machine, pid: seen if pid == 4711 else None)
    ended: list[tuple[int, str]] = []
    monkeypatch.setattr(checking.container, "refuse_ended", lambda _machine, pid, name: ended.append((pid, name)))
    found = judged(Subject(container="web"), Needs(("0000:05:00.0",)))
    assert [one.id for one in found.findings] == ["image-rocm-window", "container-gpus", "container-rdma"]
    assert ended == [(4711, "web")]


def test_a_container_that_ends_while_it_is_read_lacks_nothing(devices: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking.container, "first_process", lambda *_args: 1 << 22 | 5)  # of nobody: more than kernels give
    with pytest.raises(FleetError, match=r"^container web: ended while it was read"):
        judged(Subject(container="web"))


def test_an_ordinary_image_without_gpus_passes_where_it_needs_no_rdma(tmp_path: pathlib.Path, devices: t.Any) -> None:
    """As debian:12, which has neither libibverbs nor ROCm nor a group render."""
    root = image_tree(tmp_path)
    for path in ("opt", "etc/libibverbs.d", LIB[1:]):
        shutil.rmtree(root / path)
    (root / "etc/group").write_text("root:x:0:\nvideo:x:44:\n")
    found = judged(Subject(rootfs=str(root)), Needs(rdma=False))
    assert (found.findings, found.unknown, found.verdict) == ((), {}, "pass")
    assert of_tree(root) == ["image-rdma-absent"]


def test_labels_are_enough_before_a_pull(devices: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [one.id for one in judged(Subject(labels=LABELS)).findings] == ["image-rocm-window"]
    monkeypatch.setattr(checking.labelled, "labels", lambda path: LABELS if path == "/a.tar" else {})
    assert [one.id for one in judged(Subject(archive="/a.tar")).findings] == ["image-rocm-window"]
    assert judged(Subject(labels={})).verdict == "unknown"
    # As YAML has them, where nobody put them in quotes.
    loose: dict[str, t.Any] = {**LABELS, "io.github.instinct-fleet.render-gid": 105, "io.github.instinct-fleet.gfx": None}
    found = judged(Subject(labels=loose))
    assert [one.id for one in found.findings] == ["image-rocm-window", "image-render-group"] and "gfx" in found.unknown


def test_what_is_no_directory_is_refused(tmp_path: pathlib.Path, devices: t.Any) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "none", tmp_path / "pipe"):
        with pytest.raises(FleetError, match="is not a directory"):
            judged(Subject(rootfs=str(path)))
