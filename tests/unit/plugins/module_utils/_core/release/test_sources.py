# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which repositories and keys a release needs on a node."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.catalogue import catalogue, document, look, refusal, resolved

RADEON = "CA8BB4727A47B4D09B4EE8969386B48A1A693C5C"
AMDROCM = "D0F004A0025A1145C7807FCD0701EAC4D5E02107"
NOBLE = look("ubuntu 24.04.4", "6.8.0-90-generic")
TRIXIE = look("debian 13", "6.12.57+deb13-amd64")

# release, node, what is accepted; then uri and suite of driver and ROCm. x.y.0 is x.y in directories.
URIS = [
    ("rocm-7.2.3", look(), (), ("https://repo.radeon.com/amdgpu/30.30.3/ubuntu", "jammy"),
     ("https://repo.radeon.com/rocm/apt/7.2.3", "jammy")),
    ("rocm-7.2.3", TRIXIE, (), ("https://repo.radeon.com/amdgpu/30.30.3/ubuntu", "noble"),
     ("https://repo.radeon.com/rocm/apt/7.2.3", "noble")),
    ("rocm-7.2.0", look(), ("derived",), ("https://repo.radeon.com/amdgpu/30.30/ubuntu", "jammy"),
     ("https://repo.radeon.com/rocm/apt/7.2", "jammy")),
    ("rocm-6.2.0", look("ubuntu 24.04", "6.8.0-31-generic"), (), ("https://repo.radeon.com/amdgpu/6.2/ubuntu", "noble"),
     ("https://repo.radeon.com/rocm/apt/6.2", "noble")),
    ("rocm-10.0.0", NOBLE, ("third_party",), ("https://repo.radeon.com/amdgpu/31.50/ubuntu", "noble"),
     ("https://stable.repo.amd.com/rocm/core/packages/ubuntu2404/", "stable")),
    ("rocm-10.0.0", look("ubuntu 26.04", "7.0.0-14-generic"), ("third_party",),
     ("https://repo.radeon.com/amdgpu/31.50/ubuntu", "resolute"),
     ("https://stable.repo.amd.com/rocm/core/packages/ubuntu2604/", "stable")),
    ("rocm-10.0.0", TRIXIE, ("third_party",), ("https://repo.radeon.com/amdgpu/31.50/ubuntu", "noble"),
     ("https://stable.repo.amd.com/rocm/core/packages/debian13/", "stable")),
]


EL9 = look("rhel 9.6", "5.14.0-570.58.1.el9_6.x86_64")
SLES = look("sles 15.7", "6.4.0-150700.53.16-default")
STABLE = "https://stable.repo.amd.com/rocm/core/packages"
RPM_URIS = [
    ("rocm-7.2.3", EL9, "https://repo.radeon.com/amdgpu/30.30.3/el/9.6/main/x86_64/",
     "https://repo.radeon.com/rocm/el9/7.2.3/main"),
    ("rocm-7.2.3", look("rhel 8.10", "4.18.0-553.22.1.el8_10.x86_64"),
     "https://repo.radeon.com/amdgpu/30.30.3/el/8/main/x86_64/", "https://repo.radeon.com/rocm/el8/7.2.3/main"),
    ("rocm-6.4.1", look("rhel 8.10", "4.18.0-553.22.1.el8_10.x86_64"),
     "https://repo.radeon.com/amdgpu/6.4.1/el/8.10/main/x86_64/", "https://repo.radeon.com/rocm/el8/6.4.1/main"),
    ("rocm-7.2.3", look("rhel 10.1", "6.12.0-124.8.1.el10_1.x86_64"),
     "https://repo.radeon.com/amdgpu/30.30.3/el/10/main/x86_64/", "https://repo.radeon.com/rocm/el10/7.2.3/main"),
    ("rocm-7.2.3", look("ol 9.6", "5.15.0-310.184.5.el9uek.x86_64"),
     "https://repo.radeon.com/amdgpu/30.30.3/el/9.6/main/x86_64/", "https://repo.radeon.com/rocm/el9/7.2.3/main"),
    ("rocm-7.2.3", SLES, "https://repo.radeon.com/amdgpu/30.30.3/sle/15.7/main/x86_64/",
     "https://repo.radeon.com/rocm/zyp/7.2.3/main"),
    ("rocm-10.0.0", EL9, "https://repo.radeon.com/amdgpu/31.50/el/9.6/main/x86_64/", f"{STABLE}/rhel9/x86_64"),
    ("rocm-10.0.0", SLES, "https://repo.radeon.com/amdgpu/31.50/sle/15.7/main/x86_64/", f"{STABLE}/sles15/x86_64"),
]


