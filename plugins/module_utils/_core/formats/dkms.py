# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The output of ``dkms status`` in every form it has had."""

from __future__ import annotations

import dataclasses as dc
import re

from ..look.shape import DkmsModule

# dkms 1 and 2 print "name, version, kernel, arch: state", dkms 3 prints "name/version, kernel, arch: state".
# A module that is only registered has neither kernel nor architecture.
# source: ROCm/amdgpu-docs:docs/install/detailed-install/post-install.rst,
# amd/node-scraper:test/unit/plugin/test_dkms_analyzer.py, dkms(8)
_LINE = re.compile(
    r"^(?P<module>[\w.+-]+)(?:/|, ?)(?P<version>[^\s,:/]+)"
    r"(?:, ?(?P<kernel>[^\s,:]+), ?(?P<architecture>[^\s,:]+))?"
    r": (?P<state>added|built|installed-weak|installed|broken)\b(?P<rest>.*)$"
)
_WEAK = re.compile(r"^ from (\S+)")
_FLAG = re.compile(r"\(([^)]*)\)")
_ERROR = re.compile(r"^(?:Error!|ERROR\b)")
# The second line of an error names the file; later ones tell a person what to do.
_DETAIL = re.compile(r"^File: (.+)$")


@dc.dataclass(frozen=True)
class Status:
    """What one call printed. ``strange`` holds lines that are neither a module nor an error."""

    modules: tuple[DkmsModule, ...] = ()
    errors: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()


def parse_status(stdout: str, stderr: str = "") -> Status:
    """Return the modules, the errors and the lines not understood.

    Only errors are taken from stderr: its warnings (readelf, deprecated settings) say nothing about a module.
    """
    modules: list[DkmsModule] = []
    strange: list[str] = []
    errors, rest = _split_errors(stdout.splitlines())
    for line in rest:
        module = _module(line)
        if module is not None:
            modules.append(module)
        else:
            strange.append(line)
    more, _noise = _split_errors(stderr.splitlines())
    return Status(tuple(modules), tuple(dict.fromkeys(errors + more)), tuple(strange))


def _module(line: str) -> DkmsModule | None:
    match = _LINE.match(line)
    if match is None:
        return None
    weak = _WEAK.match(match["rest"]) if match["state"] == "installed-weak" else None
    return DkmsModule(
        module=match["module"], version=match["version"], kernel=match["kernel"], architecture=match["architecture"],
        state="installed" if match["state"] == "installed-weak" else match["state"],
        flags=tuple(dict.fromkeys(_FLAG.findall(match["rest"]))),
        built_for=weak[1] if weak else None,
    )


def _split_errors(lines: list[str]) -> tuple[list[str], list[str]]:
    errors: list[str] = []
    rest: list[str] = []
    for line in (text.strip() for text in lines):
        detail = _DETAIL.match(line)
        if _ERROR.match(line):
            errors.append(line)
        elif detail and errors:
            errors[-1] += f" {detail[1]}"
        elif line:
            rest.append(line)
    return errors, rest
