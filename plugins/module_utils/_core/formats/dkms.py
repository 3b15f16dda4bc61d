# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The output of ``dkms status`` in every form it has had, and what of a dkms.conf can be read without a shell."""

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
# What dkms says in brackets, in the words of its versions 2 to 3.2, and in ours.
ORIGINAL, MISSING, DIFFERS = "original module kept", "built modules missing", "installed differs from built"
_FLAGS = (
    (re.compile(r"original[ _]modules? exists?", re.IGNORECASE), ORIGINAL),
    (re.compile(r"missing some built modules|built modules are missing", re.IGNORECASE), MISSING),
    (re.compile(r"diff(?:erences)? between built and installed", re.IGNORECASE), DIFFERS),
)
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
        flags=tuple(dict.fromkeys(_flag(text) for text in _FLAG.findall(match["rest"]))),
        built_for=weak[1] if weak else None,
    )


def is_built(module: DkmsModule | None) -> bool:
    """Whether a version is installed for its kernel, with all its modules and as they were built."""
    return module is not None and module.state == "installed" and not {MISSING, DIFFERS} & set(module.flags)


def _flag(text: str) -> str:
    return next((ours for pattern, ours in _FLAGS if pattern.search(text)), text)


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


_ASSIGNED = re.compile(r"^[^#\n]*\b(?P<field>(?:BUILT|DEST)_MODULE_NAME)(?:\[[^]]*\])?\+?=.*$", re.MULTILINE)
_PLAIN = re.compile(
    r"""^\s*\w+(?:\[(?P<index>\d+)\])?=(?P<quote>["']?)(?P<name>[A-Za-z0-9_-]+)(?P=quote)\s*(?:#.*)?$""")


def module_names(conf: str) -> tuple[str, ...] | None:
    """Return the names of the modules that a dkms.conf builds, as they are installed.

    It is a shell script; None if it says the names in another way than by plain assignments. source: dkms(8)
    """
    names: dict[str, dict[int, str]] = {"BUILT_MODULE_NAME": {}, "DEST_MODULE_NAME": {}}
    for line in _ASSIGNED.finditer(conf):
        plain, known = _PLAIN.match(line[0]), names[line["field"]]
        if plain is None or int(plain["index"] or 0) in known:
            return None
        known[int(plain["index"] or 0)] = plain["name"]
    both = {**names["BUILT_MODULE_NAME"], **names["DEST_MODULE_NAME"]}
    return tuple(both[index] for index in sorted(both)) or None