@pytest.mark.parametrize(("name", "node", "driver", "rocm"), RPM_URIS)
def test_an_rpm_repository_is_one_address(name, node, driver, rocm):
    wanted = resolved(name, node, accept=["derived", "third_party"])
    assert {r.name: (r.types, r.uri, r.suite, r.components) for r in wanted.repositories} == {
        "amdgpu": (("rpm",), driver, "", ()), "rocm": (("rpm",), rocm, "", ())}


@pytest.mark.parametrize("node", [EL9, SLES])
def test_rpm_keeps_a_key_where_its_tools_look(node):
    keys = resolved("rocm-7.2.3", node, accept=["derived"]).keys
    assert keys["radeon"].keyring == "/etc/pki/rpm-gpg/RPM-GPG-KEY-instinct-radeon"


def test_the_bases_of_a_repository_are_the_folders_above_what_differs_in_any_stream():
    bases = {r.name: r.bases for r in resolved("rocm-7.2.3", EL9, accept=["derived"]).repositories}
    assert bases == {"amdgpu": ("https://repo.radeon.com/amdgpu/",), "rocm": (
        "https://repo.radeon.com/rocm/", "https://repo.amd.com/rocm/packages-multi-arch/",
        "https://stable.repo.amd.com/rocm/core/packages/")}


@pytest.mark.parametrize(("name", "node", "accept", "driver", "rocm"), URIS)
def test_repositories_are_those_of_the_release_and_the_system(name, node, accept, driver, rocm):
    found = {r.name: (r.uri, r.suite) for r in resolved(name, node, accept=list(accept)).repositories}
    assert found == {"amdgpu": driver, "rocm": rocm}


def test_each_stream_has_its_key():
    keys = resolved("rocm-10.0.0", accept=["third_party"]).keys
    assert {name: (k.fingerprint, k.url, k.keyring) for name, k in keys.items()} == {
        "radeon": (RADEON, "https://repo.radeon.com/rocm/rocm.gpg.key", "/etc/apt/keyrings/instinct-radeon.gpg"),
        "amdrocm": (AMDROCM, "https://stable.repo.amd.com/rocm/gpg/packages.gpg",
                    "/etc/apt/keyrings/instinct-amdrocm.gpg"),
    }


def test_mirrors_replace_repositories_and_keys():
    wanted = resolved("rocm-7.2.3", mirrors={"https://repo.radeon.com": "file:///srv/repo"})
    assert [r.uri for r in wanted.repositories] == ["file:///srv/repo/amdgpu/30.30.3/ubuntu",
                                                    "file:///srv/repo/rocm/apt/7.2.3"]
    key = wanted.keys["radeon"]
    assert (key.url, key.fingerprint) == ("file:///srv/repo/rocm/rocm.gpg.key", RADEON)


@pytest.mark.parametrize(("override", "url", "fingerprint"), [
    ({"fingerprint": "ab" * 20}, "file:///srv/rocm/rocm.gpg.key", "AB" * 20),
    ({"fingerprint": "AB " * 20, "url": "https://k.example/key"}, "https://k.example/key", "AB" * 20),
])
def test_a_site_can_say_which_key_it_trusts(override, url, fingerprint):
    key = resolved("rocm-7.2.3", keys={"radeon": override},
                   mirrors={"https://repo.radeon.com": "file:///srv"}).keys["radeon"]
    assert (key.url, key.fingerprint) == (url, fingerprint)


def test_a_fingerprint_that_is_not_documented_is_refused():
    assert refusal("rocm-7.14.0").what.startswith(
        "the fingerprint of signing key amdrocm-multi-arch is third_party, not documented (a public installer pins it")
    assert resolved("rocm-7.14.0", accept=["third_party"]).keys["amdrocm-multi-arch"].fingerprint == AMDROCM


