# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Paths of the files that the roles manage, in one place: the look digests them, the plans compare them."""

from __future__ import annotations

# Of several general pins that match, apt obeys the first: ours must come before the vendor's rocm-pin-600.
AMDGPU_SOURCES = "/etc/apt/sources.list.d/instinct-amdgpu.sources"
AMDGPU_PREFERENCES = "/etc/apt/preferences.d/00-instinct-amdgpu"
ROCM_SOURCES = "/etc/apt/sources.list.d/instinct-rocm.sources"
ROCM_PREFERENCES = "/etc/apt/preferences.d/00-instinct-rocm"
UNATTENDED = "/etc/apt/apt.conf.d/52instinct-unattended-upgrades"
DNF_REPOSITORIES = {name: f"/etc/yum.repos.d/instinct-{name}.repo" for name in ("amdgpu", "rocm")}
ZYPPER_REPOSITORIES = {name: f"/etc/zypp/repos.d/instinct-{name}.repo" for name in ("amdgpu", "rocm")}
GRUB_DEFAULT = "/etc/default/grub.d/90-instinct-kernel.cfg"
GRUB_ONCE = "/etc/grub.d/01_instinct_once"  # behind 00_header, which tells whether an entry was chosen for once
LD_SO_CONF = "/etc/ld.so.conf.d/instinct-rocm.conf"
PROFILE = "/etc/profile.d/instinct-rocm.sh"
RELEASE_RECORD = "/var/lib/instinct/release.json"
LOCAL_FACTS = "/etc/ansible/facts.d/instinct.fact"
FIRMWARE_RECORD = "/var/lib/instinct/firmware.json"
UPGRADE_NOTE = "/var/lib/instinct/upgrade.json"
RESERVATION_RECORD = "/var/lib/instinct/reservation.json"
QUARANTINE = "/var/lib/instinct/quarantine.json"
HEALTH = "/var/lib/instinct/health.json"

MANAGED_FILES = (
    AMDGPU_SOURCES, AMDGPU_PREFERENCES, ROCM_SOURCES, ROCM_PREFERENCES, UNATTENDED,
    *DNF_REPOSITORIES.values(), *ZYPPER_REPOSITORIES.values(),
    GRUB_DEFAULT, GRUB_ONCE, LD_SO_CONF, PROFILE, RELEASE_RECORD, LOCAL_FACTS,
    FIRMWARE_RECORD, UPGRADE_NOTE, RESERVATION_RECORD, QUARANTINE, HEALTH,
)
