# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_driver_trial with stand-ins for apt, dpkg and dkms: what it asks them for, what it leaves behind."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import offers, trial
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.modules import gpu_driver_trial
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

VERSION = "1:6.14.14.30100200-2226257.24.04"
HERE, ELSEWHERE = "6.1.0-56-amd64", "6.12.117+deb12-amd64"  # headers installed; headers to fetch
OFFERS = {
    f"linux-headers-{ELSEWHERE}": f"linux-headers-common, linux-image-{ELSEWHERE}, linux-kbuild-6.12, gcc-12",
    "linux-headers-common": "",
    "linux-kbuild-6.12": "pahole, libc6",
    "pahole": "libdw1",
    "libdw1": "libc6",
}
CONF = 'PACKAGE_NAME="amdgpu"\nPACKAGE_VERSION="6.14.14-2226257.24.04"\n'


class Node:
    """Answers commands as a Debian node does, and writes down what was asked."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.log: list[list[str]] = []
        self.offered = {"amdgpu-dkms": [VERSION]}
        self.fresh: dict[str, list[str]] = {}
        self.depends = "dkms, autoconf"
        self.fails: dict[str, Done] = {}  # kernel -> how its build ends
        self.broken: dict[str, Done] = {}  # command -> how it ends
        self.confs = 1
        self.make_log = "a.c:1:1: error: no\n"
        self.environment: dict[str, str] = {}
        self.trees: list[list[str]] = []
        build = root / "modules" / HERE / "build"
        build.mkdir(parents=True)
        (build / "Makefile").touch()

    def run(self, argv: t.Sequence[str], timeout: float, cwd: str = "/", **environment: str) -> Done:
        self.log.append(list(argv))
        if " ".join(argv[:2]) in self.broken:
            return self.broken[" ".join(argv[:2])]
        name = next(word for word in argv if word.startswith(("apt-", "dpkg-", "dkms")))
        out = getattr(self, name.replace("-", "_"))(list(argv), cwd, environment)
        return out if isinstance(out, Done) else Done(0, out, "", 7)

    def refresh(self, argv: t.Sequence[str], timeout: float, **environment: str) -> Done:
        """What is on offer once the lists are read anew."""
        self.log.append(list(argv))
        self.offered.update(self.fresh)
        return Done(0, "", "", 1)

    def apt_cache(self, argv: list[str], _cwd: str, _env: dict[str, str]) -> str:
        if argv[1] == "madison":
            return "".join(f"{argv[2]} | {v} | file:/srv x/main Packages\n" for v in self.offered.get(argv[2], []))
        name = argv[-1]
        return f"Package: {name}\nVersion: 6.12.117-1\nDepends: {OFFERS[name]}\n" if name in OFFERS else ""

    def apt_get(self, argv: list[str], cwd: str, _env: dict[str, str]) -> str:
        for name in argv[argv.index("APT::Sandbox::User=root") + 1 :]:
            Path(cwd, name.partition("=")[0] + ".deb").touch()
        return ""

    def dpkg_query(self, argv: list[str], _cwd: str, _env: dict[str, str]) -> str:
        return "6.1.192-2" if argv[-1].startswith("linux-headers-") else "installed libc6\ninstalled dkms\n"

    def dpkg_deb(self, argv: list[str], _cwd: str, _env: dict[str, str]) -> str:
        if argv[1] == "--field":
            return f"Package: amdgpu-dkms\nVersion: {VERSION}\nDepends: {self.depends}\n"
        source = Path(argv[3], "usr/src/amdgpu-6.14.14-2226257.24.04")
        if argv[2].endswith("amdgpu-dkms.deb"):
            for number in range(self.confs):
                (source.parent / f"{source.name}{'x' * number}").mkdir(parents=True)
                (source.parent / f"{source.name}{'x' * number}" / "dkms.conf").write_text(CONF)
        else:
            Path(argv[3], "usr/lib").mkdir(parents=True, exist_ok=True)
        return ""

    def dkms(self, argv: list[str], _cwd: str, environment: dict[str, str]) -> str | Done:
        self.environment = environment
        assert os.path.isdir(argv[argv.index("--sourcetree") + 1])
        kernel = argv[argv.index("-k") + 1]
        if kernel in self.fails:
            build = Path(argv[argv.index("--dkmstree") + 1], "amdgpu/6.14.14-2226257.24.04/build")
            build.mkdir(parents=True)
            if self.make_log:
                (build / "make.log").write_text(self.make_log)
            return self.fails[kernel]
        return ""

    def asked(self, command: str) -> list[list[str]]:
        return [argv for argv in self.log if command in argv]


@pytest.fixture
def node(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Node:
    node, apt = Node(tmp_path), tmp_path_factory.mktemp("apt")
    (tmp_path / "work").mkdir()
    for name in ("ETC", "LISTS", "WORK"):
        monkeypatch.setattr(offers, name, str(apt / name))
        (apt / name).mkdir()
    monkeypatch.setattr(offers, "run", node.refresh)
    monkeypatch.setattr(trial, "STATE", str(tmp_path / "state"))
    monkeypatch.setattr(trial, "WORK", str(tmp_path / "work"))
    monkeypatch.setattr(trial, "MODULES", str(tmp_path / "modules"))
    monkeypatch.setattr(trial, "run", node.run)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    return node


def run(kernels: list[str], check: bool = False, **args: t.Any) -> dict[str, t.Any]:
    return run_module(gpu_driver_trial, {"version": VERSION, "kernels": kernels, **args}, check=check)


def left(node: Node) -> list[str]:
    """What the module leaves on the node."""
    return sorted(str(p.relative_to(node.root)) for p in node.root.rglob("*") if "modules" not in str(p))


RECORD = f"state/amdgpu-dkms_{VERSION}_{HERE}.json"


@pytest.mark.parametrize("check", [True, False], ids=["check", "real"])
def test_a_success_is_proved_once(node: Node, check: bool) -> None:
    first = run([HERE], check)
    assert (first["failed"], first["changed"], first["tried"], first["diff"]) == (False, False, True, [])
    assert first["results"] == [{
        "kernel": HERE, "ok": True, "cached": False, "seconds": 7, "headers": "6.1.192-2", "error": "", "log": "",
        "words": f"amdgpu-dkms {VERSION} builds for {HERE} (7 s)",
    }]  # fmt: skip
    assert left(node) == ["state", RECORD, "work"]
    again = run([HERE], check)
    assert [(r["cached"], r["ok"]) for r in again["results"]] == [(True, True)]
    assert len(node.asked("build")) == 1
    assert len(node.asked("download")) == 1


def test_dkms_works_in_trees_of_its_own_and_cannot_sign(node: Node) -> None:
    run([HERE])
    (argv,) = node.asked("dkms")
    assert argv[:6] == ["nice", "-n", "10", "dkms", "build", "-m"]
    options = dict(zip(argv[5::2], argv[6::2]))
    work = str(node.root / "work")
    assert options["--dkmstree"].startswith(work)
    assert options["--sourcetree"].startswith(work)
    assert options["--kernelsourcedir"] == f"{node.root}/modules/{HERE}/build"
    assert (options["-m"], options["-v"], options["-k"]) == ("amdgpu", "6.14.14-2226257.24.04", HERE)
    assert node.environment["sign_file"] == "/nonexistent"
    assert node.environment["mok_signing_key"].startswith(work)


def test_headers_are_fetched_with_what_they_need_and_shown_to_the_build_alone(node: Node) -> None:
    run([ELSEWHERE])
    _driver, download = node.asked("download")
    assert sorted(download[5:]) == sorted(
        [f"linux-headers-{ELSEWHERE}", "linux-headers-common", "linux-kbuild-6.12", "pahole", "libdw1"]
    )
    (argv,) = node.asked("dkms")
    assert argv[:5] == ["unshare", "--mount", "--propagation", "private", "sh"]
    tree = f"{node.root}/work/"
    mounts = argv[6].splitlines()
    assert len(mounts) == 2
    assert mounts[0].startswith(f"mount -t overlay overlay -o ro,lowerdir={tree}")
    assert mounts[0].endswith(f"/headers-{ELSEWHERE}/usr/lib:/usr/lib /usr/lib || exit 91")
    assert mounts[1] == 'exec "$@"'
    assert argv[argv.index("--kernelsourcedir") + 1] == f"/usr/src/linux-headers-{ELSEWHERE}"
    assert left(node) == ["state", f"state/amdgpu-dkms_{VERSION}_{ELSEWHERE}.json", "work"]


def test_a_failure_names_kernel_and_error_and_keeps_the_log(node: Node) -> None:
    node.fails[ELSEWHERE] = Done(10, "", "Error! Bad return status", 3)
    result = run([ELSEWHERE, HERE])
    log = f"{node.root}/state/{ELSEWHERE}.log"
    assert result["msg"] == (
        f"kernel {ELSEWHERE}: amdgpu-dkms {VERSION} does not build: a.c:1:1: no (not installed: autoconf); "
        f"read {log}; kernel, driver and their packages are as they were"
    )
    assert [(r["kernel"], r["ok"]) for r in result["results"]] == [(ELSEWHERE, False), (HERE, True)]
    assert Path(log).read_text() == node.make_log
    assert left(node) == ["state", f"state/{ELSEWHERE}.log", RECORD, "work"]
    node.fails.clear()
    assert run([ELSEWHERE])["failed"] is False, "a failure is not remembered"
    assert not Path(log).exists()


EXCLUDED = "the driver excludes this kernel (BUILD_EXCLUSIVE in its dkms.conf)"
MISSING = " (not installed: autoconf)"
FAILURES = {
    "without make.log": (Done(1, "out\n", "Error! No kernel headers\n", 1), "", "Error! No kernel headers" + MISSING),
    "too slow": (Done(-9, "", "", 60, timed_out=True), "CC a.o\n", "the build did not end within 60 s"),
    "excluded": (Done(77, "", "", 1), "", EXCLUDED + MISSING),
}


@pytest.mark.parametrize(("done", "make_log", "error"), FAILURES.values(), ids=FAILURES)
def test_reasons_of_failures(node: Node, done: Done, make_log: str, error: str) -> None:
    node.fails[HERE], node.make_log = done, make_log
    result = run([HERE], timeout=60)
    assert result["results"][0]["error"] == error
    assert Path(result["results"][0]["log"]).read_text() == (make_log or done.out + done.err)


def test_overlay_that_cannot_be_mounted_is_no_verdict_on_the_driver(node: Node) -> None:
    node.fails[ELSEWHERE] = Done(91, "", "mount: permission denied", 0)
    assert run([ELSEWHERE])["msg"] == (
        f"kernel {ELSEWHERE}: its headers cannot be laid over /usr in a private namespace: mount: permission denied; "
        f"install linux-headers-{ELSEWHERE} first"
    )
    assert left(node) == ["work"]


def test_a_missing_compiler_is_no_verdict_on_the_driver(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    message = run([ELSEWHERE])["msg"]
    assert message == f"kernel {ELSEWHERE}: needs gcc-12, which is not installed; install gcc-12"


def test_headers_whose_files_are_gone_are_no_verdict_on_the_driver(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    package = f"linux-headers-{ELSEWHERE}"
    monkeypatch.setattr(trial, "_installed", lambda: frozenset({package}))
    assert run([ELSEWHERE])["msg"] == (
        f"kernel {ELSEWHERE}: {package} is installed, and its files are not there; "
        f"install them again: apt-get install --reinstall {package}")


NO_HEADERS = "kernel 6.99: linux-headers-6.99 is neither installed nor offered by apt"
HINT = "configure the repository that has this kernel, or choose another kernel"
NOT_OFFERED = {
    "driver": (["k"], "1:9", "amdgpu-dkms 1:9: apt does not offer it; configure its repository and refresh"),
    "headers": ([HERE, "6.99"], VERSION, f"{NO_HEADERS}; {HINT}"),
}


@pytest.mark.parametrize(("kernels", "version", "sentence"), NOT_OFFERED.values(), ids=NOT_OFFERED)
def test_what_apt_does_not_offer(node: Node, kernels: list[str], version: str, sentence: str) -> None:
    assert run(kernels, version=version)["msg"] == sentence
    checked = run(kernels, check=True, version=version)
    assert (checked["failed"], checked["tried"], checked["reason"]) == (False, False, f"not tried: {sentence}")
    assert left(node) == ["work"]


def test_old_lists_are_read_anew_and_nothing_of_the_node_changes(node: Node) -> None:
    node.fresh, node.offered = node.offered, {}
    result = run([HERE])
    assert (result["failed"], result["tried"]) == (False, True)
    assert [argv[:3] for argv in node.log[:3]] == [["apt-cache", "madison", "amdgpu-dkms"], ["apt-get", "-q", "update"],
                                                   ["apt-cache", "madison", "amdgpu-dkms"]]


def test_what_will_be_written_counts_as_written(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APT_CONFIG", "/site")
    seen: list[str] = []
    real = node.apt_cache
    monkeypatch.setattr(node, "apt_cache", lambda *a: (seen.append(os.environ["APT_CONFIG"]), real(*a))[1])
    source = f"{offers.ETC}/sources.list.d/x.sources"
    result = run([HERE], files=[{"path": source, "content": "x", "mode": "0644"}])
    assert (result["failed"], node.log[0]) == (False, ["apt-get", "-q", "update"])
    assert seen and all(path.startswith(f"{offers.WORK}/instinct-offers-") for path in seen)
    assert (os.environ["APT_CONFIG"], Path(source).exists()) == ("/site", False)


def test_a_pattern_is_resolved_before_anything_is_remembered(node: Node) -> None:
    run([HERE], version="1:6.14.*")
    assert RECORD in left(node)


def test_bad_names_are_refused_before_anything_is_asked(node: Node) -> None:
    assert run(["../x"])["msg"].startswith("kernels: '../x' is not a kernel release")
    assert node.log == []


DOWNLOAD = f"apt-get download amdgpu-dkms={VERSION}"
BROKEN = {
    "apt cannot read its sources": (
        "apt-cache madison",
        Done(100, "", "E: Conflicting values set for option Signed-By\nE: The list of sources could not be read.\n", 1),
        "apt-cache: E: Conflicting values set for option Signed-By; repair its sources first",
    ),
    "apt says why": (
        "apt-get download",
        Done(100, "", "W: x\nE: Can't find a source\n", 1),
        f"{DOWNLOAD}: E: Can't find a source; check the repository and refresh",
    ),
    "apt says nothing": (
        "apt-get download",
        Done(100, "", "", 1),
        f"{DOWNLOAD}: ended with 100; check the repository and refresh",
    ),
    "apt hangs": (
        "apt-get download",
        Done(-9, "", "", 600, True),
        f"{DOWNLOAD}: took too long; check the repository and refresh",
    ),
    "the disk is full": (
        "dpkg-deb --extract",
        Done(2, "", "No space left\n", 1),
        "amdgpu-dkms.deb: No space left; is there room in {}?",
    ),
}


@pytest.mark.parametrize(("command", "done", "sentence"), BROKEN.values(), ids=BROKEN)
def test_a_trial_that_cannot_be_made_is_no_verdict_on_the_driver(
    node: Node, command: str, done: Done, sentence: str
) -> None:
    node.broken[command] = done
    assert run([HERE])["msg"] == sentence.format(trial.WORK)
    assert left(node) == ["work"]


@pytest.mark.parametrize("confs", [0, 2])
def test_a_package_that_is_no_driver_is_refused(node: Node, confs: int) -> None:
    node.confs = confs
    assert run([HERE])["msg"] == f"amdgpu-dkms {VERSION}: has {confs} dkms.conf, not one; this is no DKMS driver"
