# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Labels of an image that lies in an OCI archive, and is not unpacked for them."""

from __future__ import annotations

import tarfile

from .._core.errors import DataError
from .._core.formats import inspected
from . import archived

_LIMIT = 4 << 20  # bytes of a configuration, as engines have it. source: containers/image:internal/iolimits/iolimits.go


def labels(path: str) -> dict[str, str]:
    """The labels.

    Raises:
        FleetError: the archive is not there, or is not whole.
    """
    image = archived.held(path).id
    with tarfile.open(path, "r:") as tar:
        try:
            blob = tar.extractfile(f"blobs/sha256/{image}")
        except KeyError:
            blob = None
        if blob is None:
            raise DataError(path, "lacks the configuration of its image", "carry it here anew")
        return inspected.labels(blob.read(_LIMIT).decode("utf-8", "replace"), path)
