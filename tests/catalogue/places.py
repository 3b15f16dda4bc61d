# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From facts to repositories.yml: where packages come from, what systems are called there, keys, kernel packages."""

from __future__ import annotations

import re
from typing import Any

from translate import OS_IDS, numbers, provenance

Fact = dict[str, Any]

RADEON = "https://repo.radeon.com"
ORIGIN = "repo.radeon.com"
MULTI = "https://repo.amd.com/rocm/packages-multi-arch"
# Section of repositories, what, the text as AMD prints it, the record that it means.
REPOSITORIES: tuple[tuple[str, str, str, Fact], ...] = (
    ("driver", "apt driver",
     f"deb [arch=amd64,i386 signed-by=/etc/apt/keyrings/rocm.gpg] {RADEON}/amdgpu/{{driver}}/ubuntu {{codename}} main",
     {"name": "amdgpu", "manager": "apt", "stream": "driver", "uri": f"{RADEON}/amdgpu/{{driver}}/ubuntu",
      "suite": "{codename}", "key": "radeon", "origin": ORIGIN}),
    ("legacy_rocm", "apt ROCm",
     f"deb [arch=amd64 signed-by=/etc/apt/keyrings/rocm.gpg] {RADEON}/rocm/apt/{{rocm}} {{codename}} main",
     {"name": "rocm", "manager": "apt", "stream": "legacy", "uri": f"{RADEON}/rocm/apt/{{rocm}}",
      "suite": "{codename}", "key": "radeon", "origin": ORIGIN}),
    ("therock", "apt",
     (f"deb [arch=amd64 signed-by=/etc/apt/keyrings/amdrocm.gpg] {MULTI}/"
      "{ubuntu2604|ubuntu2404|ubuntu2204|debian13|debian12} stable main"),
     {"name": "rocm", "manager": "apt", "stream": "therock", "rocm": ["7.13.x", "7.14.x"], "suite": "stable",
      "key": "amdrocm-multi-arch", "uri": f"{MULTI}/{{directory}}"}),
    ("driver", "dnf driver",
     f"{RADEON}/amdgpu/{{driver}}/el/{{x.y for 9, major only for 8 and 10}}/main/x86_64/",
     {"name": "amdgpu", "manager": "dnf", "stream": "driver", "key": "radeon",
      "uri": f"{RADEON}/amdgpu/{{driver}}/el/{{point}}/main/x86_64/"}),
    ("legacy_rocm", "dnf ROCm", f"{RADEON}/rocm/el{{major}}/{{rocm}}/main",
     {"name": "rocm", "manager": "dnf", "stream": "legacy", "key": "radeon",
      "uri": f"{RADEON}/rocm/el{{major}}/{{rocm}}/main"}),
    ("therock", "dnf", f"{MULTI}/{{rhel10|rhel9|rhel8}}/x86_64",
     {"name": "rocm", "manager": "dnf", "stream": "therock", "rocm": ["7.13.x", "7.14.x"],
      "key": "amdrocm-multi-arch", "uri": f"{MULTI}/{{directory}}/x86_64"}),
    ("driver", "zypper driver", f"{RADEON}/amdgpu/{{driver}}/sle/{{x.y}}/main/x86_64/",
     {"name": "amdgpu", "manager": "zypper", "stream": "driver", "key": "radeon",
      "uri": f"{RADEON}/amdgpu/{{driver}}/sle/{{version}}/main/x86_64/"}),
    ("legacy_rocm", "zypper ROCm", f"{RADEON}/rocm/zyp/{{rocm}}/main",
     {"name": "rocm", "manager": "zypper", "stream": "legacy", "key": "radeon",
      "uri": f"{RADEON}/rocm/zyp/{{rocm}}/main"}),
    ("therock", "zypper", f"{MULTI}/{{sles16|sles15}}/x86_64",
     {"name": "rocm", "manager": "zypper", "stream": "therock", "rocm": ["7.13.x", "7.14.x"],
      "key": "amdrocm-multi-arch", "uri": f"{MULTI}/{{directory}}/x86_64"}),
)
KEY_NAMES = {
    f"{RADEON}/rocm/rocm.gpg.key": "radeon",
    f"{MULTI}/gpg/rocm.gpg": "amdrocm-multi-arch",
    "https://stable.repo.amd.com/rocm/gpg/packages.gpg": "amdrocm",
}
UBUNTU = {"focal": "20.04", "jammy": "22.04", "noble": "24.04", "resolute": "26.04"}
APT_KERNELS = ("Debian", "Ubuntu")


