# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What both looking modules do after their arguments are parsed."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._node.machine import Machine
from .sight import Sight
from .wanted import NOTHING, Wanted

if t.TYPE_CHECKING:
    from ansible.module_utils.basic import AnsibleModule


def look(module: AnsibleModule, sections: t.Sequence[str], wanted: Wanted = NOTHING) -> None:
    """End the module with one look, or refuse a time in which nothing can be read."""
    timeout = module.params["timeout"]
    if timeout < 1:
        what = f"{timeout} is too short"
        module.fail_json(msg=f"timeout: {what}; give at least 1 second",
                         failure={"where": "timeout", "what": what, "hint": "give at least 1 second", "source": ""})
    seen = Sight(Machine(timeout=timeout), wanted).take(sections)
    module.exit_json(changed=False, look=dc.asdict(seen))
