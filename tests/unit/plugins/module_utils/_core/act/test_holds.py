# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told to dpkg, for each state that a package can be in."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.holds import (
    Selection,
    checked_names,
    parse_selections,
    plan_holds,
    refuse_missing,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError

# (want, status) of one package -> line to write, missing
HOLD = {
    "installed": ("install", "installed", ("aa hold",), ()),
    "held": ("hold", "installed", (), ()),
    "half-configured by a failed build": ("install", "half-configured", ("aa hold",), ()),
    "marked for removal": ("deinstall", "installed", ("aa hold",), ()),
    "configuration left": ("deinstall", "config-files", (), ("aa",)),
    "known and not installed": ("unknown", "not-installed", (), ("aa",)),
    "held and not installed": ("hold", "not-installed", (), ()),
}
UNHOLD = {
    "installed": ("install", "installed", ()),
    "held": ("hold", "installed", ("aa install",)),
    "held and half-configured": ("hold", "half-configured", ("aa install",)),
    "held and not installed": ("hold", "not-installed", ("aa deinstall",)),
    "held and configuration left": ("hold", "config-files", ("aa deinstall",)),
    "configuration left": ("deinstall", "config-files", ()),
}


@pytest.mark.parametrize(("want", "status", "lines", "missing"), HOLD.values(), ids=HOLD)
def test_hold(want: str, status: str, lines: tuple[str, ...], missing: tuple[str, ...]) -> None:
    plan = plan_holds(["aa"], [Selection("aa", "aa", want, status)], held=True)
    assert (plan.lines, plan.missing) == (lines, missing)
    assert plan.actions == (("hold aa",) if lines else ())
    assert plan.after == (() if missing else ("aa",))


@pytest.mark.parametrize(("want", "status", "lines"), UNHOLD.values(), ids=UNHOLD)
def test_unhold(want: str, status: str, lines: tuple[str, ...]) -> None:
    plan = plan_holds(["aa"], [Selection("aa", "aa", want, status)], held=False)
    assert (plan.lines, plan.missing, plan.after) == (lines, (), ())
    assert plan.before == (("aa",) if want == "hold" else ())


def test_others_are_not_touched() -> None:
    others = [Selection("bb", "bb", "install", "installed"), Selection("cc", "cc", "hold", "installed")]
    assert plan_holds(["aa"], others, held=False).lines == ()
    assert plan_holds(["aa"], others, held=True).missing == ("aa",)


def test_parse_selections() -> None:
    assert parse_selections("aa aa:i386 hold installed\n\n") == (Selection("aa", "aa:i386", "hold", "installed"),)
    with pytest.raises(DataError, match=r"^dpkg-query: line not understood: 'aa hold'"):
        parse_selections("aa hold\n")


def test_checked_names() -> None:
    assert checked_names(["g++-12", "aa", "aa"]) == ("aa", "g++-12")
    with pytest.raises(DataError, match=r"^names: 'aa:i386' is not a package name"):
        checked_names(["aa:i386"])
    assert checked_names(["libX11", "a_b"], "dnf") == ("a_b", "libX11")
    with pytest.raises(DataError, match=r"^names: 'a\*' is not a package name"):
        checked_names(["a*"], "zypper")


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        (("aa",), "aa: cannot be held: it is not installed; install first; the other packages named are held"),
        (
            ("aa", "bb"),
            "aa, bb: cannot be held: they are not installed; install first; the other packages named are held",
        ),
    ],
)
def test_refuse_missing(missing: tuple[str, ...], sentence: str) -> None:
    refuse_missing(())
    with pytest.raises(FleetError) as error:
        refuse_missing(missing)
    assert error.value.sentence == sentence
