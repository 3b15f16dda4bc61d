#!/usr/bin/env python3
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One connection to the archives that a machine installs from. QEMU starts this for each; standard input is the socket.

Arguments: folder of the repository, folder of the kernels' packages, a file that takes both away while it exists.
"""

from __future__ import annotations

import functools
import http.server
import os
import socket
import sys
import urllib.parse


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of two folders as one tree."""

    protocol_version = "HTTP/1.1"
    kernels = ""

    def translate_path(self, path: str) -> str:
        """Where a path of the address lies."""
        if path.startswith("/kernel/"):
            return os.path.join(self.kernels, os.path.basename(urllib.parse.unquote(path)))
        return super().translate_path(path)

    def log_message(self, *args: object) -> None:
        """Say nothing: there is nobody to read it."""


def main() -> int:
    """Serve until the other side has had enough."""
    repository, kernels, away = sys.argv[1:]
    if os.path.exists(away):
        return 1
    Handler.kernels = kernels
    with socket.socket(fileno=os.dup(0)) as connection:
        functools.partial(Handler, directory=repository)(connection, ("machine", 0), None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
