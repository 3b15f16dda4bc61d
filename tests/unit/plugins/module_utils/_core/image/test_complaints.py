# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What engines complain of, in one sentence of ours."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.complaints import ABSENT, refusal

# As buildah 1.28.2, podman 4.3.1 and skopeo 1.9.3 said it.
SAID = {
    "a full disk": ("head: error writing 'standard output': No space left on device\nError: building at STEP \"RUN x\": exit status 1",
                    "there is no room left on its disk"),
    "a full folder for large files": ('Error: committing container for step {Env:[PATH=/bin]}: copying layers: '
                                      'storing layer "ee70" to file: io: read/write on closed pipe',
                                      "its layer cannot be written to the folder for large files (TMPDIR, or /var/tmp)"),
    "a registry that is away": ('time="2026" level=fatal msg="pinging container registry img-a:5000: Get '
                                '\\"http://img-a:5000/v2/\\": dial tcp 10.89.0.1:5000: connect: connection refused"',
                                "cannot be reached"),
    "a registry that nobody knows": ("Error: initializing source docker://reg: dial tcp: lookup reg: no such host", "cannot be reached"),
    "a registry that asks who we are": ('level=fatal msg="reading manifest 1: unauthorized: authentication required"', "does not let this node in"),
    "an image that is not there": ('level=fatal msg="reading manifest 1 in reg/duo: manifest unknown"', ABSENT),
    "an image that is not in Harbor": ('level=fatal msg="reading manifest 1 in reg/site/duo: unknown: artifact site/duo:1 not found"', ABSENT),
    "a repository that Harbor does not have yet": (
        'level=fatal msg="reading manifest 1 in reg/site/duo: unknown: repository site/duo not found"', ABSENT),
    "a signature": ("Error: Source image rejected: A signature was required, but no signature exists",
                    "its signature is not one that the policy of this node accepts"),
    "a certificate": ("Error: pinging: x509: certificate signed by unknown authority", "its certificate is not one that this node trusts"),
    "a command of a layer": ("E: Version '1' for 'x' was not found\nError: building at STEP \"RUN x\": exit status 100",
                             "building at STEP \"RUN x\": exit status 100: E: Version '1' for 'x' was not found"),
    "a command of a layer that is kept apart by chroot": (
        "tinytwo 2.0 requires tinyone, which is not installed.\nsubprocess exited with status 1\nsubprocess exited with status 1\n"
        "Error: building at STEP \"RUN x\": exit status 1",
        "building at STEP \"RUN x\": exit status 1: tinytwo 2.0 requires tinyone, which is not installed."),
    "a command that says nothing": ("Error: building at STEP \"RUN x\": exit status 1", "building at STEP \"RUN x\": exit status 1"),
    "words between quotes": ('level=error msg="no \\"x\\" here"', 'no "x" here'),
    "anything else": ("\nError: something\n\n", "something"),
    "nothing": ("", "it failed and did not say why"),
}


@pytest.mark.parametrize(("said", "what"), SAID.values(), ids=SAID)
def test_refusal(said: str, what: str) -> None:
    error = refusal("it", said)
    assert (error.where, error.what) == ("it", what) and error.hint
