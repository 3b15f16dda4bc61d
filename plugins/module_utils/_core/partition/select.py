# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From a profile and the GPUs of a node to what each GPU should be."""

from __future__ import annotations

from ..errors import FleetError
from ..look.gpus import Gpu, Gpus
from .circumstances import NotReadyError
from .profile import ALL, Profile, Rule
from .shape import GpuWanted
from .wording import counted, listed


def wanted(profile: Profile, gpus: Gpus) -> tuple[GpuWanted, ...]:
    """What every GPU that a rule names should be, in PCI order.

    Raises:
        FleetError: the profile is for another number of GPUs or for other products, a rule names a GPU that the node
            does not have or that another rule names, or memory modes are mixed. AMD: do not mix them on a node.
        NotReadyError: which product a GPU is cannot be told.
    """
    where = profile.where
    if "gpus" in gpus.unknown:
        raise FleetError(where, f"which GPUs the node has is unknown: {gpus.unknown['gpus']}", "mend that on the node")
    if not gpus.gpus:
        raise FleetError(where, "the node has no GPU", "take it out of the hosts that are partitioned")
    if profile.count is not None and profile.count != len(gpus.gpus):
        raise FleetError(where, f"is for {counted(profile.count)}, and the node has {len(gpus.gpus)}",
                         "choose a profile for that many")
    chosen: dict[str, tuple[Gpu, Rule]] = {}
    for rule in profile.rules:
        for gpu in _named(rule, gpus):
            if gpu.bdf in chosen:
                raise FleetError(rule.where, f"gpu {gpu.bdf} is also in {chosen[gpu.bdf][1].where}", "leave it in one")
            chosen[gpu.bdf] = (gpu, rule)
    picked = [chosen[gpu.bdf] for gpu in gpus.gpus if gpu.bdf in chosen]
    _refuse_others(profile, [gpu for gpu, _rule in picked])
    if any(gpu.memory_partition != rule.memory for gpu, rule in picked):  # a node that is so already stays so
        _refuse_mixed(where, picked)
    return tuple(GpuWanted(gpu.bdf, rule.compute, rule.memory) for gpu, rule in picked)


def _named(rule: Rule, gpus: Gpus) -> tuple[Gpu, ...]:
    return gpus.gpus if rule.gpus == ALL else tuple(_one(rule, text, gpus) for text in rule.gpus)


def _one(rule: Rule, text: str, gpus: Gpus) -> Gpu:
    """The GPU with this index, PCI address or UUID."""
    for gpu in gpus.gpus:
        if text.lower() in (str(gpu.index), gpu.bdf, (gpu.uuid or "").lower()):
            return gpu
    if text.isdigit():
        raise FleetError(f"{rule.where}.gpus", f"the node has no GPU {text}: they are 0 to {len(gpus.gpus) - 1}",
                         "correct the index")
    there = ", ".join(gpu.bdf for gpu in gpus.gpus)
    raise FleetError(f"{rule.where}.gpus", f"the node has no GPU {text}: there are {there}",
                     "name one of these, or its index or UUID")


def _refuse_others(profile: Profile, gpus: list[Gpu]) -> None:
    others = [gpu for gpu in gpus if profile.products and gpu.product not in profile.products]
    if not others:
        return
    what = f"is for {', '.join(profile.products)}"
    product = others[0].product
    if product is None:
        raise NotReadyError(profile.where, f"{what}, and which product {listed([others[0].bdf])} is cannot be told",
                            "load the driver, which names it")
    same = listed(gpu.bdf for gpu in others if gpu.product == product)
    raise FleetError(profile.where, f"{what}, and {same} {'is' if same.startswith('gpu ') else 'are'} {product}",
                     f"choose a profile for {product}, or none: docs/partitions.md says what it can be")


def _refuse_mixed(where: str, picked: list[tuple[Gpu, Rule]]) -> None:
    """Raise where memory modes differ: in a hive that cannot be, on a node AMD says not to."""
    for hive in {gpu.xgmi_hive_id: None for gpu, _rule in picked if gpu.xgmi_hive_id}:
        _refuse_two([pair for pair in picked if pair[0].xgmi_hive_id == hive], where,
                    f"hive {hive}, which has one memory mode for all of its GPUs")
    _refuse_two(picked, where, "one node, which AMD says not to do")


def _refuse_two(picked: list[tuple[Gpu, Rule]], where: str, place: str) -> None:
    modes: dict[str, str] = {}
    for gpu, rule in picked:
        modes.setdefault(rule.memory, gpu.bdf)
    if len(modes) > 1:
        (one, first), (other, second) = list(modes.items())[:2]
        raise FleetError(where, f"wants {one} for gpu {first} and {other} for gpu {second} in {place}",
                         "choose one memory mode for the node")
