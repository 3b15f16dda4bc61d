# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Containerfiles, to the letter."""

from __future__ import annotations

import dataclasses as dc
import json
import shlex

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image import containerfile
from ansible_collections.instinct.fleet.tests.unit.support.images import FRAMEWORK, IMAGE, KEY, UNPACKED, B
from ansible_collections.instinct.fleet.tests.unit.support.images import image as resolved

BASE = """\
FROM docker.io/library/debian@sha256:1
COPY --chmod=0644 keys/site.asc /etc/apt/keyrings/instinct-build-site.asc
COPY --chmod=0644 repositories/site.sources /etc/apt/sources.list.d/instinct-build-site.sources
RUN ["/bin/sh", "-euc", "export DEBIAN_FRONTEND=noninteractive; apt-get update; \
apt-get install --yes --no-install-recommends --allow-downgrades libibverbs1=44.0-2 ibverbs-providers=44.0-2; apt-get clean; \
rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/apt /var/log/dpkg.log; \
rm -f /etc/apt/keyrings/instinct-build-site.asc /etc/apt/sources.list.d/instinct-build-site.sources"]
RUN ["/bin/sh", "-euc", "if getent group render >/dev/null; then groupmod --gid 1200 render; \
else groupadd --system --gid 1200 render; fi"]
LABEL a="b"
"""
APPLICATION = f"""\
FROM below
COPY --chmod=0755 files/{"b" * 64} /opt/model.bin
RUN ["/bin/sh", "-euc", "echo done > /srv/done"]
ENV PAGER="a \\"b\\" \\$c \\\\"
"""


def test_the_lowest_layer_has_packages_and_the_group_of_devices() -> None:
    assert containerfile.text(IMAGE, 0, "docker.io/library/debian@sha256:1", {"a": "b"}) == BASE


def test_the_uppermost_layer_has_files_commands_and_an_environment() -> None:
    assert containerfile.text(IMAGE, 2, "below") == APPLICATION


def test_a_layer_takes_from_images_before_it_installs() -> None:
    first, second, third, *rest = containerfile.text(resolved(layers=[{**FRAMEWORK, "run": ["true"]}]), 0, "x").splitlines()[2:]
    assert [first, second] == [f"COPY --from=quay.io/site/rdma@{B} {path} {path}" for path in ("/usr/lib/libx.so.1", "/opt/rdma")]
    assert "-m pip --isolated install" in third and rest == ['RUN ["/bin/sh", "-euc", "true"]']


def test_images_have_other_names_while_a_layer_is_built() -> None:
    name = f"quay.io/site/rdma@{B}"
    image = resolved(layers=[{**FRAMEWORK, "copy": [*FRAMEWORK["copy"], {"image": name, "paths": ["/opt/more"]}]}])
    assert containerfile.taken(image, 0) == (name,)
    found = containerfile.text(image, 0, "x", names={name: "localhost/from-0"})
    assert found.count("COPY --from=localhost/from-0 ") == 3 and "quay.io" not in found


def test_an_archive_is_unpacked_once() -> None:
    assert containerfile.text(UNPACKED, 0, "").startswith("FROM scratch\nADD parent.tar /\nCOPY ")
    assert containerfile.text(UNPACKED, 1, "below").startswith("FROM below\nCOPY ")


def test_without_a_gid_no_group_is_made() -> None:
    bare = dc.replace(IMAGE, wants=dc.replace(IMAGE.wants, render_gid=None))
    assert "group" not in containerfile.text(bare, 0, "x")


def test_sources_and_keys_lie_beside_it() -> None:
    assert containerfile.context(IMAGE, 0) == {
        "repositories/site.sources": "Types: deb\nURIs: http://repo.example.org/apt\nSuites: ./\n"
                                     "Signed-By: /etc/apt/keyrings/instinct-build-site.asc\n",
        "keys/site.asc": KEY}
    assert containerfile.context(IMAGE, 1)["keys/rocm.asc"] == ""
    assert containerfile.context(IMAGE, 2) == {}


@pytest.mark.parametrize(("os", "install", "clean", "source"), [
    ("rhel", "dnf install --assumeyes --setopt=install_weak_deps=False libibverbs1-44.0-2 ", "dnf clean all", "/etc/yum.repos.d/"),
    ("sles", "--no-recommends --allow-downgrade libibverbs1=44.0-2 ", "zypper clean --all", "/etc/zypp/repos.d/"),
])
def test_rpm(os: str, install: str, clean: str, source: str) -> None:
    image = dc.replace(IMAGE, os=os)
    text = containerfile.text(image, 0, "x")
    assert install in text and clean in text and f"repositories/site.repo {source}instinct-build-site.repo" in text
    assert containerfile.context(image, 0)["repositories/site.repo"].endswith(
        "gpgkey=file:///etc/pki/rpm-gpg/instinct-build-site.asc\n")


def test_what_is_brought_for_the_build_goes_again() -> None:
    lines = containerfile.text(IMAGE, 1, "x").splitlines()
    brought = {line.split()[-1] for line in lines if line.startswith("COPY")}
    shell = json.loads(next(line for line in lines if line.startswith("RUN")).removeprefix("RUN "))[2]
    assert brought <= set(shlex.split(shell.rsplit("; rm -f ", 1)[1]))


def test_packages_of_the_base_need_no_source_of_ours() -> None:
    layer = dc.replace(IMAGE.layers[0], repositories=())
    text = containerfile.text(dc.replace(IMAGE, layers=(layer,)), 0, "x")
    assert "COPY" not in text and "instinct-build" not in text and "libibverbs1=44.0-2" in text
    assert containerfile.context(dc.replace(IMAGE, layers=(layer,)), 0) == {}


def _script(text: str) -> str:
    """What RUNs that write a file down write; that one is run then."""
    assert max(map(len, text.splitlines())) < 1 << 16
    *written, last = [json.loads(line.removeprefix("RUN ")) for line in text.splitlines() if "/tmp/instinct-build.sh" in line]
    assert last == ["/bin/sh", "-eu", "/tmp/instinct-build.sh"]
    assert [argv[2] for argv in written] == [f'printf %s "$1" {sign} /tmp/instinct-build.sh' for sign in (">", *[">>"] * (len(written) - 1))]
    return "".join(argv[4] for argv in written)


@pytest.mark.parametrize("command", ["echo " + "a" * 70_000, "echo " + "\u00e4'\"$x\n" * 9_000])
def test_no_line_is_longer_than_buildah_reads(command: str) -> None:
    # buildah 1.28 ends at a line of 64 KiB, and builds what was before it.
    text = containerfile.text(resolved(layers=[{"name": "a", "run": [command, "true"]}]), 0, "x")
    assert _script(text) == f"rm -f /tmp/instinct-build.sh\n{command}\n" and text.endswith('RUN ["/bin/sh", "-euc", "true"]\n')


def test_packages_of_python_may_be_many() -> None:
    wheels = [{"name": f"p{index}", "version": "1", "hashes": [f"sha256:{index:064d}"]} for index in range(900)]
    text = containerfile.text(resolved(layers=[{"name": "a", "python": {"packages": wheels}}]), 0, "x")
    assert f" 'p899==1 --hash=sha256:{899:064d}' > /tmp/instinct-build-python.txt; " in _script(text)
