# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Mixed precision jobs: they look idle while they are not, so they are left alone for a while."""

from __future__ import annotations

import dataclasses as dc
import itertools
import statistics
import typing as t

from ..errors import DataError
from ..strict import Reader
from .shape import Holder, Rules


@dc.dataclass(frozen=True)
class Samples:
    """Of one device, oldest first. A reading that failed is None, and says nothing.

    Attributes:
        device: its id.
        interval: seconds between two of them.
        compute: activity in per cent.
        bandwidth: of its memory, in any unit.
    """

    device: str
    interval: int
    compute: tuple[int | None, ...]
    bandwidth: tuple[int | None, ...]


def read_samples(raw: t.Sequence[t.Any]) -> tuple[Samples, ...]:
    """From plain data.

    Raises:
        DataError: they are not of their form, or of one reading there are more than of the other.
    """
    return Reader({"samples": list(raw)}, "gpu_evict:").records("samples", _samples)


def _samples(reader: Reader) -> Samples:
    device, interval = reader.text("device"), reader.count("interval")
    compute, bandwidth = (_numbers(reader, key) for key in ("compute", "bandwidth"))
    if not interval:
        raise DataError(f"{reader.path}.interval", "is missing or 0", "give the seconds between two samples")
    if len(compute) != len(bandwidth):
        raise DataError(reader.path, f"has {len(compute)} readings of compute and {len(bandwidth)} of bandwidth",
                        "give both of each moment, and null where one failed")
    return Samples(device, interval, compute, bandwidth)


def _numbers(reader: Reader, key: str) -> tuple[int | None, ...]:
    values = reader.anything(key)
    if not isinstance(values, list) or not all(map(_reading, values)):
        hint = "write it so, and null where there is none"
        raise DataError(f"{reader.path}.{key}", "is no list of whole numbers", hint)
    return tuple(values)


def _reading(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def mixed_precision(samples: Samples, rules: Rules) -> bool:
    """Whether a device shows the pattern: compute drops to nothing for some seconds, again and again, and each time
    memory is moved in a burst.

    source: operators' report R4 (compute periodically at 0, bursts of 3 to 5 times, stalls of 2 to 8 s)
    """
    pairs = [(c, b) for c, b in zip(samples.compute, samples.bandwidth) if c is not None and b is not None]
    working = [bandwidth for compute, bandwidth in pairs if compute > rules.stall_compute]
    if not working:
        return False
    usual = statistics.median(working)
    groups = [(idle, [b for _c, b in group])
              for idle, group in itertools.groupby(pairs, lambda pair: pair[0] <= rules.stall_compute)]
    stalls = [moved for idle, moved in groups[1:-1] if idle]  # one at an end may be longer than what was seen of it
    fitting = [moved for moved in stalls if _lasts(len(moved), samples.interval, rules)
               and max(moved) >= rules.burst * max(usual, 1)]
    return len(fitting) >= rules.stall_times


def _lasts(count: int, interval: int, rules: Rules) -> bool:
    """Whether so many samples may be a stall: it lasted longer than between its samples, and less than around them."""
    return (count - 1) * interval <= rules.stall_to and (count + 1) * interval > rules.stall_from


def window(gpus: int, rules: Rules) -> int:
    """Seconds for which a job on so many GPUs is left alone: 1800 s x (1 + gpus / 8). source: operators' report R4"""
    return rules.protection_seconds * (rules.protection_gpus + gpus) // rules.protection_gpus


def left(holder: Holder, holders: t.Iterable[Holder], rules: Rules) -> int | None:
    """Seconds for which a mixed precision job is still left alone; None where its age is unknown.

    A job is what runs in one unit or container, or else in one process group.
    """
    job = [one for one in holders if _job(one) == _job(holder)]
    gpus = {device.partition("-")[0] for one in job for device in one.devices}
    ages = [one.seconds for one in job if one.seconds is not None]
    return max(0, window(len(gpus), rules) - max(ages)) if ages else None


def _job(holder: Holder) -> tuple[str | None, str | int | None]:
    return holder.tenant, holder.unit or holder.group or holder.pid
