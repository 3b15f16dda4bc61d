# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""package_keyring: only the pinned key, only when it is not there, nothing else ever."""

from __future__ import annotations

import base64
import http.server
import threading
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import lock, rpm
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.pgp import armour
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.plugins.module_utils._node.rpm import KEYS
from ansible_collections.instinct.fleet.plugins.modules import package_keyring
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.plugins.owners import Owners
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module


def packet(seed: bytes, tag: int = 6) -> bytes:
    """A version 4 key packet with made-up key material."""
    body = b"\x04\x5e\x0b\xe1\x00\x16" + seed
    return bytes([0xC0 | tag, len(body)]) + body


def armored(data: bytes) -> bytes:
    text = base64.b64encode(data)
    return b"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n" + text + b"\n-----END PGP PUBLIC KEY BLOCK-----\n"


# Fingerprints by sha1sum over 0x99, two bytes of length, and the packet's body.
OURS, OURS_FP = packet(b"ours"), "1E160F69F8540A3F4470B2ACA745ED0C61A9C550"
OTHER, OTHER_FP = packet(b"other"), "5C4EF864B59FA091B5AF9F33986B2EB82363FEBA"


@pytest.fixture(autouse=True)
def _node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Owners(monkeypatch)
    monkeypatch.setattr(lock, "LOCK", str(tmp_path / "lock"))


@pytest.fixture
def served(tmp_path: Path) -> t.Iterator[t.Callable[[bytes], str]]:
    """Serve bytes over HTTP on this machine."""
    body = b""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/key" else 404)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: t.Any) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()

    def serve(data: bytes) -> str:
        nonlocal body
        body = data
        return f"http://127.0.0.1:{server.server_port}/key"

    yield serve
    server.shutdown()
    thread.join()
    server.server_close()


def test_nine_steps(tmp_path: Path) -> None:
    """Create, change and repair: each in check mode, for real, and again without the source."""
    ring, source = tmp_path / "keyrings" / "amd.gpg", tmp_path / "key.asc"
    args = {"path": str(ring), "fingerprint": OURS_FP, "url": source.as_uri()}
    install = f"install signing key {OURS_FP} as {ring}"
    for name, before, mode, words in (
        ("create", None, None, install),
        ("change", OTHER, 0o644, install),
        ("repair", OURS, 0o600, f"set {ring} to root:root 0644 (was root:root 0600)"),
    ):
        if before is not None:
            ring.write_bytes(before)
            ring.chmod(mode)
        source.write_bytes(armored(OURS))
        predicted = run_module(package_keyring, args, check=True)
        assert (ring.read_bytes() if ring.exists() else None) == before, f"{name}: check mode wrote"
        done = run_module(package_keyring, args)
        assert predicted == done, name
        assert (done["changed"], done["actions"]) == (True, [words]), name
        assert (ring.read_bytes(), ring.stat().st_mode & 0o777) == (OURS, 0o644), name
        source.unlink()
        again = run_module(package_keyring, args)
        assert (again["changed"], again["diff"], again["fingerprint"]) == (False, [], OURS_FP), name


def test_diff_shows_fingerprints(tmp_path: Path) -> None:
    (tmp_path / "a.gpg").write_bytes(OTHER)
    args = {"path": str(tmp_path / "a.gpg"), "fingerprint": OURS_FP, "content": armored(OURS).decode()}
    (diff,) = run_module(package_keyring, args, check=True)["diff"]
    assert (diff["before"], diff["after"]) == (OTHER_FP + "\n", OURS_FP + "\n")


def test_an_armored_keyring_on_the_node_is_made_binary_without_fetching(tmp_path: Path) -> None:
    (tmp_path / "a.gpg").write_bytes(armored(OURS))
    args = {"path": str(tmp_path / "a.gpg"), "fingerprint": OURS_FP, "url": "file:///nowhere"}
    assert run_module(package_keyring, args)["changed"] is True
    assert (tmp_path / "a.gpg").read_bytes() == OURS


def test_fetches_over_http_and_pins_by_fingerprint(tmp_path: Path, served: t.Callable[[bytes], str]) -> None:
    args = {"path": str(tmp_path / "a.gpg"), "fingerprint": " ".join(OURS_FP.lower()), "url": served(OURS)}
    assert run_module(package_keyring, args)["changed"] is True
    assert (tmp_path / "a.gpg").read_bytes() == OURS


HOLDS = "not just the pinned key {}; ask the publisher which key is right; nothing was installed"
WHOLE = "give all 40 digits (64 for a version 6 key); a key id can be forged"
REFUSED = {
    "another key": ({"content": armored(OTHER).decode()}, f"content: holds {OTHER_FP}, " + HOLDS.format(OURS_FP)),
    "one key more": (
        {"content": armored(OURS + OTHER).decode()},
        f"content: holds {OURS_FP}, {OTHER_FP}, " + HOLDS.format(OURS_FP),
    ),
    "a web page": ({"content": "<html>"}, "content: is not an OpenPGP keyring"),
    "a key id": (
        {"fingerprint": OURS_FP[-16:], "content": "x"},
        f"fingerprint: {OURS_FP[-16:]!r} is not a whole fingerprint; {WHOLE}",
    ),
    "armor's file name": (
        {"path": "/etc/a.asc", "content": "x"},
        "/etc/a.asc: does not end in .gpg; apt wants that name for a binary keyring",
    ),
    "a missing file": (
        {"url": "file:///no/key"},
        "file:///no/key: cannot be fetched: No such file or directory; check the mirror, the proxy and the network",
    ),
    "another scheme": (
        {"url": "ftp://example.org/key"},
        "ftp://example.org/key: scheme 'ftp' is not fetched; use https, http or file",
    ),
}


