#!/usr/bin/env python3
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for a program on GPUs: KFD's list is told of it, it says "ready", and then it ends in its own manner.

As a program of ROCm it has /dev/kfd and the render nodes open, below GPU_ROOT where that is told. Where a container
would refuse that, a descriptor of the path alone (O_PATH) is none less of that device.

gpu_program.py REGISTER end              ends of SIGTERM, as a program does that knows nothing of it
gpu_program.py REGISTER save FILE        saves its state to FILE on SIGTERM, and on SIGUSR1 without ending
gpu_program.py REGISTER ignore           ignores SIGTERM
gpu_program.py REGISTER release COMMAND  runs COMMAND, which gives back what {pid} holds, on SIGTERM, and lives on
gpu_program.py REGISTER fork             goes on in a child when it gets SIGTERM; the child ends of it
gpu_program.py REGISTER stop             is stopped, as a suspended job is, and ends of SIGTERM once it goes on

REGISTER is a command that enters {pid} in the list. What it holds is given back by whoever keeps the list, as by the
kernel.
"""

from __future__ import annotations

import os
import pathlib
import shlex
import signal
import subprocess
import sys


class Program:
    """One of them."""

    def __init__(self, register: str, more: list[str]) -> None:
        self._register, self._more = register, more

    def enter(self) -> None:
        """Be entered in the list."""
        words = shlex.split(self._register.replace("{pid}", str(os.getpid())))
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)

    def release(self, _number: int, _frame: object) -> None:
        """Give the GPU back."""
        subprocess.run(shlex.split(self._more[0].replace("{pid}", str(os.getpid()))), check=True)

    def save(self, number: int, _frame: object) -> None:
        """Save the state."""
        pathlib.Path(self._more[0]).write_text(signal.Signals(number).name, encoding="utf-8")
        if number == signal.SIGTERM:
            sys.exit(0)

    def fork(self, _number: int, _frame: object) -> None:
        """Go on in a child, and end once it is entered."""
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        read, write = os.pipe()
        if os.fork():
            os.close(write)
            os.read(read, 1)
            os._exit(0)
        os.close(read)
        self.enter()
        os.close(write)


def main() -> None:
    """Entry point."""
    register, manner, *more = sys.argv[1:]
    program = Program(register, more)
    handlers = {"save": program.save, "release": program.release, "fork": program.fork, "ignore": signal.SIG_IGN}
    signal.signal(signal.SIGTERM, handlers.get(manner, signal.SIG_DFL))
    if manner == "save":
        signal.signal(signal.SIGUSR1, program.save)
    root = pathlib.Path(os.environ.get("GPU_ROOT", "/"))
    for path in (root / "dev/kfd", *(root / "dev/dri").glob("renderD*")):
        os.open(path, os.O_PATH)
    program.enter()
    print("ready", flush=True)
    if manner == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
