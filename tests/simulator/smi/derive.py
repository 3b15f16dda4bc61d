# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bindings of generations that no published one exists for, made of a published one that lies on this machine.

The published files stay as they are; a package around them takes names away, and warns of those that will go. Such a
binding is no vendor release, says so in its version and its words, is made where it is used, and is not passed on.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import typing as t
from pathlib import Path

HERE = Path(__file__).resolve().parent
INSIDE = "_as_published"
PACKAGE = '''# Made by the tests of instinct.fleet. This is NO release of AMD's.
"""Derived from the published amdsmi {published}: {source}."""

import functools
import sys
import warnings

from . import {inside}, amdsmi_interface, amdsmi_wrapper
from .{inside} import *
from ._version import __version__

DERIVED_FROM = "{published}"
_PLACES = (sys.modules[__name__], {inside}, amdsmi_interface)


def _warning(name, call):
    @functools.wraps(call)
    def deprecated(*arguments, **named):
        warnings.warn(f"{{name}} is deprecated and will be removed (derived)", DeprecationWarning, stacklevel=2)
        return call(*arguments, **named)
    return deprecated


def _raising(call):
    """The published call loses every error but one; asking first brings them back."""
    @functools.wraps(call)
    def asked(processor_handle):
        interface = amdsmi_interface
        if not isinstance(processor_handle, amdsmi_wrapper.amdsmi_processor_handle):
            raise AmdSmiParameterException(processor_handle, amdsmi_wrapper.amdsmi_processor_handle)
        profile, numbers = amdsmi_wrapper.amdsmi_accelerator_partition_profile_t(), (interface.ctypes.c_uint32 * 8)()
        status = amdsmi_wrapper.amdsmi_get_gpu_accelerator_partition_profile(
            processor_handle, interface.ctypes.byref(profile), numbers)
        if status != amdsmi_wrapper.AMDSMI_STATUS_NOT_SUPPORTED:
            interface._check_res(status)
        return call(processor_handle)
    return asked


for _name in {removed}:
    for _place in _PLACES:  # not in the wrapper: calls that stay end in the same symbols
        if hasattr(_place, _name):
            delattr(_place, _name)
for _name in {deprecated}:
    globals()[_name] = _warning(_name, globals()[_name])
if {repaired}:
    amdsmi_get_gpu_accelerator_partition_profile = _raising(amdsmi_get_gpu_accelerator_partition_profile)
'''


def bindings() -> dict[str, dict[str, t.Any]]:
    """The bindings that can be derived: name -> what they are made of."""
    data: dict[str, dict[str, t.Any]] = json.loads((HERE / "derived.json").read_text(encoding="utf-8"))
    return data


def _text(recipe: dict[str, t.Any]) -> str:
    """Text of the package."""
    return PACKAGE.format(
        inside=INSIDE,
        published=recipe["from"],
        source=recipe["source"],
        removed=recipe["removed"],
        deprecated=recipe["deprecated"],
        repaired=recipe["repaired"],
    )


def derive(name: str, published: Path, folder: Path) -> Path:
    """Make a derived binding in a folder from the folder of the published one; it is made anew if it would differ."""
    recipe = bindings()[name]
    text, version = _text(recipe), f'__version__ = "{recipe["library"]}+derived"\n'
    package = folder / "amdsmi"
    if (package / "__init__.py").exists() and (package / "__init__.py").read_text(encoding="utf-8") == text:
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        made = Path(temporary) / "made"
        leave = shutil.ignore_patterns("__pycache__", "*.so*")
        shutil.copytree(published / "amdsmi", made / "amdsmi", ignore=leave)
        (made / "amdsmi" / "__init__.py").rename(made / "amdsmi" / f"{INSIDE}.py")
        (made / "amdsmi" / "__init__.py").write_text(text, encoding="utf-8")
        (made / "amdsmi" / "_version.py").write_text(version, encoding="utf-8")
        with contextlib.suppress(OSError):  # another process was faster, and made the same
            if folder.exists():
                folder.rename(Path(temporary) / "old")
            made.rename(folder)
    return folder
