# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was made before of the same is taken from where it is kept; anything else is made."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile

import pytest
from simhost import images
from simmachine import recipe

TREE = recipe.HERE / "tree" / "usr" / "lib"


@pytest.fixture
def tool(tmp_path):
    """One of the scripts, with its folders below tmp_path and the real tool replaced by one that says what it was told."""
    (tmp_path / "kept").mkdir()

    def make(name, real):
        text = (TREE / "instinct-machine" / name).read_text(encoding="utf-8")
        for there, here in (("/usr/lib/instinct-machine/kept", "kept"), (f"/usr/bin/{name}.real", "real"),
                            (f"/usr/sbin/{name}.real", "real"), ("/etc/", "etc/"), ("/usr/share/", "share/")):
            text = text.replace(there, str(tmp_path / here) if here in ("kept", "real") else f"{tmp_path}/{here}")
        for path, content in (("real", f"#!/bin/sh\n{real}\n"), (name, text)):
            (tmp_path / path).write_text(content, encoding="utf-8")
            (tmp_path / path).chmod(0o755)
        return tmp_path / name

    return make


def run(*words):
    """What a command prints."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def sources(tmp_path):
    """A driver's sources, and their compiled module for one kernel, kept."""
    folder = tmp_path / "sources"
    folder.mkdir()
    for name, text in (("a.c", "int a;\n"), ("a.h", "\n"), ("Makefile", "obj-m := a.o\n")):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_driver_of_the_same_sources_is_not_compiled_again(tool, sources, tmp_path):
    make = tool("make", 'echo "real $*"')
    name = hashlib.sha256(b"int a;\n\nobj-m := a.o\n").hexdigest()[:16]
    (tmp_path / "kept" / f"{name}-6.12.ko").write_text("module", encoding="utf-8")
    words = ("-j2", "KERNELRELEASE=6.12", "-C", "/headers", f"M={sources}", "modules")
    assert "KEPT" in run(make, *words)
    assert (sources / "amdgpu.ko").read_text(encoding="utf-8") == "module"
    assert run(make, "-C", "/headers", f"M={sources}", "clean") == ""
    assert not (sources / "amdgpu.ko").exists()
    # For another kernel, of other sources, for another goal, after a real compilation: the real make.
    assert run(make, "KERNELRELEASE=6.1", f"M={sources}", "modules") == f"real KERNELRELEASE=6.1 M={sources} modules\n"
    assert run(make, "-f", "Makefile").startswith("real ")
    (sources / "a.h").write_text("#define A\n", encoding="utf-8")
    assert run(make, *words).startswith("real ")
    (sources / "a.o").touch()
    assert run(make, f"M={sources}", "clean").startswith("real ")


def test_an_initramfs_is_made_anew_when_its_files_have_changed(tool, tmp_path):
    for folder in ("etc/initramfs-tools", "share/initramfs-tools", "etc/modprobe.d"):
        (tmp_path / folder).mkdir(parents=True)
    count = tmp_path / "count"
    mkinitramfs = tool("mkinitramfs", f'echo made >> {count}; cp {count} "$2"')
    for kernel, change, made in (("6.1", "", 1), ("6.1", "", 1), ("6.12", "", 2), ("6.12", "deadly", 3), ("6.12", "", 3)):
        if change:
            (tmp_path / "etc/initramfs-tools" / change).write_text("x", encoding="utf-8")
        run(mkinitramfs, "-o", tmp_path / "out", kernel)
        assert (tmp_path / "out").read_text(encoding="utf-8").count("made") == made


def test_what_python_compiles_of_a_zip_file_is_kept_by_its_source(tmp_path):
    kept = tmp_path / "all" / sys.implementation.cache_tag
    text = (images.HERE / "tree/usr/lib/python3/dist-packages/instinct_kept.py").read_text(encoding="utf-8")
    (tmp_path / "keeper.py").write_text(text.replace("/var/cache/instinct-sim", str(tmp_path / "all")), encoding="utf-8")

    def value(source):
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
            archive.writestr("sent.py", source)
        code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(tmp_path / 'a.zip')!r}]; import keeper, sent; print(sent.X)"
        return run(sys.executable, "-c", code).strip()

    assert [value("X = 1"), value("X = 2"), value("X = 1")] == ["1", "2", "1"]
    assert len(list(kept.iterdir())) == 2
    # Half a file, as a power cut leaves it, is no code.
    for path in kept.iterdir():
        path.write_bytes(b"\0" * 8)
    assert value("X = 1") == "1"
