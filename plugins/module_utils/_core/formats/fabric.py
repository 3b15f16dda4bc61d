# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What tools say about RDMA devices and network links: rdma link, ibv_devinfo, ibv_devices, ip link.

source: iproute2:rdma/link.c, rdma-core:libibverbs/examples/{devinfo,device_list}.c, iproute2:ip/ipaddress.c
"""

from __future__ import annotations

import re
import typing as t

from ..look.host import RdmaPort
from . import tool_json

_LINK = re.compile(r"^link (?P<device>[^\s/]+)/(?P<port>\d+) (?P<rest>.*)$", re.MULTILINE)
_PAIR = re.compile(r"\b(state|physical_state|netdev) (\S+)")
_HCA = re.compile(r"^hca_id:\s*(\S+)", re.MULTILINE)
_PORT = re.compile(r"^\s+port:\s+(\d+)", re.MULTILINE)
_FIELD = re.compile(r"^\s+(state|link_layer|active_speed|active_width):\s+(\S.*?)\s*$", re.MULTILINE)
_IP = re.compile(r"^\d+: (?P<name>[^\s:@]+)(?:@\S+)?: <[^>]*>.*\bstate (?P<state>\w+)", re.MULTILINE)
_BRIEF = re.compile(r"^(?P<name>[a-zA-Z][\w.-]{0,14}) +(?P<state>UP|DOWN|UNKNOWN|LOWERLAYERDOWN) +\S", re.MULTILINE)
_DEVICE = re.compile(r"^\s+(\S+)\s+[0-9a-f]{16}\s*$", re.MULTILINE)
# In the words of sysfs, which our own look uses.
_PHYSICAL = {"LINK_UP": "LinkUp", "POLLING": "Polling", "DISABLED": "Disabled", "SLEEP": "Sleep"}


def ports(text: str) -> tuple[RdmaPort, ...]:
    """Return the ports that ``rdma link`` (text or JSON) or ``ibv_devinfo`` names."""
    told = tool_json.records(tool_json.document(text)) if text.lstrip().startswith(("[", "{")) else []
    found = [_port(str(item.get("ifname")), item.get("port"), item) for item in told if "ifname" in item]
    lines = (_port(match["device"], match["port"], dict(_PAIR.findall(match["rest"])))
             for match in _LINK.finditer(text))
    return (*found, *lines, *_devinfo(text))


def _port(device: str, port: t.Any, told: t.Mapping[str, t.Any]) -> RdmaPort:
    physical = told.get("physical_state")
    name, joint, number = device.rpartition("/")  # some releases print ifname as device/port
    return RdmaPort(name if joint else device, int(number if joint else port or 1), state=_text(told.get("state")),
                    physical=_PHYSICAL.get(str(physical), _text(physical)), net_device=_text(told.get("netdev")))


def _text(value: t.Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _devinfo(text: str) -> t.Iterator[RdmaPort]:
    parts = _HCA.split(text)
    for device, body in zip(parts[1::2], parts[2::2]):
        cut = _PORT.split(body)
        for number, fields in zip(cut[1::2], cut[2::2]):
            told = dict(_FIELD.findall(fields))
            state = told.get("state", "").partition(" ")[0].removeprefix("PORT_")
            yield RdmaPort(device, int(number), state=state or None, link_layer=told.get("link_layer"))


def devices(text: str) -> tuple[str, ...]:
    """Return the names that ``ibv_devices`` lists."""
    return tuple(_DEVICE.findall(text))


def links(text: str) -> dict[str, str]:
    """Return interface -> state of ``ip link``, long or brief; loopback left out."""
    found = {match["name"]: match["state"] for form in (_IP, _BRIEF) for match in form.finditer(text)}
    return {name: state for name, state in found.items() if name != "lo"}
