"""Time-ordered IDs from a tickid server."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import os
import random
import re
import socket
import ssl
import threading
import time
import urllib.parse
from typing import Any, Literal, Union

__all__ = ["IdSource", "TickidError"]

_Id = Union[int, str]
_MOST, _MOST_KEPT = 1 << 17, 16  # Bytes of an answer, of which 1,000 IDs are half; connections.
_ENDED = OSError, http.client.HTTPException
# Counts the forks before this process: its ID may be that of a process which has ended.
_forks: list[None] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _forks.append(None))


class TickidError(Exception):
    """The server issued no ID, or refused one. `retry_after` is the number of seconds after which
    the same call may succeed, or None if it cannot: the realm is unknown, for example."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        when = "" if retry_after is None else f"; retry after {retry_after:g} s"
        super().__init__(message + when)
        self.retry_after = retry_after


class IdSource:
    """IDs of one realm of a tickid server. Threads and forked processes may share it.

    `url` is `http://HOST:PORT`, `https://HOST:PORT` or `http+unix:///PATH`; by default $TICKID_URL.
    `token`, by default $TICKID_TOKEN, and `ssl_context` authenticate. `format` is "int" or "text";
    by default IDs are an `int` where the realm's scheme is an integer. A call takes at most
    `timeout` seconds, with all attempts but without the lookup of a name. With `max_block` above 1,
    IDs come in blocks: the first of one ID, and each that is used up doubles the next. A block is
    dropped once it is `max_age` seconds old by the wall clock or the monotonic one.
    """

    def __init__(
        self,
        realm: str,
        *,
        url: str | None = None,
        token: str | None = None,
        format: Literal["int", "text"] | None = None,
        timeout: float = 2.0,
        max_block: int = 1,
        max_age: float = 1.0,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        url = (url or os.environ.get("TICKID_URL") or "http://127.0.0.1:6480").strip()
        parts = urllib.parse.urlsplit(url)
        if not re.fullmatch(r"http\+unix:///[^?#@]+|https?://[^/?#@\s]+(/[^?#@\s]*)?", url):
            raise ValueError(f"the URL {url!r} is not http://, https:// or http+unix:///PATH")
        if format not in (None, "int", "text"):
            raise ValueError(f"the format {format!r} is neither 'int' nor 'text'")
        if not (isinstance(max_block, int) and 1 <= max_block <= 1000):
            raise ValueError(f"max_block {max_block} is outside 1..=1000")
        if not (0 < timeout <= 1e6 and 0 < max_age <= 1e6):
            raise ValueError(f"timeout {timeout} or max_age {max_age} is outside 0..=1000000 s")
        self._unix = urllib.parse.unquote(parts.path) if not parts.netloc else None
        self._host = parts.hostname or "localhost"
        self._tls: Any = parts.scheme == "https" and (ssl_context or ssl.create_default_context())
        self._port = parts.port or (443 if self._tls else 80)
        self._place = f"{url} (realm {realm!r})"
        prefix = "" if self._unix else parts.path.rstrip("/")
        self._path = f"{prefix}/v1/realms/{urllib.parse.quote(realm, safe='')}"
        token = (token or os.environ.get("TICKID_TOKEN") or "").strip()  # Files end with newlines.
        if not re.fullmatch("[!-~]*", token):
            raise ValueError("the token has a character that is not visible ASCII")
        self._headers = {"Host": parts.netloc or "localhost"}
        self._headers |= {"Authorization": f"Bearer {token}"} if token else {}
        self._is_int, self._may_be_text, self._local = format != "text", format is None, _Local()
        self._timeout, self._max_block, self._max_age = timeout, max_block, max_age

    def next(self) -> int | str:
        """Returns an ID, greater than those that this thread had before from the same server.
        Raises `TickidError` if there is none within the timeout."""
        return self._call()[0]

    def observe(self, id: int | str) -> None:
        """Makes the next IDs of the server that answers greater, or raises `TickidError`."""
        self._call(id)

    def _call(self, *observed: _Id) -> list[_Id]:
        """Calls in this process, for one thread at a time if there are blocks."""
        while True:
            if self._local.process != (os.getpid(), len(_forks)):
                self._local = _Local()  # A fork: blocks, connections and locks are the parent's.
            local, deadline = self._local, time.monotonic() + self._timeout
            if self._max_block > 1 and not local.lock.acquire(timeout=self._timeout):
                raise TickidError("other threads wait for the server", 1.0)
            try:
                result = self._take(local, deadline, *observed)
            finally:
                if self._max_block > 1:
                    local.lock.release()
            if local is self._local and local.process == (os.getpid(), len(_forks)):
                return result  # Otherwise the call itself was forked, and an ID is the parent's.

    def _take(self, local: _Local, deadline: float, *observed: _Id) -> list[_Id]:
        if observed or self._max_block == 1:
            local.block.clear()
            return self._fetch(local, deadline, 1, *observed)
        wall, monotonic = time.time(), time.monotonic()
        is_fresh = max(abs(wall - local.wall), abs(monotonic - local.monotonic)) < self._max_age
        if not (local.block and is_fresh):
            size = min(2 * local.size, self._max_block) if is_fresh else 1
            ids = self._fetch(local, deadline, size)
            # As old as the request, whatever time the answer took.
            local.block, local.size, local.wall, local.monotonic = ids[::-1], size, wall, monotonic
        return [local.block.pop()]

    def _fetch(self, local: _Local, deadline: float, count: int, *observed: _Id) -> list[_Id]:
        """Sends a request, and again until the deadline if that may help."""
        pause = 0.02
        while True:
            is_kept = bool(local.idle)
            try:
                return self._send(local, deadline, count, *observed)
            except TickidError as refusal:
                error, wait = refusal, refusal.retry_after
            except (*_ENDED, ValueError, LookupError, TypeError, RecursionError) as failure:
                if is_kept and isinstance(failure, _ENDED) and time.monotonic() < deadline:
                    continue  # The server closes connections that are idle.
                error = TickidError(f"no answer from {self._place}: {failure!r}", 1.0)
                wait, pause = pause * random.uniform(0.5, 1), 2 * pause
            if wait is None or deadline - time.monotonic() <= wait:
                raise error
            time.sleep(wait)

    def _send(self, local: _Local, deadline: float, count: int, *observed: _Id) -> list[_Id]:
        method, is_int, query = "GET", self._is_int, f"ids?count={count}"
        if observed:
            method, is_int = "POST", isinstance(observed[0], int)
            query = f"observe?id={urllib.parse.quote(str(observed[0]), safe='')}"
        path = f"{self._path}/{query}&format={'int' if is_int else 'text'}"
        try:
            link = local.idle.pop()
        except IndexError:
            link = self._connect(deadline)
        with contextlib.ExitStack() as stack:
            stack.callback(link.end)
            link.reuse(deadline)
            connection: Any = http.client.HTTPConnection("localhost")  # It misreads IPv6 addresses.
            connection.sock = link
            connection.request(method, path, headers=self._headers)
            answer = connection.getresponse()
            body = answer.read(_MOST)
            if answer.length or len(body) == _MOST or answer.status < 200:
                raise ValueError(f"an answer that broke off, or has {_MOST} bytes")
            if not answer.will_close and len(local.idle) < _MOST_KEPT:
                stack.pop_all()
                local.idle.append(link)
        if answer.status == 204 and observed:
            return []
        if answer.status == 200 and not observed:
            found = json.loads(body)["ids"]
            form = "[0-9]{1,20}" if is_int else "[0-9A-Za-z._-]{1,64}"
            texts = [id for id in found if re.fullmatch(form, id)]
            is_whole = found == texts and len(texts) == len(set(texts)) == count
            if not (is_whole and local.answer.isdisjoint(texts)):  # A cache may answer again.
                raise ValueError(f"an answer that does not have {count} new IDs: {body[:100]!r}")
            local.answer = set(texts)
            return [int(id) if is_int else id for id in texts]
        if answer.status == 409 and is_int and self._may_be_text and not observed:
            self._is_int = False
            return self._send(local, deadline, count)
        seconds = re.fullmatch("[1-9][0-9]{0,5}", answer.getheader("Retry-After", ""))
        is_ahead = seconds and answer.status == 409
        is_temporary = is_ahead or answer.status >= 500 or answer.status in (408, 429)
        wait = float(seconds.group() if seconds else 1) if is_temporary else None
        text = body[:300].decode("utf-8", "replace")
        raise TickidError(f"refused by {self._place}: {answer.status} {text}", wait)

    def _connect(self, deadline: float) -> _Link:
        addresses: Any = self._unix and [(socket.AF_UNIX, 0, 0, "", self._unix)]
        if not addresses:
            addresses = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
        for index, (family, _, _, _, address) in enumerate(addresses):
            link: Any = None
            try:
                link = socket.socket(family, socket.SOCK_STREAM)
                # An address that does not answer leaves time for the others.
                link.settimeout(_left(deadline) / (len(addresses) - index))
                link.connect(address)
                if self._tls:
                    link.settimeout(_left(deadline))
                    link = self._tls.wrap_socket(link, server_hostname=self._host)
                return _Link(link)
            except OSError as error:
                if link:
                    link.close()
                failure = error.with_traceback(None)  # It would keep the next address's socket.
        raise failure


class _Local:  # What one process has.
    def __init__(self) -> None:
        self.process, self.lock = (os.getpid(), len(_forks)), threading.Lock()
        self.idle: list[_Link] = []
        self.block: list[_Id] = []
        self.answer: set[str] = set()
        self.size, self.wall, self.monotonic = 1, 0.0, 0.0


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("the timeout is over")
    return left


class _Link(socket.SocketIO):
    """A socket whose operations end at one deadline, as those of `http.client` do not."""

    def __init__(self, link: Any) -> None:
        super().__init__(link, "r")
        self.link, self.end, self.sendall, self.deadline = link, link.close, link.sendall, 0.0

    def close(self) -> None:
        """Does nothing: `http.client` closes what it has before the whole answer is read."""

    def reuse(self, deadline: float) -> None:
        """Fails if the connection was closed since, or has what no request asked for."""
        is_kept, self.deadline = bool(self.deadline), deadline
        self.link.settimeout(0)
        with contextlib.suppress(BlockingIOError, ssl.SSLWantReadError):
            if is_kept:
                raise ConnectionError(f"a kept connection has {self.link.recv(1)!r}")
        self.link.settimeout(_left(deadline))

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readinto(self, buffer: Any) -> Any:
        self.link.settimeout(_left(self.deadline))
        return super().readinto(buffer)
