# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The baseboard from DMI, and its BMC from the IPMI driver."""

from __future__ import annotations

import os

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.firmware import NO_BKC, NO_BMC
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Baseboard
from ansible_collections.instinct.fleet.plugins.module_utils._node.baseboard import Question
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

DMI = "/sys/class/dmi/id"
BMC = "/sys/devices/platform/ipmi_bmc.0/firmware_revision"


def test_a_board_with_a_bmc(tree: Tree) -> None:
    tree.fill({f"{DMI}/sys_vendor": "Supermicro\n", f"{DMI}/product_name": "AS -8125GS-TNMR2\n",
               f"{DMI}/board_name": "H13DSG-O-CPU\n", f"{DMI}/bios_vendor": "American Megatrends International, LLC.\n",
               f"{DMI}/bios_version": "3.7\n", f"{DMI}/bios_date": "03/21/2025\n", BMC: "1.04\n"})
    found, unknown = Question(tree.machine()).answer(5)
    assert found == Baseboard("Supermicro", "AS -8125GS-TNMR2", "H13DSG-O-CPU",
                              "American Megatrends International, LLC.", "3.7", "03/21/2025", bmc="1.04")
    assert unknown == {"baseboard.bkc": NO_BKC}
    assert tree.asked == []


def test_a_board_that_says_nothing(tree: Tree) -> None:
    assert Question(tree.machine()).answer(5) == (Baseboard(), {"baseboard.bkc": NO_BKC, "baseboard.bmc": NO_BMC})


def test_a_bmc_that_does_not_answer_is_not_waited_for(tree: Tree) -> None:
    path = tree.write(BMC)
    path.unlink()
    os.mkfifo(path)  # opening it blocks, as a BMC that hangs does
    found, unknown = Question(tree.machine()).answer(0.2)
    assert (found.bmc, unknown["baseboard.bmc"]) == (None, "no answer from the driver in 0 s")
