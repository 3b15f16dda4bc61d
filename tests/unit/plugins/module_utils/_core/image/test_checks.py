# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What checks of images and containers mean, as data."""

from __future__ import annotations

import copy
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.checks import IDS, Checks
from ansible_collections.instinct.fleet.tests.unit.support.containers import checks, documents


def changed(index: int = 0, **changes: t.Any) -> dict[str, t.Any]:
    document = copy.deepcopy(documents()[0])
    document["data"]["checks"][index].update(changes)
    return document


def test_every_check_has_its_record() -> None:
    assert list(checks().by_id) == list(IDS)


def test_a_finding_carries_cause_and_remedy() -> None:
    found = checks().finding("container-kfd", "it lacks /dev/kfd", ("a", "b"), "engine")
    assert (found.id, found.kind, found.domain, found.severity) == ("container-kfd", "container", "container", "error")
    assert (found.subject, found.summary, found.evidence, found.count) == ("engine", "it lacks /dev/kfd", ("a", "b"), 2)
    assert found.why.remedy == "start it with --device /dev/kfd, or with a CDI device"
    assert (checks().finding("image-gfx", "x").kind, checks().finding("image-gfx", "x").count) == ("image", 1)


def test_a_site_goes_over_ours() -> None:
    mine = {"path": "site.yml", "layer": 1, "data": {**changed()["data"], "checks": [{**changed()["data"]["checks"][0], "severity": "info"}]}}
    found = Checks.from_documents([*documents(), mine])
    assert found.by_id["image-os"].severity == "info"
    assert found.by_id["container-shm"].least_bytes == 1 << 30


@pytest.mark.parametrize(("document", "sentence"), [
    (changed(id="image-colour"), "checks.yml: checks[0].id: there is no check 'image-colour'; choose one of image-os, "),
    (changed(severity="bad"), "checks.yml: checks[0].severity: is 'bad'; choose one of info, warning, error, critical"),
    (changed(sources=[]), "checks.yml: checks[0].sources: is empty"),
    (changed(1, id="image-os"), "checks.yml: checks[1].id: 'image-os' is also checks.yml: checks[0]"),
])
def test_what_is_wrong_is_refused(document: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(DataError) as error:
        Checks.from_documents([document])
    assert error.value.sentence.startswith(sentence)


def test_a_check_without_a_record_is_refused() -> None:
    document = changed()
    del document["data"]["checks"][3:]
    with pytest.raises(DataError) as error:
        Checks.from_documents([document])
    assert error.value.what.startswith("no file has image-rdma-absent, ")
