# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Diagnoses as plain data, for tests of what is made of them."""

from __future__ import annotations

import typing as t

SEEN = {"os": "Ubuntu 24.04.3 LTS", "kernel": "6.8.0-44-generic", "driver": "not loaded", "rocm": "7.0.2", "gpus": "8 x MI300X"}


def finding(name: str, summary: str, severity: str = "error", **more: t.Any) -> dict[str, t.Any]:
    """One finding."""
    return {
        "id": name, "kind": "fault", "severity": severity, "domain": "driver", "subject": "node", "summary": summary, "count": 1,
        "evidence": [], "cause": f"because of {name}", "remedy": f"mend {name}", "sources": ["https://docs.example/" + name],
        "confidence": "documented", "origin": "kmsg", "consequences": [], **more,
    }  # fmt: skip


def diagnosis(verdict: str, *findings: dict[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    """One diagnosis; its root is the first finding that is more than information."""
    root = next((f for f in findings if f["severity"] != "info"), None)
    return {
        "version": "v1", "kind": "diagnosis", "verdict": verdict, "seen": SEEN, "findings": list(findings),
        "summary": root["summary"] if root else "nothing is wrong", "next_action": root["remedy"] if root else "nothing to do",
        "root": root and {key: root[key] for key in ("id", "kind", "severity", "domain", "subject", "summary")},
        "checks": {"counts": {"pass": 3, "warn": 0, "unknown": 0, "fail": 0}, "open": []}, "unknown": [], **more,
    }  # fmt: skip
