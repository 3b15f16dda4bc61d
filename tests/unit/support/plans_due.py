# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans of an upgrade as fleet_plan returns them, with the steps that a test names."""

from __future__ import annotations

import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import due as core

Step = tuple[str, str, dict[str, t.Any]]
K1, K2 = "6.1.0-56-amd64", "6.12.111+deb12-amd64"
QUESTION: Step = ("gpu_driver", "available", {"packages": ["amdgpu-dkms=1:6"], "together": True})
TRIAL: Step = ("gpu_driver", "trial", {"kernels": [K1, K2]})
BUILD: Step = ("gpu_driver", "build", {"kernel": K2})
INSTALL: Step = ("gpu_driver", "install", {"packages": ["amdgpu-dkms=1:6"]})
REBOOT: Step = ("node_maintenance", "reboot", {})
ROCM: Step = ("rocm_userspace", "install", {"packages": ["rocm=7"]})


def of(role: str, steps: t.Sequence[Step], **more: t.Any) -> dict[str, t.Any]:
    return {"steps": [{"action": action, "data": data} for owner, action, data in steps if owner == role],
            "problems": [], "reboot": "", **more}


def plan(*steps: Step, wanted: str | None = K2, manager: str = "apt", **of_driver: t.Any) -> dict[str, t.Any]:
    roles = dict.fromkeys(["gpu_driver", *(role for role, _action, _data in steps)])
    return {
        "plans": {role: of(role, steps, **(of_driver if role == "gpu_driver" else {})) for role in roles},
        "release": {"kernel": {"wanted": wanted}, "os": {"manager": manager}, "gpus": [{"product": "MI300X"}] * 2},
    }


def due(*steps: Step, there: tuple[str, ...] = (K1,), **more: t.Any) -> core.Due:
    return core.due(plan(*steps, **more), there)
