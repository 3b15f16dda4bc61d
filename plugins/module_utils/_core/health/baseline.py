# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A baseline: what counters stood at when, so that what came since and how fast can be told.

Counters begin at 0 when the driver is loaded. A node that was restarted, another driver, another GPU or a counter that
went back therefore begin anew at 0, and the baseline says so.
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import DataError
from ..look.shape import Look
from ..strict import Reader

VERSION, KIND = "v1", "health_baseline"
HINT = "take a new one (baseline: take)"
_HOUR = 3600.0
Counts = t.Mapping[str, t.Mapping[str, int]]  # PCI address -> check/what -> number


@dc.dataclass(frozen=True)
class Mark:
    """What counters stood at, at one time (seconds since the epoch)."""

    epoch: float
    counts: Counts


@dc.dataclass(frozen=True)
class Baseline:
    """Attributes: boot and driver that it belongs to, serial numbers of the GPUs, the mark that was taken, and one or
    two later marks between which rates are reckoned, oldest first."""

    boot_id: str | None
    driver: str | None
    serials: t.Mapping[str, str]
    taken: Mark
    window: tuple[Mark, ...]

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data, as ``read`` takes it."""
        plain = dc.asdict(self)
        return {**plain, "version": VERSION, "kind": KIND, "window": list(plain["window"])}


def read(raw: object, where: str) -> Baseline:
    """A baseline from plain data.

    Raises:
        DataError: it is not of that form.
    """
    reader = Reader(raw, f"{where}:")
    reader.choice("version", (VERSION,))
    reader.choice("kind", (KIND,))
    baseline = Baseline(reader.optional("boot_id"), reader.optional("driver"), reader.texts_by_name("serials"),
                        reader.record("taken", _mark), reader.records("window", _mark))
    reader.done()
    if not 1 <= len(baseline.window) <= 2:
        raise DataError(f"{where}: window", f"has {len(baseline.window)} marks, not one or two", HINT)
    return baseline


def _mark(reader: Reader) -> Mark:
    epoch, counts = reader.anything("epoch"), reader.anything("counts")
    if isinstance(epoch, bool) or not isinstance(epoch, (int, float)):
        raise DataError(f"{reader.path}.epoch", "is not a number", HINT)
    if not isinstance(counts, dict) or not all(_numbers(of_gpu) for of_gpu in counts.values()):
        raise DataError(f"{reader.path}.counts", "is not numbers by name by PCI address", HINT)
    return Mark(float(epoch), counts)


def _numbers(raw: object) -> bool:
    return isinstance(raw, dict) and all(
        isinstance(value, int) and not isinstance(value, bool) and value >= 0 for value in raw.values())


def take(look: Look, counts: Counts, now: float) -> Baseline:
    """A baseline of now."""
    mark = Mark(now, counts)
    return Baseline(_boot(look), _driver(look), _serials(look), mark, (mark,))


def _boot(look: Look) -> str | None:
    return look.kernel.boot_id if look.kernel else None


def _driver(look: Look) -> str | None:
    return look.driver.srcversion if look.driver else None


def _serials(look: Look) -> dict[str, str]:
    return {gpu.bdf: gpu.serial for gpu in look.gpus.gpus if gpu.serial} if look.gpus else {}


@dc.dataclass(frozen=True)
class Basis:
    """A baseline as it holds for the counters of now.

    Attributes:
        baseline: with what began anew begun anew; None: there is none.
        notes: what began anew, and why, in words.
        now: seconds since the epoch.
        minimum: seconds below which a rate says nothing.
    """

    baseline: Baseline | None
    notes: tuple[str, ...]
    now: float
    minimum: int

    def since(self, bdf: str, key: str, value: float) -> float | None:
        """How much came since the baseline; None without one."""
        return None if self.baseline is None else value - _stood(self.baseline.taken, bdf, key)

    def per_hour(self, bdf: str, key: str, value: float) -> tuple[float | None, str]:
        """How much comes in an hour (of less than an hour what came so far), and how sure that is: a reason if not."""
        if self.baseline is None:
            return None, "there is no baseline"
        mark = self.baseline.window[0]
        gone = self.now - mark.epoch
        rate = (value - _stood(mark, bdf, key)) / max(gone / _HOUR, 1.0)
        return rate, f"a rate needs {self.minimum} s, the baseline is {gone:.0f} s old" if gone < self.minimum else ""

    def next(self, counts: Counts, window: int) -> Baseline | None:
        """The baseline to keep: with a new mark if the last one is older than ``window`` seconds."""
        if self.baseline is None or self.now - self.baseline.window[-1].epoch < window:
            return self.baseline
        return dc.replace(self.baseline, window=(self.baseline.window[-1], Mark(self.now, counts)))


def _stood(mark: Mark, bdf: str, key: str) -> int:
    return mark.counts.get(bdf, {}).get(key, 0)


def hold(baseline: Baseline | None, look: Look, counts: Counts, now: float, minimum: int) -> Basis:
    """The baseline as it holds for these counters: what cannot be compared begins anew."""
    if baseline is None:
        return Basis(None, (), now, minimum)
    why = _other(baseline, look, now)
    if why:
        booted = look.host.clock.booted if look.host and look.host.clock else None
        zero = Mark(min(now, booted) if booted is not None else now, {})
        fresh = Baseline(_boot(look), _driver(look), _serials(look), zero, (zero,))
        return Basis(fresh, (f"the baseline begins anew: {why}",), now, minimum)
    serials, notes = _serials(look), []
    for bdf, of_gpu in counts.items():
        reason = _other_gpu(baseline, bdf, of_gpu, serials.get(bdf))
        if reason:
            notes.append(f"{bdf}: the baseline begins anew: {reason}")
            baseline = _forget(baseline, bdf)
    return Basis(dc.replace(baseline, serials={**baseline.serials, **serials}), tuple(notes), now, minimum)


def _other(baseline: Baseline, look: Look, now: float) -> str:
    """Why nothing of a baseline can be compared; empty if it can."""
    boot, driver = _boot(look), _driver(look)
    if boot and baseline.boot_id and boot != baseline.boot_id:
        return "the node was restarted"
    if driver and baseline.driver and driver != baseline.driver:
        return "another driver was loaded"
    return "the clock went back" if now < max(baseline.taken.epoch, baseline.window[-1].epoch) else ""


def _other_gpu(baseline: Baseline, bdf: str, counts: t.Mapping[str, int], serial: str | None) -> str:
    if serial and baseline.serials.get(bdf, serial) != serial:
        return "another GPU is in its place"
    stood = baseline.window[-1].counts.get(bdf, {})
    back = sorted(key for key, value in counts.items() if value < stood.get(key, 0))
    return f"{back[0]} went back from {stood[back[0]]} to {counts[back[0]]}" if back else ""


def _forget(baseline: Baseline, bdf: str) -> Baseline:
    def without(mark: Mark) -> Mark:
        return Mark(mark.epoch, {other: counts for other, counts in mark.counts.items() if other != bdf})
    return dc.replace(baseline, taken=without(baseline.taken), window=tuple(map(without, baseline.window)))
