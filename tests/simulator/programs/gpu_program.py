#!/usr/bin/env python3
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for a program on GPUs: it has itself entered in KFD's list, says "ready", and does as it is told when it is to end.

gpu_program.py REGISTER end              ends of SIGTERM, as a program does that knows nothing of it
gpu_program.py REGISTER save FILE        saves its state to FILE on SIGTERM, and on SIGUSR1 without ending
gpu_program.py REGISTER ignore           ignores SIGTERM
gpu_program.py REGISTER fork             goes on in a child when it gets SIGTERM; the child ends of it
gpu_program.py REGISTER stop             is stopped, as a suspended job is, and ends of SIGTERM once it goes on
gpu_program.py REGISTER leave SECONDS    ends by itself

REGISTER is a command with {pid} for its number. Memory is given back by whoever keeps the list: the real one is the kernel.
"""

from __future__ import annotations

import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time


def register(command: str) -> None:
    """Be entered in the list."""
    subprocess.run(shlex.split(command.replace("{pid}", str(os.getpid()))), check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Entry point."""
    command, manner, *more = sys.argv[1:]

    def save(number: int, _frame: object) -> None:
        pathlib.Path(more[0]).write_text(signal.Signals(number).name, encoding="utf-8")
        if number == signal.SIGTERM:
            sys.exit(0)

    def fork(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        read, write = os.pipe()
        if os.fork():
            os.close(write)
            os.read(read, 1)  # until the child is entered
            os._exit(0)
        os.close(read)
        register(command)
        os.close(write)

    if manner == "save":
        signal.signal(signal.SIGUSR1, save)
    if manner in ("save", "fork"):
        signal.signal(signal.SIGTERM, save if manner == "save" else fork)
    if manner == "ignore":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    register(command)
    print("ready", flush=True)
    if manner == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    if manner == "leave":
        time.sleep(float(more[0]))
        return
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
