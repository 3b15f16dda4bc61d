# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in the file of an image, and what must not be."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.definition import definitions
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import (
    Copy,
    File,
    Package,
    Parent,
    Python,
    Wheel,
)
from ansible_collections.instinct.fleet.tests.unit.support.images import (
    BASE,
    FINGERPRINT,
    FRAMEWORK,
    A,
    B,
    definition,
    record,
)


def test_a_definition_is_read() -> None:
    found = definition()
    assert (found.where, found.id, found.os, found.os_version, found.parent) == ("site.yml", "site", "debian", "12", Parent(A, BASE))
    assert (found.rocm, found.source) == ("", "https://git.example.org/images")
    application, base, rocm = found.layers
    assert application.files == (File("/srv/model.bin", B, "/opt/model.bin", "0755"),)
    assert (application.run, application.environment) == (("echo done > /srv/done",), {"PAGER": 'a "b" $c \\'})
    assert base.packages == (Package("libibverbs1", "44.0-2"), Package("ibverbs-providers", "44.0-2"))
    assert (base.budget_bytes, base.parent, base.origin, rocm.parent, rocm.origin) == (67108864, "", "", "base", "release.rocm")
    assert (base.repositories[0].key, base.repositories[0].suite, base.repositories[0].components) == ("site.asc", "./", ())


def test_a_base_is_an_archive_or_the_sites() -> None:
    archive = definition(parent={"archive": "/srv/base.tar", "digest": B}, rocm="5.2.3")
    assert (archive.parent, archive.rocm) == (Parent(B, archive="/srv/base.tar"), "5.2.3")
    raw = record()
    del raw["parent"]
    assert definitions([{"path": "f", "data": raw}])["site"].parent is None


def test_a_layer_takes_from_images_and_has_packages_of_python() -> None:
    (found,) = definition(layers=[FRAMEWORK]).layers
    assert found.copies == (Copy(f"quay.io/site/rdma@{B}", ("/usr/lib/libx.so.1", "/opt/rdma")),)
    assert found.python == Python((Wheel("Tiny.Grad", "0.12.0", (A, B)), Wheel("numpy", "2.1.0", (A,))), "/usr/bin/python3.12", "/opt/venv",
                                  "https://mirror.example.org/simple")


def test_a_layer_of_the_nodes_stack_may_leave_versions_out() -> None:
    (found,) = definition(layers=[{"name": "rdma", "from": "stack.rdma", "packages": ["libibverbs1", "perftest=4.5-1"]}]).layers
    assert (found.origin, found.packages) == ("stack.rdma", (Package("libibverbs1", ""), Package("perftest", "4.5-1")))


