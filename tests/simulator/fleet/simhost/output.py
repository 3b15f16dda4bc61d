# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What people read: tables, and the inventory."""

from __future__ import annotations

import json
import typing as t


def table(head: t.Sequence[str], rows: t.Iterable[t.Sequence[object]]) -> str:
    """Columns under their heads, two blanks apart; None and the empty text show as a dash."""
    lines = [tuple(head), *(tuple("-" if cell in (None, "") else str(cell) for cell in row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)


def inventory(hosts: t.Mapping[str, t.Mapping[str, object]], key: str, fingerprint: str,
              group: str = "instinct") -> str:
    """An Ansible inventory in YAML for nodes with these variables, and with the fingerprint of their repository's key.

    Host keys are not checked, for these hosts alone: a node makes new ones whenever it is made.
    """
    variables = {
        "ansible_user": "root",
        "ansible_ssh_private_key_file": key,
        "ansible_ssh_common_args": "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR",
        "ansible_python_interpreter": "/usr/bin/python3",
        "instinct_sim_fingerprint": fingerprint,
    }
    lines = ["---", "# Made by tests/simulator/fleet/simfleet; overwritten by it too.", f"{group}:", "  hosts:"]
    lines += ["\n".join([f"    {name}:", *(f"      {word}: {value}" for word, value in own.items())])
              for name, own in sorted(hosts.items())] or ["    {}"]
    lines += ["  vars:", *(f"    {name}: {json.dumps(value)}" for name, value in variables.items())]
    return "\n".join(lines) + "\n"
