# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is known besides the line itself: other lines, the GPU it is about, the driver. Decides rules of context."""

from __future__ import annotations

import re
import typing as t

from ..findings import NODE
from ..look import shape as lk
from ..look.log import Hit
from ..release.products import NAME, DeviceIds
from .catalogue import Fault, FaultCatalogue, Mark
from .rules import ABOUT_ORDER, FLAGS, VERSIONS, Rule, at_least, numbers

T = t.TypeVar("T")


class Context:
    """A look, for questions about one hit. An answer of None means that the look does not tell."""

    def __init__(
        self, look: lk.Look, hits: t.Sequence[Hit], catalogue: FaultCatalogue, products: t.Sequence[DeviceIds] = (),
    ) -> None:
        self._look, self._catalogue = look, catalogue
        self._gpus = {gpu.bdf: gpu for gpu in look.gpus.gpus} if look.gpus else {}
        self._read = {read.where for read in look.log.read} if look.log else set()
        self._instinct_ids = {ident for product in products for ident in product.pci_ids + product.vf_ids}
        self._hits: dict[str, list[Hit]] = {}
        for hit in hits:
            self._hits.setdefault(hit.id, []).append(hit)
        self._driven = self._to_be_driven(hits)
        self._logged_ids = {hit.subject: hit.groups["device"].lower() for hit in hits if "device" in hit.groups}

    def holds(self, rule: Rule, hit: Hit) -> bool:
        """Whether a rule holds for a hit."""
        answer = self._answer(rule, hit)
        return rule.unknown_holds if answer is None else answer

    def concerns(self, products: tuple[str, ...], not_products: tuple[str, ...], hit: Hit) -> bool:
        """Whether a fault of some products can be one of the GPU in question. Of an unknown product it is not."""
        names = [self._names(gpu) for gpu in self._about(hit)]
        if products:
            return any(set(products) & found for found in names)
        return not any(found and found <= set(not_products) for found in names)

    def _answer(self, rule: Rule, hit: Hit) -> bool | None:
        if rule.kind == "count_from":
            return hit.count >= int(rule.value)
        if rule.kind == "driver_kind":
            on_disk = self._on_disk()
            return on_disk.kind == rule.value if on_disk else None
        if rule.kind in FLAGS:
            flag = self._flag(rule.kind, hit)
            return None if flag is None else flag == rule.value
        if rule.kind in VERSIONS:
            version = self._kernel(hit) if rule.kind.startswith("kernel") else self._driver()
            late = None if version is None else at_least(version, str(rule.value))
            return late if late is None or rule.kind.endswith("_from") else not late
        known = self._followed(rule, hit) if rule.kind in ABOUT_ORDER else self._seen(str(rule.value), hit)
        return known if known is None or not rule.kind.startswith("not_") else not known

    def foreign(self, hit: Hit) -> bool:
        """Whether a hit is of a GPU that is no Instinct by its id, on a node that has Instincts beside it."""
        return hit.subject in self._gpus and self._foreign(self._gpus[hit.subject])

    def _foreign(self, gpu: lk.Gpu) -> bool:
        if not self._instinct_ids:  # by its name alone many an Instinct is an "AMD Radeon Graphics"
            return False
        return not self._instinct(gpu) and any(map(self._instinct, self._gpus.values()))

    def begun(self, fault: Fault, hit: Hit) -> int:
        """Where the event began that a hit belongs to: with its own first line, or with one that led to it."""
        before = (line for ident in fault.begins_with for other in self._hits.get(ident, ())
                  if (other.subject, other.origin) == (hit.subject, hit.origin) for line in (other.first, other.last))
        return min((line for line in before if hit.first - fault.together <= line < hit.first), default=hit.first)

    # -- other lines ---------------------------------------------------------------------------------------------------

    def _others(self, ident: str, hit: Hit) -> list[Hit] | None:
        """Hits of another record that can be about the same; None if its log was not read."""
        record = self._catalogue.faults.get(ident) or self._catalogue.marks[ident]
        if record.where not in self._read:
            return None
        others = self._hits.get(ident, [])
        return others if hit.subject == NODE else [other for other in others if other.subject in (hit.subject, NODE)]

    def _enough(self, ident: str, hit: Hit, others: t.Sequence[Hit]) -> bool:
        """Whether hits of a record are there: of every GPU, if each has its own and the line in question names none."""
        record = self._catalogue.marks.get(ident)
        found = {other.subject for other in others}
        if not found or record is None or not record.each or hit.subject != NODE or NODE in found:
            return bool(found)
        return self._driven <= found

    def _seen(self, ident: str, hit: Hit) -> bool | None:
        others = self._others(ident, hit)
        return None if others is None else self._enough(ident, hit, others)

    def _followed(self, rule: Rule, hit: Hit) -> bool | None:
        others = self._others(str(rule.value), hit)
        if not others:
            return None if others is None else False
        same = [other for other in others if other.origin == hit.origin]
        if same and rule.within:
            return hit.followed.get(str(rule.value), rule.within + 1) <= rule.within
        later = [other for other in same if other.last > hit.last]
        return self._enough(str(rule.value), hit, later) if same else None

    def _to_be_driven(self, hits: t.Iterable[Hit]) -> set[str]:
        """The GPUs that the driver must bring up: the node's but display cards, else those that the log names."""
        ours = {bdf for bdf, gpu in self._gpus.items() if not self._foreign(gpu)}
        records: dict[str, Fault | Mark] = {**self._catalogue.faults, **self._catalogue.marks}
        return ours or {hit.subject for hit in hits if records[hit.id].subject == "gpu"} - {NODE}

    # -- the GPU -------------------------------------------------------------------------------------------------------

    def _about(self, hit: Hit) -> list[lk.Gpu]:
        """The GPU that a hit is about; all of them if the line names none."""
        if hit.subject == NODE:
            return list(self._gpus.values())
        return [self._gpus[hit.subject]] if hit.subject in self._gpus else []

    @staticmethod
    def _names(gpu: lk.Gpu) -> set[str]:
        return set(re.findall(NAME, f"{gpu.product or ''} {gpu.market_name or ''}".upper()))

    def _flag(self, kind: str, hit: Hit) -> bool | None:
        if kind == "driver_loaded":
            return self._look.driver.loaded if self._look.driver else None
        gpus = self._about(hit)
        if kind == "virtual_function":
            return _agreed(gpu.virtual_function for gpu in gpus)
        logged = self._logged_ids.get(hit.subject)
        if not gpus and logged and self._instinct_ids:
            return logged in self._instinct_ids
        return _agreed(self._instinct(gpu) for gpu in gpus)

    def _instinct(self, gpu: lk.Gpu) -> bool | None:
        if self._names(gpu):
            return True
        if self._instinct_ids:
            return gpu.device_id.lower() in self._instinct_ids
        return False if gpu.market_name else None

    # -- the driver ----------------------------------------------------------------------------------------------------

    def _kernel(self, hit: Hit) -> tuple[int, ...] | None:
        """Numbers of the kernel that the line names, else of the running one."""
        running = self._look.kernel.running if self._look.kernel else None
        return numbers(hit.groups.get("kernel") or running or "")

    def _on_disk(self) -> lk.OnDisk | None:
        if not self._look.driver or not self._look.kernel:
            return None
        return next((disk for disk in self._look.driver.on_disk if disk.kernel == self._look.kernel.running), None)

    def _driver(self) -> tuple[int, ...] | None:
        """Numbers of the loaded module's version, else of the one that would be loaded."""
        loaded = self._look.driver.version if self._look.driver else None
        on_disk = self._on_disk()
        return numbers(loaded or (on_disk.version if on_disk else None) or "")


def _agreed(answers: t.Iterable[T | None]) -> T | None:
    """The answer that all give; None if they differ, or nobody knows."""
    found = set(answers)
    return found.pop() if len(found) == 1 else None
