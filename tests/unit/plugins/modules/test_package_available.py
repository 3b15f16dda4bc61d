# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""package_available with a stand-in for apt: what it is shown, and that the node's own settings stay as they are."""

from __future__ import annotations

import os
import shutil
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import offers
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.modules import package_available
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

SOURCES = "/etc/apt/sources.list.d/instinct-rocm.sources"
KEYRING = "/usr/share/keyrings/instinct-radeon.gpg"
MADISON = "dkms | 3.0.10-8 | x bookworm/main amd64 Packages\nrocm-core | 7.0.2.70002-56~22.04 | y jammy/main amd64 Packages\n"
WANTED = {"packages": ["dkms", "rocm-core=*.70002-*"]}


class Apt:
    """Answers as apt does, and keeps what it was shown."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.log: list[list[str]] = []
        self.settings: dict[str, str] = {}
        self.lists: list[str] = []
        self.ends: dict[str, Done] = {"apt-cache madison": Done(0, MADISON, "", 0)}

    def run(self, argv: t.Sequence[str], timeout: float, cwd: str = "/", **environment: str) -> Done:
        self.log.append(list(argv))
        work = Path(environment["APT_CONFIG"]).parent
        assert Path(environment["APT_CONFIG"]).read_text() == f'Dir::Etc "{work}/etc";\n'
        self.settings = {str(p.relative_to(work / "etc")): p.read_text().replace(str(work), "WORK")
                         for p in (work / "etc").rglob("*") if p.is_file()}
        self.lists = sorted(p.name for p in (work / "lists").iterdir())
        return self.ends.get(" ".join(argv[:2]), Done(0, "", "", 0))


@pytest.fixture
def apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Apt:
    (tmp_path / "apt/sources.list.d").mkdir(parents=True)
    (tmp_path / "apt/apt.conf.d").mkdir()
    (tmp_path / "apt/sources.list.d/old.list").write_text("deb https://old x main\n")
    (tmp_path / "apt/apt.conf.d/10proxy").write_text('Acquire::http::Proxy "x";\n')
    (tmp_path / "lists/partial").mkdir(parents=True)
    for name in ("lock", "deb.debian.org_InRelease"):
        (tmp_path / "lists" / name).write_text(name)
    (tmp_path / "work").mkdir()
    made = Apt(tmp_path)
    monkeypatch.setattr(offers, "ETC", str(tmp_path / "apt"))
    monkeypatch.setattr(offers, "LISTS", str(tmp_path / "lists"))
    monkeypatch.setattr(offers, "WORK", str(tmp_path / "work"))
    monkeypatch.setattr(offers, "run", made.run)
    return made


def files(apt: Apt) -> list[dict[str, str]]:
    """One file written, one removed, one elsewhere."""
    here = f"{apt.root}/apt"
    return [
        {"path": f"{here}/sources.list.d/new.sources", "content": f"Signed-By: {KEYRING}\n", "mode": "0644", "owner": "root",
         "group": "root"},
        {"path": f"{here}/sources.list.d/old.list", "state": "absent"},
        {"path": f"{apt.root}/profile.d/x.sh", "content": "x"},
    ]


def test_apt_is_asked_as_it_would_be_and_nothing_of_the_node_changes(apt: Apt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers, "fetch", lambda url, timeout: b"armoured")
    monkeypatch.setattr(offers.keyring, "accepted", lambda data, where, fingerprint: b"binary")
    before = {p: p.read_text() for p in apt.root.rglob("*") if p.is_file()}
    key = {"url": "https://repo/key", "fingerprint": "AB" * 20, "path": KEYRING}
    result = run_module(package_available, {**WANTED, "files": files(apt), "keys": [key]}, check=True)
    assert (result["failed"], result["changed"], result["versions"]) == (
        False, False, {"dkms": "3.0.10-8", "rocm-core": "7.0.2.70002-56~22.04"})
    assert [argv[:2] for argv in apt.log] == [["apt-get", "-q"], ["apt-cache", "madison"], ["apt-get", "install"]]
    assert apt.log[2][-2:] == ["dkms=3.0.10-8", "rocm-core=7.0.2.70002-56~22.04"] and "--simulate" in apt.log[2]
    settings = apt.settings.pop("apt.conf.d/zzzz-instinct")
    assert 'Dir::State::lists "WORK/lists";' in settings and "#clear APT::Update::Post-Invoke;" in settings
    assert apt.settings == {"apt.conf.d/10proxy": 'Acquire::http::Proxy "x";\n',
                            "sources.list.d/new.sources": "Signed-By: WORK/key-0.gpg\n"}
    assert apt.lists == ["deb.debian.org_InRelease", "partial"]
    assert {p: p.read_text() for p in apt.root.rglob("*") if p.is_file()} == before


def test_a_list_that_is_not_whole_is_left_out_and_so_fetched_anew(apt: Apt) -> None:
    lists = apt.root / "lists"
    for name, size in (("x", 9), ("y", 1)):
        (lists / f"{name}_InRelease").write_text(f"SHA256:\n {'ab' * 32} {size} Packages\n")
        (lists / f"{name}_Packages").write_text("\n")
    assert run_module(package_available, WANTED)["failed"] is False
    assert apt.lists == ["deb.debian.org_InRelease", "partial", "x_InRelease", "y_InRelease", "y_Packages"]
    assert (lists / "x_Packages").exists()


def test_what_no_repository_has_is_said_with_what_apt_said(apt: Apt) -> None:
    apt.ends["apt-get -q"] = Done(100, "", "E: Failed to fetch https://mirror\n", 1)
    result = run_module(package_available, {"packages": ["dkms", "linux-image-6.8.0-41-generic"]})
    assert result["msg"].startswith("linux-image-6.8.0-41-generic: no repository of this node has it (refreshing them: "
                                    "Failed to fetch https://mirror); see to it")
    assert [argv[:2] for argv in apt.log] == [["apt-get", "-q"], ["apt-cache", "madison"]]
    assert list((apt.root / "work").iterdir()) == []


def test_what_will_go_is_rehearsed_and_left_out_of_the_whole(apt: Apt) -> None:
    apt.ends["apt-get remove"] = Done(0, "Remv rocm-smi-lib [5]\n", "", 0)
    apt.ends["apt-get install"] = Done(0, "Remv rocm-smi-lib [5]\nInst dkms (3)\n", "", 0)
    # A package that comes in another version is not asked away.
    assert run_module(package_available, {**WANTED, "removals": ["rocm-smi-lib", "dkms"]})["failed"] is False
    assert apt.log[2] == ["apt-get", "remove", "--simulate", "-q", "--no-auto-remove", "--allow-change-held-packages",
                          "dkms", "rocm-smi-lib"]
    assert apt.log[3][-3:] == ["dkms=3.0.10-8", "rocm-core=7.0.2.70002-56~22.04", "rocm-smi-lib-"]


def test_where_packages_only_go_the_repositories_are_not_asked(apt: Apt) -> None:
    assert run_module(package_available, {"packages": [], "removals": ["rocminfo"]})["versions"] == {}
    assert [argv[:2] for argv in apt.log] == [["apt-get", "remove"]]


# id, command, how it ends, more options, sentence
ENDS: list[tuple[str, str, Done, dict[str, t.Any], str]] = [
    ("a mirror that hangs", "apt-get -q", Done(-9, "", "", 300, timed_out=True), {"timeout": 7},
     "apt-get update: did not end within 7 s; check the mirror and the proxy"),
    ("sources that apt cannot read", "apt-cache madison", Done(100, "", "E: Malformed entry 1 in x\n", 0), {},
     "apt-cache: Malformed entry 1 in x; repair its sources first"),
    ("sources that apt cannot read, without a word", "apt-cache madison", Done(100, "", "", 0), {},
     "apt-cache: ended with 100; repair its sources first"),
    ("what cannot be installed together", "apt-get install", Done(100, "", "E: broken packages\n", 0), {},
     "apt: cannot install these packages together: broken packages; remove or hold back what stands in the way; nothing "
     "was changed"),
    ("what apt would remove to install the rest", "apt-get install", Done(0, "Inst dkms (3)\nRemv site-app [1]\n", "", 0), {},
     "site-app: apt would remove it to install the packages of this release; remove what nobody needs by hand, or choose a "
     "release that goes with the rest; nothing was changed"),
    ("what would go with an old driver", "apt-get remove", Done(0, "Remv site-app [1]\nRemv old [1]\n", "", 0),
     {"removals": ["old"]},
     "site-app: needs what should be removed, and would go with it: old; remove by hand what nobody needs, or keep what it "
     "needs; nothing was changed"),
]


@pytest.mark.parametrize(("command", "done", "more", "sentence"), [c[1:] for c in ENDS], ids=[c[0] for c in ENDS])
def test_refusals(apt: Apt, command: str, done: Done, more: dict[str, t.Any], sentence: str) -> None:
    apt.ends[command] = done
    assert run_module(package_available, {**WANTED, **more})["msg"] == sentence


def test_a_package_manager_that_is_half_done_is_not_asked_for_all_together(apt: Apt) -> None:
    assert run_module(package_available, {**WANTED, "together": False})["failed"] is False
    assert [argv[1] for argv in apt.log] == ["-q", "madison"]


def test_without_apt_there_is_one_sentence(apt: Apt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers, "ETC", str(apt.root / "nothing"))
    assert run_module(package_available, WANTED)["msg"] == (
        f"{apt.root}/nothing: No such file or directory; mend that on the node, then run again")


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (28, "{work}: a copy of {etc} cannot be made: No space left on device; make room there, then run again"),
        (13, "{etc}/a: a copy of {etc} cannot be made: Permission denied; run as root (become: true)"),
    ],
)
def test_a_full_disk_is_one_sentence(apt: Apt, monkeypatch: pytest.MonkeyPatch, number: int, sentence: str) -> None:
    made: list[str] = []

    def copytree(source: str, there: str, **_options: t.Any) -> None:
        made.append(str(Path(there).parent))
        why = str(OSError(number, os.strerror(number), f"{source}/a"))
        raise shutil.Error([(f"{source}/{name}", f"{there}/{name}", why) for name in "ab"])

    monkeypatch.setattr(shutil, "copytree", copytree)
    message = run_module(package_available, WANTED)["msg"]
    assert message == sentence.format(work=made[0], etc=offers.ETC)
