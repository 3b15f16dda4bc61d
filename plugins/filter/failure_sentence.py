# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter failure_sentence: documented in failure_sentence.yml."""

from __future__ import annotations

import typing as t

from ansible_collections.instinct.fleet.plugins.plugin_utils.progress import sentence


def failure_sentence(result: t.Mapping[str, t.Any]) -> str:
    """Why a task failed, in one line."""
    return sentence(result)


class FilterModule:
    """Filters of results of tasks."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"failure_sentence": failure_sentence}