REPOSITORY = {"name": "site", "uri": "http://repo.example.org/", "key": "k", "fingerprint": FINGERPRINT}


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"parent": {"image": "docker.io/library/debian:latest"}},
     "site.yml: parent.image: 'docker.io/library/debian:latest' has no digest, so it may be another image tomorrow; "),
    ({"parent": {"archive": "/srv/base.tar"}}, "site.yml: parent.digest: is missing; add it"),
    ({"parent": {}}, "site.yml: parent.archive: is missing"),
    ({"parent": {"image": BASE, "digest": A}}, "site.yml: parent.digest: is not a known key"),
    ({"layers": []}, "site.yml: layers: is empty; name layers"),
    ({"os": {"id": "debain", "version": "12"}}, "site.yml: os.id: is 'debain'; choose one of "),
    ({"rocm": "30.10"}, "site.yml: rocm: '30.10' is not a ROCm version"),
    ({"layers": [{"name": "a", "packages": ["x1=latest"]}]}, "site.yml: layers[0].packages[0]: x1 is not pinned by 'latest'"),
    ({"layers": [{"name": "a", "packages": ["x1=1", "x1=2"]}]}, "site.yml: layers[0].packages: x1 is pinned to two versions; "),
    ({"layers": [{"name": "a", "from": "release.rocm"}]},
     "site.yml: layers[0].packages: is empty, and repositories serve packages alone; name packages"),
    ({"layers": [{"name": "a", "repositories": [REPOSITORY]}]}, "site.yml: layers[0].packages: is empty"),
    ({"layers": [{"name": "a", "from": "stack.rdma"}]}, "site.yml: layers[0].packages: is empty, and stacks serve packages alone; name packages"),
    ({"layers": [{"name": "a", "from": "stack.rdma", "packages": ["x1=latest"]}]}, "site.yml: layers[0].packages[0]: x1 is not pinned by 'latest'"),
    ({"layers": [{"name": "a", "run": ["true", "pip install torch"]}]}, "site.yml: layers[0].run[1]: installs packages by pip, so no version "),
    ({"layers": [{"name": "a", "copy": [{"image": "quay.io/site/rdma:1", "paths": ["/a"]}]}]},
     "site.yml: layers[0].copy[0].image: 'quay.io/site/rdma:1' has no digest, so it may be another image tomorrow; "),
    ({"layers": [{"name": "a", "python": {"packages": []}}]}, "site.yml: layers[0].python.packages: is empty; "),
    ({"layers": [{"name": "a", "from": "release.rdma"}]}, "site.yml: layers[0].from: is 'release.rdma'; choose one of "),
    ({"layers": [{"name": "a", "packages": ["x1=1"], "repositories": [{**REPOSITORY, "uri": "https://me:secret@repo/"}]}]},
     "site.yml: layers[0].repositories[0].uri: 'https://repo/' is written with a user or password"),
    ({"layers": [{"name": "a", "environment": {"A B": "c"}}]}, "site.yml: layers[0].environment.A B: is 'c', which is no line for a variable"),
    ({"layers": [{"name": "a", "environment": {"A": "b\nRUN reboot"}}]}, "site.yml: layers[0].environment.A: is 'b\\nRUN reboot'"),
    ({"layers": [{"name": "a", "files": [{"source": "/a", "digest": "1", "path": "/b"}]}]},
     "site.yml: layers[0].files[0].digest: '1' is not a digest"),
    ({"layers": [{"name": "a", "files": [{"source": "/a", "digest": A, "path": "/b c"}]}]}, "site.yml: layers[0].files[0].path: is '/b c'"),
    ({"layers": [{"name": "a", "files": [{"source": "/a", "digest": A, "path": "/opt/../etc/passwd"}]}]},
     "site.yml: layers[0].files[0].path: is '/opt/../etc/passwd', which does not say where the file is; write the whole path, without . and .."),
    ({"layers": [{"name": "a", "files": [{"source": "/a", "digest": A, "path": "/opt/."}]}]}, "site.yml: layers[0].files[0].path: is '/opt/.', which"),
    ({"layers": [{"name": "a", "files": [{"source": "/a", "digest": A, "path": "/opt/"}]}]}, "site.yml: layers[0].files[0].path: is '/opt/'"),
    ({"layers": [{"name": "a", "files": [{"source": f"/{name}", "digest": A, "path": "/opt/a"} for name in "ab"]}]},
     "site.yml: layers[0].files: two files are /opt/a; remove one"),
    ({"layers": [{"name": "a", "files": [{"source": "/a", "digest": A, "path": path} for path in ("/opt/a/b", "/opt/a")]}]},
     "site.yml: layers[0].files: /opt/a is a file and the folder of another; write the whole path of the file"),
    ({"layers": [{"name": "a", "files": [{"source": "/a", "digest": A, "path": "/b", "mode": "4755"}]}]},
     "site.yml: layers[0].files[0].mode: is '4755'"),
    ({"layres": []}, "site.yml: layres: is not a known key; did you mean layers"),
    ({"kind": "picture"}, "site.yml: kind: is 'picture'; choose one of image"),
])
def test_what_is_wrong_is_one_sentence(changes: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(DataError) as refusal:
        definitions([{"path": "site.yml", "data": record(**changes)}])
    assert refusal.value.sentence.startswith(sentence)


def test_a_later_directory_replaces_an_image() -> None:
    found = definitions([{"path": "ours", "data": record(), "layer": 0}, {"path": "theirs", "data": record(rocm="7.0.2"), "layer": 1}])
    assert (list(found), found["site"].where) == (["site"], "theirs")
    with pytest.raises(DataError, match=r"b\.id: 'site' is also a; rename one"):
        definitions([{"path": "a", "data": record()}, {"path": "b", "data": record()}])


@pytest.mark.parametrize("source", ["https://secret@git.example.org/x", "HTTP://me:secret@git.example.org", "ssh://git:secret@git.example.org/x"])
def test_a_label_lets_nobody_in(source: str) -> None:
    with pytest.raises(DataError, match=r"site\.yml: source: is written with a user or password") as refused:
        definition(source=source)
    assert "secret" not in refused.value.sentence


@pytest.mark.parametrize("source", ["git@git.example.org:site/images.git", "ssh://git@git.example.org:22/x", "https://git.example.org:8443/a:b@c"])
def test_a_source_is_named_in_any_other_form(source: str) -> None:
    assert definition(source=source).source == source
