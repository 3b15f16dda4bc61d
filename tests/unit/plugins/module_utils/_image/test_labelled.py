# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels of an image that lies in an OCI archive."""

from __future__ import annotations

import hashlib
import io
import json
import pathlib
import tarfile

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._image.labelled import labels


def archive(path: pathlib.Path, config: bytes, lost: bool = False) -> str:
    """An OCI archive of one image."""
    blobs: dict[str, bytes] = {}

    def blob(data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = data
        return f"sha256:{digest}"

    image = blob(config)
    manifest = blob(json.dumps({"schemaVersion": 2, "config": {"digest": image}, "layers": []}).encode())
    if lost:
        del blobs[f"blobs/sha256/{image[7:]}"]
    blobs["index.json"] = json.dumps({"manifests": [{"digest": manifest}]}).encode()
    with tarfile.open(path, "w") as tar:
        for name, data in blobs.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return str(path)


def test_labels_are_read_without_unpacking(tmp_path: pathlib.Path) -> None:
    path = archive(tmp_path / "a.tar", json.dumps({"config": {"Labels": {"one": "two"}}}).encode())
    assert labels(path) == {"one": "two"}


def test_a_long_history_hides_no_labels(tmp_path: pathlib.Path) -> None:
    long = {"config": {"Labels": {"one": "two"}}, "history": [{"created_by": "x" * (2 << 20)}]}
    assert labels(archive(tmp_path / "a.tar", json.dumps(long).encode())) == {"one": "two"}


def test_what_is_not_whole_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(DataError, match="lacks the configuration of its image; carry it here anew"):
        labels(archive(tmp_path / "a.tar", b"{}", lost=True))
    with pytest.raises(FleetError):
        labels(str(tmp_path / "none.tar"))
