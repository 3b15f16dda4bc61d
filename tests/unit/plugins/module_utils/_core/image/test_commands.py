# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that install what nothing pins, and those that only look so."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.commands import refuse


@pytest.mark.parametrize(("command", "manager"), [
    ("pip install torch", "pip"), ("pip3 install --upgrade torch==2.8.0", "pip3"), ("pip3.12 install a", "pip3.12"), ("uv pip install a", "uv"),
    ("python3 -m pip install --index-url https://m/ a", "pip"), ("/opt/venv/bin/pip install a", "pip"), ("uv add a", "uv"), ("pipx install a", "pipx"),
    ("conda install -y a", "conda"), ("conda list && micromamba install a", "micromamba"), ("npm install", "npm"), ("npm ci", "npm"),
    ("apt-get update && apt-get install --yes a", "apt-get"), ("DEBIAN_FRONTEND=x apt install a", "apt"), ("dnf --assumeyes install a", "dnf"),
    ("cd /opt;yum install a", "yum"), ("(zypper install a)", "zypper"), ("apk add a", "apk"), ("true\npip install a", "pip"),
    ("apt-get update && apt-get -y upgrade", "apt-get"), ("apt-get dist-upgrade", "apt-get"), ("aptitude safe-upgrade", "aptitude"),
    ("dnf -y upgrade", "dnf"), ("yum update", "yum"), ("dnf localinstall https://m/a.rpm", "dnf"), ("dnf swap a b", "dnf"), ("zypper in a", "zypper"),
    ("zypper -n up", "zypper"), ("npm i", "npm"), ("pnpm i a", "pnpm"), ("yarn add a", "yarn"), ("uv sync", "uv"), ("conda create -n a b", "conda"),
    ("mamba update a", "mamba"), ("pip install --no-index --find-links https://m/wheels a", "pip"),
    ("pip \\\n  install a", "pip"), ("sh -c 'pip install a'", "pip"), ("pip install --no-index a.whl; pip install b", "pip"),
])
def test_what_installs_is_refused(command: str, manager: str) -> None:
    with pytest.raises(DataError) as refusal:
        refuse("run[0]", command)
    assert refusal.value.sentence == (f"run[0]: installs packages by {manager}, so no version of them is pinned; name them in packages, "
                                      "those of Python in python")


@pytest.mark.parametrize("command", [
    "tar -xf /opt/server.tar -C /opt && rm /opt/server.tar", "make install", "install -m 0755 a b", "pip check; make install", "apt-get clean\nmake install",
    "pip install --no-index --no-deps /opt/a.whl", "/opt/venv/bin/pip install --no-index /opt/a.whl",
    "dpkg --install /opt/a.deb", "echo pip-install", "pip list", "apt-get update", "apt-mark hold a", "zypper clean", "npm run build", "gem list",
    "pip install --no-index --find-links /opt/wheels a", "apk info",
    "pipeline install", "conda run -n a python -m b", "cp uv /opt",
])
def test_what_installs_nothing_is_taken(command: str) -> None:
    assert refuse("run[0]", command) == command
