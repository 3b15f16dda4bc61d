# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real images with real libraries: what is wrong is found without running them, and libibverbs in them agrees."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from pathlib import Path

import playbook
import pytest
from layered import built, definition, render_gid
from partitioned import result

testinfra_hosts = ["ansible://img-a"]
NODE, GPU = "img-a", "0000:a6:00.0"
HERE, ROOT = (Path(os.environ[name]) for name in ("MOLECULE_SCENARIO_DIRECTORY", "MOLECULE_PROJECT_DIRECTORY"))
LIB = "/usr/lib/x86_64-linux-gnu"
# The good image in working containers, each with something done to its tree; one is made an image of its own.
FAULTY = {
    "good": ":",
    "trimmed": f"rm -r $tree{LIB}/libibverbs $tree/etc/libibverbs.d",
    "old": f"cp --remove-destination /srv/images/old.so $tree{LIB}/libibverbs/libmlx5-rdmav34.so; "
           "buildah commit --quiet old localhost/faulty/old:1",
    "misfit": "sed -i 's/^render:x:[0-9]*:/render:x:4242:/' $tree/etc/group; "
              "mkdir -p $tree/opt/rocm/.info $tree/opt/rocm/lib; echo 5.7.1-1 > $tree/opt/rocm/.info/version; "
              "touch $tree/opt/rocm/lib/TensileLibrary_gfx90a.co",
    "fit": "mkdir -p $tree/opt/rocm/.info $tree/opt/rocm/lib; echo 7.0.2-56 > $tree/opt/rocm/.info/version; "
           "touch $tree/opt/rocm/lib/TensileLibrary_gfx942.co",
}
OURS = "io.github.instinct-fleet."
LABELS = {f"{OURS}layer.key": "a" * 64, f"{OURS}rocm": "5.7.1", f"{OURS}gfx": "gfx90a",
          f"{OURS}verbs-abi": "mlx5=1"}
MAKE = "set -eu; buildah from --name {name} {good}; tree=$(buildah mount {name}); {fault}"


def old_provider() -> bytes:
    """A provider of mlx5 that speaks an ABI of the past, and loads."""
    spec = importlib.util.spec_from_file_location("providers", ROOT / "tests/unit/support/providers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.provider("mlx5", 0, 0)


@pytest.fixture(scope="module")
def good(host, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An image that works on the node, which has a NIC; and beside it the faulty ones."""
    folder = tmp_path_factory.mktemp("good")
    tag = built(host, folder, definition(host, "duo", rocm=False))[0]["tag"]
    (folder / "old.so").write_bytes(old_provider())
    subprocess.run(["podman", "cp", folder / "old.so", f"{NODE}:/srv/images/old.so"], check=True)
    for name, fault in FAULTY.items():
        host.run_expect([0], MAKE.format(good=tag, fault=fault, name=name))
    host.check_output("instinct-sim fault nic family=mlx5 abi=1")
    yield tag
    host.check_output(f"instinct-sim heal; podman rm --force --time 0 one nobody; buildah rm {' '.join(FAULTY)}; "
                      "podman rmi --force localhost/faulty/old:1")


def checked(*subjects: dict) -> list[dict]:
    ran = playbook.run(str(HERE / "check.yml"), NODE, {"subjects": list(subjects)})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return result(ran, "Does it work here?")["results"]


def told(said: dict) -> tuple[str, list[str]]:
    return said["verdict"], [one["id"] for one in said["findings"]]


def verbs(host, name: str) -> str:
    """What libibverbs of an image says of the devices in /sys."""
    return host.check_output(f"buildah run --isolation chroot {name} ibv_devices 2>&1")


def test_the_good_one_passes_and_what_is_wrong_with_others_is_found(host, good) -> None:
    trees = [host.check_output(f"buildah mount {name}") for name in ("trimmed", "misfit", "fit")]
    first, old, trimmed, misfit, fit, ours, others = checked(
        {"image": good}, {"image": "localhost/faulty/old:1"}, *({"rootfs": tree} for tree in trees),
        {"labels": LABELS}, {"labels": {"maintainer": "somebody"}})
    assert [(said["verdict"], said["findings"], said["unknown"]) for said in (first, fit)] == [("pass", [], {})] * 2
    assert told(trimmed) == ("fail", ["image-provider-absent"])
    assert told(old) == ("fail", ["image-provider-old"])
    assert told(misfit) == ("fail", ["image-rocm-window", "image-gfx", "image-render-group"])
    assert trimmed["findings"][0]["summary"] == "RDMA device mlx5_0: there is no provider mlx5"
    assert old["findings"][0]["summary"] == \
        f"RDMA device mlx5_0: {LIB}/libibverbs/libmlx5-rdmav34.so speaks ABI 0, and the kernel's driver has 1"
    assert misfit["findings"][2]["summary"] == \
        f"it gives number 4242 to the group render, and the devices of the node are of number {render_gid(host)}"
    findings = [one for said in (trimmed, old, misfit) for one in said["findings"]]
    assert all(one["remedy"] and one["cause"] and one["sources"] for one in findings)
    assert not any(said["changed"] for said in (first, trimmed, old, misfit, fit))
    assert host.check_output("podman image mount") == ""  # none is left mounted
    assert (told(ours), told(others)) == (("fail", ["image-rocm-window", "image-gfx"]), ("unknown", []))


def test_libibverbs_of_the_images_says_the_same(host, good) -> None:
    fine = verbs(host, "good")
    assert "mlx5_0" in fine and "does not support the kernel ABI" not in fine
    assert "Driver mlx5 does not support the kernel ABI of 1 (supports 0 to 0)" in verbs(host, "old")
    assert "mlx5_0" not in verbs(host, "trimmed").replace("'mlx5_0'", "").replace("/mlx5_0", "")


def test_a_real_provider_is_too_old_for_a_newer_driver(host, good) -> None:
    host.check_output("instinct-sim fault nic family=bnxt_re abi=6")
    said = checked({"image": good})[0]
    assert told(said) == ("fail", ["image-provider-old"])
    assert said["findings"][0]["summary"].endswith("libbnxt_re-rdmav34.so speaks ABI 1, and the kernel's driver has 6")
    assert "Driver bnxt_re does not support the kernel ABI of 6 (supports 1 to 1)" in verbs(host, "good")
    host.check_output("instinct-sim heal; instinct-sim fault nic family=mlx5 abi=1")


def test_a_container_that_runs_lacks_what_it_was_not_given(host, good) -> None:
    devices = "--device /dev/kfd --device /dev/dri/renderD168"
    start = f"podman run --detach --name {{}} {devices} --group-add {{}} {{}} {{}} sleep 600"
    host.check_output(start.format("one", render_gid(host), "--shm-size 64m", good))
    host.check_output(start.format("nobody", 4242, "--user 1234", good))
    alone = {"gpus": [GPU], "rdma": False}
    for_all, for_one, nobody = checked({"container": "one"}, {"container": "one"} | alone,
                                       {"container": "nobody"} | alone)
    assert told(for_all) == ("fail", ["container-gpus", "container-rdma", "container-environment",
                                      "container-memlock", "container-shm"])
    lost = for_all["findings"][0]["evidence"]
    assert "/dev/dri/renderD136 of GPU 0000:26:00.0" in lost and not [line for line in lost if GPU in line]
    assert told(for_one) == ("pass", [])
    # Root of a node, which is a container itself, may not look into processes of others.
    assert told(nobody)[0] == "unknown" and "devices" in nobody["unknown"]
