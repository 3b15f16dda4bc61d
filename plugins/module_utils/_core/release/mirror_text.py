# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is to be mirrored, in the words of the programs that do it. Each line once, in order."""

from __future__ import annotations

import re
import typing as t

from .mirror import Mirror, MirrorRepository


def apt_mirror(mirrors: t.Sequence[Mirror]) -> str:
    """Lines for apt-mirror's mirror.list (apt-mirror(1)); it keeps the path of the vendor below its own folder."""
    return _lines(f"deb [arch={','.join(r.architectures)}] {r.vendor.rstrip('/')} {r.suite} {' '.join(r.components)}"
                  for r in _of(mirrors, "deb"))


def reposync(mirrors: t.Sequence[Mirror]) -> str:
    """A .repo file, with the command of dnf-plugins-core for each repository that keeps the path of the vendor."""
    keys = {key.name: key.vendor for mirror in mirrors for key in mirror.signing_keys}
    found = dict.fromkeys(_of(mirrors, "rpm"))
    return "\n".join(_section(repository, keys[repository.key]) for repository in found)


def _section(repository: MirrorRepository, key: str) -> str:
    path = _path(repository.vendor)
    name = re.sub(r"[^A-Za-z0-9.]+", "-", path)
    command = f"dnf reposync --repoid={name} --norepopath --download-metadata --gpgcheck --download-path={path}"
    return (f"# {command}\n[{name}]\nname={repository.name} from {repository.vendor}\nbaseurl={repository.vendor}\n"
            f"enabled=1\ngpgcheck=1\ngpgkey={key}\n")


def key_urls(mirrors: t.Sequence[Mirror]) -> str:
    """One address in a line, as wget -x -i takes them: it keeps the path of the vendor, too."""
    return _lines(key.vendor for mirror in mirrors for key in mirror.signing_keys)


FORMS: dict[str, t.Callable[[t.Sequence[Mirror]], str]] = {
    "apt-mirror": apt_mirror, "reposync": reposync, "keys": key_urls}


def _of(mirrors: t.Sequence[Mirror], form: str) -> t.Iterator[MirrorRepository]:
    return (r for mirror in mirrors for r in mirror.repositories if r.format == form)


def _path(url: str) -> str:
    """repo.radeon.com/rocm/el9/7.2.3/main of its address."""
    return url.partition("://")[2].strip("/")


def _lines(found: t.Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in dict.fromkeys(found))