def test_a_key_without_fingerprint_is_refused():
    cat = changed("keys", lambda key: key.update(fingerprint=None))
    assert refusal("rocm-7.2.3", cat=cat).sentence == (
        "release rocm-7.2.3: the fingerprint of signing key radeon (https://repo.radeon.com/rocm/rocm.gpg.key) is not "
        "known, so its repository cannot be trusted; set gpu_release_keys.radeon.fingerprint to one that you have "
        "verified (source: https://github.com/ROCm/ROCm/issues/854)")
    key = {"radeon": {"fingerprint": RADEON}}
    assert resolved("rocm-7.2.3", cat=cat, keys=key).keys["radeon"].fingerprint == RADEON


@pytest.mark.parametrize(("keys", "sentence"), [
    ({"radeon": {"fingerprint": "1A693C5C"}},
     ("gpu_release_keys.radeon: '1A693C5C' is not a whole fingerprint; give all 40 digits (64 for a version 6 key); "
      "a key id can be forged")),
    ({"raedon": {"fingerprint": RADEON}},
     "gpu_release_keys: there is no signing key 'raedon'; the catalogue has amdrocm, amdrocm-multi-arch, radeon"),
])
def test_a_wrong_override_is_refused(keys, sentence):
    assert refusal("rocm-7.2.3", keys=keys).sentence == sentence


@pytest.mark.parametrize("base", [
    "https://repo.radeon.com", "https://repo.radeon.com/", "https://repo.radeon.com/amdgpu",
    "https://repo.radeon.com/amdgpu/30.30.3/ubuntu", "https://stable.repo.amd.com/rocm"])
def test_a_mirror_of_any_part_of_the_catalogue_is_taken(base):
    assert resolved("rocm-7.2.3", mirrors={base: "file:///srv"}).name == "rocm-7.2.3"


@pytest.mark.parametrize("base", ["https://repo.radoen.com", "https://repo.radeon.com.example.org", "https://repo"])
def test_a_mirror_of_nothing_is_refused(base):
    assert refusal("rocm-7.2.3", mirrors={base: "file:///srv"}).sentence == (
        f"gpu_release_mirrors.{base}: no repository or key of the catalogue is there; they are at "
        "https://repo.amd.com, https://repo.radeon.com, https://stable.repo.amd.com")


def changed(section, change):
    data = document("repositories.yml")
    for record in data[section]:
        change(record)
    return catalogue(data)


def test_a_key_that_is_not_documented_is_refused():
    cat = changed("keys", lambda key: key.update(confidence="third_party"))
    assert refusal("rocm-7.2.3",
                   cat=cat).what.startswith("the fingerprint of signing key radeon is third_party, not documented")


def test_a_repository_that_is_not_documented_is_refused():
    cat = changed("repositories", lambda repository: repository.update(confidence="derived"))
    assert refusal("rocm-7.2.3", cat=cat).what.startswith("repository amdgpu is derived, not documented")


def test_a_key_that_is_not_there_is_refused():
    data = document("repositories.yml")
    data["repositories"] = [r | {"key": "other"} for r in data["repositories"]]
    assert refusal("rocm-7.2.3", cat=catalogue(data)).sentence == (
        "release rocm-7.2.3: repository amdgpu names the signing key 'other', which the catalogue does not have; "
        "add it to keys in repositories.yml")


def test_a_release_that_no_repository_serves_is_refused():
    data = document("releases/rocm-10.0.0.yml")
    data["release"] |= {"name": "rocm-10.9.0", "rocm": "10.9.0"}
    windows = document("windows/driver_rocm.yml")
    windows["windows"][-1]["rocm"].append("10.9.x")
    assert refusal("rocm-10.9.0", cat=catalogue(data, windows), accept=["third_party", "derived"]).sentence == (
        "release rocm-10.9.0: no therock repository is known for ROCm 10.9.0 and apt; add one to repositories.yml in a "
        "directory of gpu_release_catalogue_dirs")
