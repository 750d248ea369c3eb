"""A local server that speaks the part of the hub's protocol that downloads use.

Repositories are files in memory under a repository id and one revision. Faults can be put in the
way: a connection that is cut, a wrong size, changed content, too many requests, an error.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

LFS = (".parquet", ".safetensors", ".gz")
"""Files that the hub keeps as large files, under their SHA-256."""


@dataclass(frozen=True)
class Repository:
    """A repository of one revision.

    Parameters
    ----------
    name : str
        Owner and name.
    revision : str
        40 hex digits.
    files : mapping
        Content by path.
    kind : {"dataset", "model"}
        Which part of the hub it is in.
    """

    name: str
    revision: str
    files: Mapping[str, bytes]
    kind: str = "dataset"

    @property
    def prefix(self) -> str:
        return f"datasets/{self.name}" if self.kind == "dataset" else self.name

    def entry(self, path: str) -> dict[str, Any]:
        content = self.files[path]
        blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        entry = {"type": "file", "path": path, "size": len(content), "oid": blob}
        if path.endswith(LFS):
            sha256 = hashlib.sha256(content).hexdigest()
            entry["lfs"] = {"oid": sha256, "size": len(content), "pointerSize": 134}
        return entry


@dataclass
class Fault:
    """What goes wrong with the next requests of a file's content.

    Parameters
    ----------
    kind : {"cut", "short", "changed", "busy", "broken"}
        The connection is cut in the middle, the body is shorter than announced at first, other
        bytes of the same length come, 429 with Retry-After, or 500.
    times : int
        How many requests it meets.
    """

    kind: str
    times: int = 1


@dataclass
class Hub:
    """The server; a context manager.

    Attributes
    ----------
    requests : list of str
        Method and path of every request, in order.
    """

    repositories: list[Repository]
    faults: dict[str, Fault] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    def __enter__(self) -> Hub:
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def environment(self, home: Path, offline: bool = False) -> dict[str, str]:
        """Environment of a process that is to use this hub and keep its cache under `home`."""
        return {
            **{k: v for k, v in os.environ.items() if not k.startswith("HF_")},
            "HF_ENDPOINT": self.endpoint,
            "HF_HOME": str(home),
            "HF_HUB_OFFLINE": str(int(offline)),
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_HUB_DISABLE_XET": "1",
            "NO_PROXY": "127.0.0.1",
        }

    @cached_property
    def by_prefix(self) -> dict[str, Repository]:
        return {repository.prefix: repository for repository in self.repositories}


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def log_message(self, *_: object) -> None:
        """Keep the test's output clean."""

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path).strip("/")
        self.hub.requests.append(f"{self.command} {path}")
        if match := re.fullmatch(r"api/(?:models/)?(.+?)(?:/(revision|tree)/([^/]+)/?(.*))?", path):
            self._api(*match.groups())
        elif match := re.fullmatch(r"(.+?)/resolve/([^/]+)/(.+)", path):
            self._resolve(*match.groups())
        else:
            self._error(404, "EntryNotFound")

    def _repository(self, prefix: str, revision: str | None) -> Repository | None:
        repository = self.hub.by_prefix.get(prefix)
        if repository is None:
            # As the hub does: whether a repository is missing or private is not told apart.
            self._error(401, "RepoNotFound")
        elif revision not in (None, "main", repository.revision):
            self._error(404, "RevisionNotFound")
        else:
            return repository
        return None

    def _api(self, prefix: str, what: str | None, revision: str | None, folder: str | None) -> None:
        repository = self._repository(prefix, revision)
        if repository is None:
            return
        paths = [p for p in repository.files if not folder or p.startswith(f"{folder}/")]
        if what == "tree":
            if folder and not paths:
                self._error(404, "EntryNotFound")
            else:
                self._json([repository.entry(path) for path in paths])
            return
        siblings = [{"rfilename": path} for path in repository.files]
        self._json({"id": repository.name, "sha": repository.revision, "siblings": siblings})

    def _resolve(self, prefix: str, revision: str, path: str) -> None:
        repository = self._repository(prefix, revision)
        if repository is None:
            return
        if path not in repository.files:
            self._error(404, "EntryNotFound", repository)
            return
        entry, content = repository.entry(path), repository.files[path]
        etag = entry["lfs"]["oid"] if "lfs" in entry else entry["oid"]
        headers = {
            "ETag": f'"{etag}"',
            "X-Repo-Commit": repository.revision,
            "Accept-Ranges": "bytes",
            **(
                {"X-Linked-Size": str(len(content)), "X-Linked-Etag": f'"{etag}"'}
                if "lfs" in entry
                else {}
            ),
        }
        if self.command == "HEAD":
            self._send(200, b"", headers, length=len(content))
            return
        fault = self._fault(f"{repository.name}/{path}")
        if fault == "busy":
            self._send(429, b"", {"Retry-After": "0"})
        elif fault == "broken":
            self._error(500, "Internal")
        elif fault == "changed":
            self._send(200, bytes(len(content)), headers)
        elif fault == "short":
            self._send(200, content[: len(content) // 2], headers)
        else:
            start = int((re.findall(r"bytes=(\d+)-", self.headers.get("Range", "")) or ["0"])[0])
            if start:
                headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            body = content[start:]
            cut = len(body) // 2 if fault == "cut" else len(body)
            self._send(206 if start else 200, body[:cut], headers, length=len(body))
            self.close_connection = self.close_connection or fault == "cut"

    def _fault(self, path: str) -> str | None:
        fault = self.hub.faults.get(path)
        if fault is None or fault.times == 0:
            return None
        fault.times -= 1
        return fault.kind

    def _json(self, value: object) -> None:
        self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def _error(self, status: int, code: str, repository: Repository | None = None) -> None:
        headers = {"X-Error-Code": code, "X-Error-Message": code}
        if repository is not None:
            headers["X-Repo-Commit"] = repository.revision
        self._send(status, b"", headers)

    def _send(
        self, status: int, body: bytes, headers: Mapping[str, str], length: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
