# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What engines for containers complain of, as a refusal in one sentence."""

from __future__ import annotations

import re

from ..errors import FleetError

_ON = "it goes on where it ended"
_ROOM = f"make room there, then run again: {_ON}"
ABSENT = "there is no such image"
DENIED = "does not let this node in"

# How the words of buildah, podman and skopeo are known, what they mean, and what to do. The first that fits counts.
# source: strerror(3) for the kernel's, opencontainers/distribution-spec:spec.md#error-codes for those of registries
_AWAY = ("connection refused", "connection reset", "no such host", "no route to host", "network is unreachable",
         "i/o timeout", "temporary failure in name resolution", "TLS handshake timeout", "deadline exceeded")
# Harbor has codes of its own, for which the specification has no words. source: containers/image#2203
_ABSENT = (
    "manifest unknown",
    "name unknown",
    "reading manifest .*: not found",
    r"unknown: (?:artifact|repository) \S+ not found",
    "image not known",
    "no such image",
)
_KNOWN = (
    (r"no space left on device|disk quota exceeded", "there is no room left on its disk", _ROOM),
    # What buildah says of the file that it writes a layer to: the kernel's own word is lost.
    # source: a run of buildah 1.28.2 on a full disk
    (r"storing layer .* to file: .*closed pipe",
     "its layer cannot be written to the folder for large files (TMPDIR, or /var/tmp)", _ROOM),
    ("|".join(_AWAY), "cannot be reached",
     f"see that the registry runs and that this node may speak to it, then run again: {_ON}"),
    (r"unauthorized|authentication required|access to the resource is denied|invalid username/password",
     DENIED, "log in there (podman login), and name that file as the authfile"),
    ("|".join(_ABSENT), ABSENT, "see its name and its digest"),
    (r"signature was required|source image rejected|not accepted by policy",
     "its signature is not one that the policy of this node accepts", "sign it, or see /etc/containers/policy.json"),
    (r"x509:|http: server gave HTTP response to HTTPS client", "its certificate is not one that this node trusts",
     "bring the authority to /etc/containers/certs.d, or see registries.conf"),
)
# What stands between the words of a command and those of buildah. source: a run of buildah 1.28.2 with isolation chroot
_OF_CHROOT = re.compile(r"subprocess exited with status \d+$")


def refusal(where: str, said: str) -> FleetError:
    """What a program meant when it failed. ``where``: what it was about; ``said``: what it printed as errors."""
    lines = [_plain(line) for line in said.splitlines() if line.strip() and not _OF_CHROOT.match(line)]
    for pattern, what, hint in _KNOWN:
        if re.search(pattern, "\n".join(lines), re.IGNORECASE | re.MULTILINE):
            return FleetError(where, what, hint)
    last = lines[-1:] or ["it failed and did not say why"]
    if re.search(r"exit status \d+$", last[0]):  # of a command in a layer, which itself said why
        last = lines[-2:]
    return FleetError(where, ": ".join(reversed(last)), "mend that, then run again")


def _plain(line: str) -> str:
    """A line without the marks of its log."""
    message = re.search(r'\bmsg="((?:[^"\\]|\\.)*)"', line)
    text = message.group(1).replace('\\"', '"') if message else line
    return re.sub(r"^(?:error|fatal): ", "", text.strip(), flags=re.IGNORECASE)
