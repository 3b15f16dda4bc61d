# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The text of a source of packages during a build; the line that names its key comes at its end."""

from __future__ import annotations

import typing as t

from . import containerfile


def stanza(
    os: str, name: str, uri: str, suite: str, components: t.Sequence[str], architectures: t.Sequence[str] = (),
) -> str:
    """One source, for the package manager of an operating system.

    source: sources.list(5): a suite that ends in / has no components; dnf.conf(5)
    """
    if not containerfile.is_apt(os):
        return f"[{name}]\nname={name}\nbaseurl={uri}\nenabled=1\ngpgcheck=1\n"
    lines = ["Types: deb", f"URIs: {uri}", f"Suites: {suite}"]
    lines += [f"{word}: {' '.join(values)}" for word, values in
              (("Components", components), ("Architectures", architectures)) if values]
    return "\n".join(lines) + "\n"