@pytest.mark.parametrize(("args", "sentence"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("check", [True, False], ids=["check", "real"])
def test_refused(tmp_path: Path, args: dict[str, str], sentence: str, check: bool) -> None:
    ring = tmp_path / "a.gpg"
    ring.write_bytes(b"old")
    result = run_module(package_keyring, {"path": str(ring), "fingerprint": OURS_FP, **args}, check=check)
    assert (result["failed"], result["msg"]) == (True, sentence)
    assert ring.read_bytes() == b"old"


def test_an_answer_that_is_no_success_is_refused(tmp_path: Path, served: t.Callable[[bytes], str]) -> None:
    url = served(OURS).replace("/key", "/gone")
    result = run_module(package_keyring, {"path": str(tmp_path / "a.gpg"), "fingerprint": OURS_FP, "url": url})
    assert result["msg"].startswith(f"{url}: cannot be fetched: HTTP Error 404: Not Found; check the mirror")


def test_a_file_too_large_for_a_key_is_refused(tmp_path: Path) -> None:
    big = tmp_path / "big"
    big.write_bytes(b"\0" * ((1 << 20) + 1))
    args = {"path": str(tmp_path / "a.gpg"), "fingerprint": OURS_FP, "url": big.as_uri()}
    assert run_module(package_keyring, args)["msg"] == (
        f"{big.as_uri()}: is larger than 1048576 bytes; check that the address is that of a key"
    )


class Rpm:
    """An rpm that imports keys; ``deaf`` takes them and forgets them."""

    def __init__(self, tree: Tree, deaf: bool = False, code: int = 0) -> None:
        self.tree, self.deaf, self.code = tree, deaf, code
        self.asked = 0
        tree.commands[" ".join(KEYS)] = Ran(1, "package gpg-pubkey is not installed\n", "")

    def run(self, argv: t.Sequence[str], timeout: float) -> Done:
        assert list(argv[:2]) == ["rpm", "--import"]
        self.asked += 1
        if not self.deaf and not self.code:
            self.tree.commands[" ".join(KEYS)] = Ran(0, base64.b64encode(OURS).decode() + "\n\n", "")
        return Done(self.code, "", "error: key 1 not an armored public key" if self.code else "", 0)


@pytest.fixture
def rpm_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., Rpm]:
    """A node with such an rpm."""

    def made(**how: t.Any) -> Rpm:
        tree = Tree(tmp_path / "node")
        made_rpm = Rpm(tree, **how)
        monkeypatch.setattr(package_keyring, "Machine", tree.machine)
        monkeypatch.setattr(rpm, "run", made_rpm.run)
        return made_rpm

    return made


def test_rpm_gets_an_armoured_key_and_dnf_imports_it_itself(tmp_path: Path, rpm_of: t.Callable[..., Rpm]) -> None:
    node, path = rpm_of(), tmp_path / "RPM-GPG-KEY-x"
    args = {"path": str(path), "fingerprint": OURS_FP, "content": armored(OURS).decode(), "manager": "dnf"}
    done = run_module(package_keyring, args)
    assert done["actions"] == [f"install signing key {OURS_FP} as {path}"]
    assert (path.read_bytes(), node.asked) == (armour(OURS), 0)
    assert run_module(package_keyring, args)["changed"] is False
    path.write_bytes(OURS)
    assert run_module(package_keyring, args)["actions"] == [f"write {path}"]
    assert path.read_bytes() == armour(OURS)


def test_zypper_check_do_again(tmp_path: Path, rpm_of: t.Callable[..., Rpm]) -> None:
    node, path = rpm_of(), tmp_path / "RPM-GPG-KEY-x"
    args = {"path": str(path), "fingerprint": OURS_FP, "content": armored(OURS).decode(), "manager": "zypper"}
    predicted = run_module(package_keyring, args, check=True)
    assert (path.exists(), node.asked) == (False, 0)
    done = run_module(package_keyring, args)
    assert predicted == done
    assert done["actions"] == [f"install signing key {OURS_FP} as {path}", f"import {OURS_FP} into rpm"]
    again = run_module(package_keyring, args)
    assert (again["changed"], again["actions"], node.asked) == (False, [], 1)


@pytest.mark.parametrize(("how", "why"), [
    ({"deaf": True}, "rpm --import: took {path} but does not list {key}; look at rpm -q gpg-pubkey"),
    ({"code": 1}, "rpm --import: ended with 1: error: key 1 not an armored public key; run as root (become: true)"),
])
def test_a_key_that_rpm_did_not_take_is_a_failure(
    tmp_path: Path, rpm_of: t.Callable[..., Rpm], how: dict[str, t.Any], why: str
) -> None:
    rpm_of(**how)
    path = tmp_path / "k"
    args = {"path": str(path), "fingerprint": OURS_FP, "content": armored(OURS).decode(), "manager": "zypper"}
    assert run_module(package_keyring, args)["msg"] == why.format(path=path, key=OURS_FP)


def test_keys_of_rpm_that_cannot_be_read_are_a_failure(tmp_path: Path, rpm_of: t.Callable[..., Rpm]) -> None:
    node = rpm_of()
    node.tree.commands[" ".join(KEYS)] = Ran(0, "error\n", "")
    args = {"path": str(tmp_path / "k"), "fingerprint": OURS_FP, "content": armored(OURS).decode(), "manager": "zypper"}
    assert run_module(package_keyring, args)["msg"].startswith("rpm: its keys cannot be read: ")