def repositories(facts: Fact) -> dict[str, list[Fact]]:
    """The sections of repositories.yml."""
    found = []
    for section, what, text, record in REPOSITORIES:
        fact = item(facts["repositories"][section], what)
        if fact.get("line", fact.get("baseurl")) != text:
            raise ValueError(f"repositories.{section}: the line of {what!r} is not the one that the table knows")
        found.append(_repository(record, fact))
    found += [_repository({key: more[key] for key in more if key not in ("confidence", "note", "source")}, more)
              for more in facts["more_repositories"]]
    keys = [k for k in facts["repositories"]["gpg"] if k["key"] in KEY_NAMES]
    return {
        "repositories": found,
        "os_paths": _os_paths(facts),
        "keys": sorted((_key(k) for k in keys), key=lambda k: k["name"]),
        "kernel_packages": [_kernel_packages(facts, os) for os in APT_KERNELS] + [
            {key: fact[key] for key in ("family", "versions", "names", "in_tree") if key in fact} | provenance(fact)
            for fact in facts["rpm_kernel_packages"]],
    }


def item(section: Fact, what: str) -> Fact:
    """The item of a section of repositories."""
    found: Fact = next(i for i in section["items"] if i["what"] == what)
    return found


def _repository(record: Fact, fact: Fact) -> Fact:
    suites = {"components": ["main"], "architectures": ["amd64"]}
    places = suites if record["manager"] == "apt" else {"architectures": ["x86_64"]}
    return record | places | {"origin": record.get("origin")} | provenance(fact)


def _key(fact: Fact) -> Fact:
    return {"name": KEY_NAMES[fact["key"]], "url": fact["key"], "fingerprint": fact["fingerprint"]} | provenance(fact)


def _os_paths(facts: Fact) -> list[Fact]:
    fact = item(facts["repositories"]["legacy_rocm"], "apt ROCm")
    paths = []
    for name, codename in fact["codenames"].items():
        system, version = re.fullmatch(r"(debian)?([\d.]+)", name).groups()  # type: ignore[union-attr]
        paths.append({"os": system or "ubuntu", "version": version, "codename": codename, "source": fact["source"]})
    return sorted(map(_os_path, [*paths, *facts["os_paths"]]), key=lambda p: (p["os"], numbers(p["version"])))


def _os_path(path: Fact) -> Fact:
    names = {key: path[key] for key in ("codename", "dist", "directory", "point", "follows", "refusal") if key in path}
    if "codename" in path:
        names |= {"dist": "." + UBUNTU[path["codename"]], "directory": path["os"] + path["version"].replace(".", "")}
    manager = "apt" if "codename" in path else path["manager"]
    return {"os": path["os"], "version": path["version"], "manager": manager} | names | provenance(path)


def _kernel_packages(facts: Fact, os: str) -> Fact:
    fact = next(k for k in facts["repositories"]["kernel_packages"] if k["os"] == os)
    firmware = facts["in_tree_firmware"][os]
    names = ["linux-image-{kernel}", *(n.replace("{uname -r}", "{kernel}") for n in fact["packages"])]
    both = fact | {"source": [*fact["source"], *firmware["source"]]}
    return {"family": OS_IDS[os], "names": names, "in_tree": [firmware["package"]]} | provenance(
        both, extra="the image package is named by the distribution")
