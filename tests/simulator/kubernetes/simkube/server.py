# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The server: HTTP, tokens, paths. Plain HTTP on this machine's own address: certificates are not what is shown."""

from __future__ import annotations

import contextlib
import http.server
import json
import re
import threading
import typing as t
import urllib.parse
from pathlib import Path

from . import discovery, status
from .cluster import Cluster
from .status import Asked, Body, Refused

_PATHS = re.compile(r"/api/v1/(?:namespaces/(?P<namespace>[^/]+)/)?(?P<resource>nodes|pods)"
                    r"(?:/(?P<name>[^/]+)(?:/(?P<sub>eviction))?)?")
_VERBS = {"GET": "get", "PATCH": "patch", "DELETE": "delete", "POST": "create"}


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    cluster: t.ClassVar[Cluster]

    def log_message(self, *args: t.Any) -> None:
        """Nothing: requests are kept in the cluster."""

    def do_GET(self) -> None:
        self._answer()

    do_PATCH = do_DELETE = do_POST = do_GET  # noqa: N815

    def _answer(self) -> None:
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        split = urllib.parse.urlsplit(self.path)
        with self.cluster.lock:
            query = dict(urllib.parse.parse_qsl(split.query))
            self.cluster.requests.append((f"{'DRY ' if 'dryRun' in query else ''}{self.command}", split.path))
            try:
                code, body = self._done(split.path, query, text)
            except Refused as refused:
                code, body = refused.code, refused.body()
        sent = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        if "retryAfterSeconds" in body.get("details", {}):
            self.send_header("Retry-After", str(body["details"]["retryAfterSeconds"]))
        self.end_headers()
        self.wfile.write(sent)

    def _done(self, path: str, query: dict[str, str], text: bytes) -> tuple[int, Body]:
        kind, _space, token = (self.headers.get("Authorization") or "").partition(" ")
        user = self.cluster.users.get(token) if kind == "Bearer" else None
        if user is None:
            raise status.unauthorized()
        self.cluster.faulty(self.command, path)
        if path in discovery.PATHS:
            return 200, discovery.PATHS[path]
        found = _PATHS.fullmatch(path)
        if not found or self.command not in _VERBS:
            raise status.no_such_path()
        part = {name: value or "" for name, value in found.groupdict().items()}
        verb = "list" if self.command == "GET" and not part["name"] else _VERBS[self.command]
        resource = part["resource"] + (f"/{part['sub']}" if part["sub"] else "")
        self.cluster.granted(user, Asked(verb, resource, part["name"], part["namespace"]))
        self.cluster.settle()
        return self._routed(verb, resource, part, query, text)

    def _routed(
        self, verb: str, resource: str, part: dict[str, str], query: dict[str, str], text: bytes,
    ) -> tuple[int, Body]:
        cluster, name = self.cluster, part["name"]
        if (verb, resource) == ("get", "nodes"):
            return 200, cluster.node(name)
        if (verb, resource) == ("patch", "nodes"):
            return 200, cluster.patch_node(name, self.headers.get("Content-Type") or "", text, "dryRun" in query)
        if (verb, resource) == ("list", "pods"):
            return 200, cluster.pod_list(query.get("fieldSelector", ""))
        if resource.startswith("pods") and name:
            pod = cluster.pod(part["namespace"], name)
            if "dryRun" in query:
                raise status.bad_request("the stand-in has a dry run of nodes alone")
            if (verb, resource) == ("create", "pods/eviction"):
                return 201, cluster.evict(pod)
            if verb in ("get", "delete") and not part["sub"]:
                return 200, cluster.shown(pod) if verb == "get" else cluster.delete(pod)
        raise Refused(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")


@contextlib.contextmanager
def serving(cluster: Cluster, port: int = 0) -> t.Iterator[str]:
    """Serve the cluster on this machine's own address while the block runs; the address is given."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"cluster": cluster}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def kubeconfig(path: Path, address: str, token: str) -> Path:
    """Write down how the server is reached, as kubectl and the Python client read it."""
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "simulated",
        "clusters": [{"name": "simulated", "cluster": {"server": address}}],
        "users": [{"name": "fleet", "user": {"token": token}}],
        "contexts": [{"name": "simulated", "context": {"cluster": "simulated", "user": "fleet"}}]}), encoding="utf-8")
    return path
