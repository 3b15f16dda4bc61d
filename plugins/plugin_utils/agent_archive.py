# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A command as one file that Python runs: our own module_utils, as far as it needs them.

The same sources give the same bytes: nothing is compressed, and every file in it has the same time.
"""

from __future__ import annotations

import ast
import dataclasses as dc
import functools
import io
import pathlib
import zipfile

UTILS = pathlib.Path(__file__).resolve().parents[1] / "module_utils"
_TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can say


@dc.dataclass(frozen=True)
class Agent:
    """A command: the folder of module_utils whose ``agent.py`` has its ``main``, and the package that all lies in."""

    folder: str
    package: str


GATE = Agent("_gate", "instinct_gate")
PARTITION = Agent("_partition", "instinct_partition")
QOS = Agent("_qos", "instinct_qos")
RESERVATION = Agent("_reservation", "instinct_reservation")


@functools.cache
def build(agent: Agent, python: str) -> bytes:
    """The archive, to be run by ``python``."""
    entry = f"{agent.folder}/agent.py"
    parts = {f"{agent.package}/{path}": (UTILS / path).read_text(encoding="utf-8") for path in needed(entry)}
    folders = {str(parent) for path in parts for parent in pathlib.PurePosixPath(path).parents} - {"."}
    parts.update({f"{folder}/__init__.py": "" for folder in folders})
    main = f"from {agent.package}.{agent.folder}.agent import main"
    parts["__main__.py"] = f"import sys\n\n{main}\n\nsys.exit(main())\n"
    out = io.BytesIO()
    out.write(f"#!{python} -I\n".encode())
    with zipfile.ZipFile(out, "a", zipfile.ZIP_STORED) as archive:
        for path, text in sorted(parts.items()):
            archive.writestr(zipfile.ZipInfo(path, _TIME), text)
    return out.getvalue()


def needed(entry: str) -> tuple[str, ...]:
    """The files that a file imports from module_utils, however deep, itself among them."""
    found: set[str] = set()
    rest = [entry]
    while rest:
        path = rest.pop()
        if path not in found:
            found.add(path)
            rest += _imports(path)
    return tuple(sorted(found))


def _imports(path: str) -> list[str]:
    """What one file imports by relative imports; what only type checkers see is left out where it is not ours."""
    tree = ast.parse((UTILS / path).read_text(encoding="utf-8"))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = pathlib.PurePosixPath(path).parents[node.level - 1]
            module = folder.joinpath(*(node.module or "").split("."))
            names = [module.with_suffix(".py"), *((module / alias.name).with_suffix(".py") for alias in node.names)]
            found += [str(name) for name in names if (UTILS / name).is_file()]
    return found
