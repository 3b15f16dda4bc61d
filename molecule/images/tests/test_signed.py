# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node whose policy asks for a signature refuses an image without one, and takes the same image once it is signed."""

from __future__ import annotations

import json
import uuid

import pytest
from layered import BUILDER, TASK, definition, failure, stored, wish
from partitioned import result, role

testinfra_hosts = ["ansible://img-b"]
NODE, REGISTRY, PORT = "img-b", "img-a:5000", 8098
PLACES = "/etc/containers/registries.d"
POLICY, KEY = "/etc/containers/policy.json", "/etc/containers/images.gpg"
SERVE = ("mkdir -p /srv/signatures; systemd-run --quiet --unit=signatures "
         f"python3 -m http.server --directory /srv/signatures {PORT}")
MAKE = "gpg --batch --quiet --passphrase '' --quick-generate-key 'A key of a test <none@invalid>' rsa2048 sign 1d"
RULES = {"default": [{"type": "insecureAcceptAnything"}],
         "transports": {"docker": {REGISTRY: [{"type": "signedBy", "keyType": "GPGKeys", "keyPath": KEY}]}}}


def put(host, path: str, text: str) -> None:
    """Write a file on a node."""
    host.check_output("mkdir -p $(dirname %s); printf '%%s\n' %s > %s", path, text, path)


@pytest.fixture
def builder(host):
    """The node that builds, with a key, and a place for signatures that nodes can read."""
    found = host.get_host("ansible://" + BUILDER, ansible_inventory=host.backend.ansible_inventory)
    place = f"docker: {{'{REGISTRY}': {{lookaside: 'http://img-a:{PORT}', lookaside-staging: 'file:///srv/signatures'}}}}"
    for one in (found, host):
        put(one, f"{PLACES}/fleet.yaml", place)
    found.check_output(SERVE)
    found.check_output(MAKE)
    yield found
    found.check_output(f"systemctl stop signatures; rm -r {PLACES} /root/.gnupg")
    host.check_output(f"rm -r {PLACES}")


@pytest.fixture
def strict(host, builder) -> None:
    """The node takes of the registry what that key signed, and nothing else."""
    before = host.file(POLICY).content_string
    put(host, KEY, builder.check_output("gpg --armor --export"))
    put(host, POLICY, json.dumps(RULES))
    yield
    put(host, POLICY, before)


def test_a_node_takes_what_is_signed_and_nothing_else(host, builder, strict, tmp_path) -> None:
    image, before = definition(builder, "duo", uuid.uuid4().hex, rocm=False), stored(host)
    variables = wish(builder, tmp_path, image, rocm_image_registry=f"{REGISTRY}/fleet")
    wanted = result(role(BUILDER, **variables), "Export | Say what there is")["ansible_facts"]["rocm_image_result"]
    bring = {"role": "rocm_image", "entry": "distribute", "rocm_image_wanted": wanted}
    said = failure(role(NODE, **bring))
    assert wanted["reference"] in said and "signature" in said
    assert stored(host) == before
    key = builder.check_output("gpg --list-keys --with-colons | sed -n 's/^fpr:*\\([0-9A-F]*\\):$/\\1/p'").split()[0]
    for changes in (True, False):  # the registry has the image already: it is signed there, once
        pushed = result(role(BUILDER, **{**variables, "rocm_image_sign_by": key}), TASK["push"])
        assert (pushed["changed"], pushed["reference"]) == (changes, wanted["reference"])
    assert result(role(NODE, **bring), TASK["pull"])["id"] == wanted["id"]
    assert wanted["tag"] in stored(host)
