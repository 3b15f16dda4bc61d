# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-in libraries of RDMA: real ELF files with a struct verbs_device_ops, for ranges that no distribution ships."""

from __future__ import annotations

import functools
import os
import pathlib
import subprocess
import tempfile

# What a provider calls and libibverbs offers. source: linux-rdma/rdma-core:libibverbs/driver.h, libibverbs.map.in
_LIBIBVERBS = "void ibv_get_device_list(void) {} void verbs_register_driver_%(private)d(const void *ops) { (void)ops; }"
_MAP = "IBVERBS_1.1 { global: ibv_get_device_list; };\nIBVERBS_PRIVATE_%(private)d { global: verbs_register_driver_%(private)d; };\n"
_PROVIDER = """
struct match { void *data; const char *modalias; unsigned short vendor, device; unsigned char kind; };
struct ops { const char *name; unsigned least, greatest; const struct match *table; void *calls[8]; };
static const struct match table[] = {{0, "*", 0, 0, 2}, {0}};  /* any device, by its modalias */
static const struct ops registered = {"%(name)s", %(least)du, %(greatest)du, table, {0}};
static const struct { const char *name; unsigned one, two; void *nothing; const char *other; } decoy = {"%(name)s", 7u, 9u, 0, "other"};
extern void verbs_register_driver_%(private)d(const void *ops);
const void *volatile kept;
__attribute__((constructor)) static void enter(void) { kept = &decoy; verbs_register_driver_%(private)d(&registered); }
"""


@functools.cache
def libibverbs(private: int = 34) -> bytes:
    """A libibverbs.so.1 that offers one private interface."""
    with tempfile.TemporaryDirectory() as folder:
        return _libibverbs(pathlib.Path(folder), private).read_bytes()


@functools.cache
def provider(name: str, least: int, greatest: int, private: int = 34, *arguments: str) -> bytes:
    """A provider that speaks a range of ABIs. ``arguments``: for the compiler."""
    with tempfile.TemporaryDirectory() as folder:
        core = _libibverbs(pathlib.Path(folder), private)
        words = {"name": name, "least": least, "greatest": greatest, "private": private}
        return _compiled(pathlib.Path(folder), f"lib{name}-rdmav{private}.so", _PROVIDER % words, str(core), *arguments).read_bytes()


def _libibverbs(folder: pathlib.Path, private: int) -> pathlib.Path:
    versions = folder / "versions.map"
    versions.write_text(_MAP % {"private": private})
    return _compiled(folder, "libibverbs.so.1", _LIBIBVERBS % {"private": private}, f"-Wl,--version-script={versions}",
                     "-Wl,-soname,libibverbs.so.1")


def _compiled(folder: pathlib.Path, name: str, source: str, *arguments: str) -> pathlib.Path:
    code = folder / f"{name}.c"
    code.write_text(source)
    made = folder / name
    subprocess.run([os.environ.get("CC") or "cc", "-shared", "-fPIC", "-O1", "-nostdlib", "-o", str(made), str(code), *arguments], check=True)
    return made
