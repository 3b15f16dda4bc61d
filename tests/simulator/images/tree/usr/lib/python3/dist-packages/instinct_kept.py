# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps what Python compiles of zip files, by the hash of the source: Ansible sends its modules so, each time anew.

Nodes of one host share the folder, so a name is made whole elsewhere and then takes its place.
"""

from __future__ import annotations

import _imp
import contextlib
import marshal
import os
import sys
import zipimport

FOLDER = f"/var/cache/instinct-sim/{sys.implementation.cache_tag}"
compile_source = zipimport._compile_source


def kept(path, source):
    """The code of a source."""
    name = f"{FOLDER}/{_imp.source_hash(0, source).hex()}-{len(source)}"
    with contextlib.suppress(OSError, EOFError, ValueError, TypeError), open(name, "rb") as file:
        code = marshal.load(file)
        if isinstance(code, type(kept.__code__)):  # else the power went while it was written
            return code
    code = compile_source(path, source)
    with contextlib.suppress(OSError):
        os.makedirs(FOLDER, exist_ok=True)
        with open(f"{name}.{os.urandom(8).hex()}", "wb") as file:
            marshal.dump(code, file)
        os.replace(file.name, name)
    return code


zipimport._compile_source = kept
