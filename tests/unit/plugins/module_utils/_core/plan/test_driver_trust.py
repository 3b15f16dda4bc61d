# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secure Boot and lockdown: a driver that the kernel would not load is not built."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver import DriverPolicy, plan_driver
from ansible_collections.instinct.fleet.tests.unit.support.releases import release
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node, carry_out

RELOAD = DriverPolicy(reload_allowed=True)
IGNORE = DriverPolicy(reload_allowed=True, secure_boot="ignore")
WANTED = release("rocm-7.0.2")
SETTLED = carry_out(bare_node(), plan_driver(bare_node(), WANTED, RELOAD))
NAME = "DKMS module signing key"
OR = "reboot, and confirm at the console (Enroll MOK); or set gpu_driver_secure_boot to ignore if the site signs modules itself"
SOURCE = " (source: dkms(8), mokutil(1))"


def secure(node: lk.Look, secure_boot: bool | None = True, **boot: t.Any) -> lk.Look:
    """The node with Secure Boot, and what is known of the key."""
    unknown = {} if secure_boot is not None else {"secure_boot": "efivarfs is not mounted"}
    kernel = dc.replace(node.kernel, secure_boot=secure_boot, unknown=unknown)
    return dc.replace(node, kernel=kernel, boot=dc.replace(node.boot, **{"key_name": NAME, **boot}))


# id, look, sentence
REFUSED = [
    ("the key is not enrolled", secure(bare_node(), key_enrolled=False),
     f"Secure Boot: is on and does not trust the key with which DKMS signs the driver ({NAME}); run mokutil --import "
     f"/var/lib/dkms/mok.pub, {OR}{SOURCE}"),
    ("lockdown without Secure Boot", secure(bare_node(), secure_boot=False, lockdown="integrity", key_enrolled=False),
     f"lockdown (integrity): is on and does not trust the key with which DKMS signs the driver ({NAME}); run mokutil "
     f"--import /var/lib/dkms/mok.pub, {OR}{SOURCE}"),
    ("there is no key yet", secure(bare_node(), key_enrolled=False, key_name=None),
     "Secure Boot: is on and does not trust the key with which DKMS signs the driver (not made yet); make it (dkms "
     f"generate_mok), then run mokutil --import /var/lib/dkms/mok.pub, {OR}{SOURCE}"),
    ("there is no key yet on Ubuntu", secure(bare_node(), key_enrolled=False, key_name=None, key="/var/lib/shim-signed/mok/MOK.der"),
     "Secure Boot: is on and does not trust the key with which DKMS signs the driver (not made yet); make it "
     f"(update-secureboot-policy --new-key), then run mokutil --import /var/lib/shim-signed/mok/MOK.der, {OR}{SOURCE}"),
]


@pytest.mark.parametrize(("node", "sentence"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_a_driver_that_would_not_load_is_refused_before_anything_is_changed(node, sentence):
    with pytest.raises(FleetError) as refused:
        plan_driver(node, WANTED, RELOAD)
    assert refused.value.sentence == sentence


LEFT = "Secure Boot is on; that it trusts the driver is left to the site (gpu_driver_secure_boot is ignore)"
UNTOLD = "Secure Boot is on, and whether it trusts the key with which DKMS signs is unknown: no MokListRT"

# id, look, policy, notes
ACCEPTED = [
    ("the key is enrolled", secure(bare_node(), key_enrolled=True), RELOAD, ()),
    ("Secure Boot is off", secure(bare_node(), secure_boot=False, key_enrolled=None), RELOAD, ()),
    ("the site signs itself", secure(bare_node(), key_enrolled=False), IGNORE, (LEFT,)),
    ("nobody can tell", secure(bare_node(), key_enrolled=None, unknown={"key_enrolled": "no MokListRT"}), RELOAD, (UNTOLD,)),
    ("the wanted driver is loaded: it is trusted", secure(SETTLED, key_enrolled=False), RELOAD, ()),
    ("Secure Boot is unknown", secure(bare_node(), secure_boot=None, lockdown=None), RELOAD,
     ("whether Secure Boot is on is unknown: efivarfs is not mounted",)),
]


@pytest.mark.parametrize(("node", "policy", "notes"), [c[1:] for c in ACCEPTED], ids=[c[0] for c in ACCEPTED])
def test_what_is_trusted_or_not_known_goes_on(node, policy, notes):
    assert plan_driver(node, WANTED, policy).notes == notes


def test_the_kernels_own_driver_is_signed_by_the_distribution():
    node = secure(bare_node(), secure_boot=None, key_enrolled=False, lockdown="integrity")
    assert plan_driver(node, release("rocm-7.0.2", source="in_tree"), RELOAD).notes == ()


def signed(by: str | None, **boot: t.Any) -> lk.Look:
    """The settled node after a boot that loaded nothing, with a driver that a key signed."""
    disks = tuple(dc.replace(d, signer=by) for d in SETTLED.driver.on_disk)
    driver = dc.replace(SETTLED.driver, on_disk=disks, loaded=False, loaded_is_on_disk=None)
    return secure(dc.replace(SETTLED, driver=driver), **{"key_enrolled": True, **boot})


# id, look, policy, problem
SIGNERS = [
    ("by the trusted key", signed(NAME), RELOAD, None),
    ("by another key", signed("old key"), RELOAD, "is signed by old key"),
    ("by nobody", signed(None), RELOAD, "is signed by nobody"),
    ("by another key, and the site signs itself", signed("old key"), IGNORE, None),
    ("by another key, and nothing asks for it", signed("old key", secure_boot=False), RELOAD, None),
    ("by another key, and whether ours is trusted is not known", signed("old key", key_enrolled=None), RELOAD, None),
]


@pytest.mark.parametrize(("node", "policy", "problem"), [c[1:] for c in SIGNERS], ids=[c[0] for c in SIGNERS])
def test_the_signer_of_what_was_built_is_compared(node, policy, problem):
    path = SETTLED.driver.on_disk[0].path
    wanted = (f"{path} {problem}, and Secure Boot trusts {NAME}: it will not load; sign it with that key, or let DKMS build it "
              "anew",) if problem else ()
    assert plan_driver(node, WANTED, policy).problems == wanted
