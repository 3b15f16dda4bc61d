# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""buildah, podman and skopeo, as this node has them."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._act.process import run
from .._core.errors import FleetError
from .._core.formats import engines
from .._core.image.complaints import refusal


@dc.dataclass(frozen=True)
class Tools:
    """How programs are run.

    Attributes:
        seconds: that each may take.
        isolation: of commands during a build: chroot, rootless, oci; empty: as buildah does by itself.
    """

    seconds: float
    isolation: str = ""

    def run(self, where: str, *argv: str) -> str:
        """What a program printed. ``where``: what it is about, for a refusal.

        Raises:
            FleetError: it failed or did not end, in one sentence; or there is no such program.
        """
        done = run(argv, self.seconds, **self._environment)
        if done.timed_out:
            raise FleetError(
                where, f"{argv[0]} did not end in {self.seconds:.0f} s", "give it more time, then run again"
            )
        if done.code:
            raise refusal(where, done.err or done.out)
        return done.out

    def tried(self, *argv: str) -> bool:
        """Whether a program did what it was asked, whatever it says: to tidy up."""
        try:
            return run(argv, self.seconds).code == 0
        except FleetError:
            return False

    def said(self, *argv: str) -> str:
        """What a program printed, as errors too, whether or not it failed.

        Raises:
            FleetError: there is no such program.
        """
        done = run(argv, self.seconds, **self._environment)
        return f"{done.out}\n{done.err}"

    @property
    def _environment(self) -> dict[str, str]:
        return {"BUILDAH_ISOLATION": self.isolation} if self.isolation else {}

    def images(self) -> tuple[engines.Stored, ...]:
        """Images of this node's store."""
        return engines.images(self.run("images of this node", "podman", "images", "--format", "json"))

    def in_use(self) -> frozenset[str]:
        """Ids of images that containers of this node are made of, running or not, those of buildah among them."""
        said = self.run("containers of this node", "podman", "ps", "--all", "--external", "--format", "json")
        return engines.in_use(said)

    def working(self, base: str) -> frozenset[str]:
        """Ids of containers that builds on ``base`` work in."""
        return engines.working(self.run("builds of this node", "buildah", "containers", "--json"), base)

    def remove(self, images: t.Iterable[str]) -> None:
        """Remove images that nobody refers to."""
        for ident in images:
            self.tried("podman", "rmi", ident)
