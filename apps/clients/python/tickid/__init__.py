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
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Union

if TYPE_CHECKING:
    from typing_extensions import TypeVar as _TypeVar
else:  # Only Python 3.13 has defaults, which type checkers need.
    _TypeVar = lambda name, **_: TypeVar(name)
__all__ = ["IdSource", "TickidError"]
_Id = _TypeVar("_Id", bound=Union[int, str], default=Union[int, str])
_COUNTS, _FORMS = range(1, 1001), {int: "[0-9]{1,20}", str: "[0-9A-Za-z._-]{1,64}"}
_MOST = 1 << 17  # Bytes of an answer. One of 1,000 IDs has half of that.
_LIES = ValueError, LookupError, TypeError, RecursionError
# Counts the forks before this process: its ID may be that of a process which has ended.
_forks: list[None] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _forks.append(None))


class TickidError(Exception):
    """There is no ID. The same call may succeed after `retry_after` seconds, unless it is None."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message + (f"; retry after {retry_after:g} s" if retry_after else ""))
        self.retry_after = retry_after


class IdSource(contextlib.AbstractContextManager["IdSource[_Id]"], Generic[_Id]):
    """IDs of one realm of a tickid server. Threads, signal handlers and forked processes share it.

    `url` is `http://HOST:PORT`, `https://HOST:PORT` or `http+unix:///PATH`; by default $TICKID_URL.
    `token`, by default $TICKID_TOKEN, and `ssl_context` authenticate. `form` is `int` or `str`;
    without it, IDs are an `int` where the realm's scheme is an integer. A call takes at most
    `timeout` seconds. With `max_block` above 1, IDs are fetched in blocks of at most so many, each
    of which is dropped once it is `max_age` seconds old."""

    def __init__(
        self,
        realm: str,
        *,
        url: str | None = None,
        token: str | None = None,
        form: type[_Id] | None = None,
        timeout: float = 2.0,
        max_block: int = 1,
        max_age: float = 1.0,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        url = (url or os.environ.get("TICKID_URL") or "http://127.0.0.1:6480").strip()
        parts = urllib.parse.urlsplit(url)
        unix = r"|http\+unix:///[^?#@]+" if hasattr(socket, "AF_UNIX") else ""
        if not (match := re.fullmatch(rf"https?://[^/?#@\s]+((/+[^/?#@\s]+)*)/*{unix}", url)):
            raise ValueError(f"{url!r} is not http://, https:// or, on Unix, http+unix:///PATH")
        self._unix = urllib.parse.unquote(parts.path) if not parts.netloc else None
        if form not in (None, int, str):
            raise ValueError(f"the form {form!r} is neither int nor str")
        if max_block not in _COUNTS:
            raise ValueError(f"max_block {max_block} is outside 1..=1000")
        if not (0 < timeout <= 1e6 and 0 < max_age <= 1e6):
            raise ValueError(f"timeout {timeout} or max_age {max_age} is outside 0..=1000000 s")
        self._tls: Any = parts.scheme == "https" and (ssl_context or ssl.create_default_context())
        self._address = parts.hostname or "localhost", parts.port or (443 if self._tls else 80)
        self._place, self._local = f"realm {realm!r} of {url}", _Local()
        self._path = f"{match[1] or ''}/v1/realms/{urllib.parse.quote(realm, safe='')}"
        token = (token or os.environ.get("TICKID_TOKEN") or "").strip()  # Files end with newlines.
        if not re.fullmatch("[!-~]*", token):
            raise ValueError("the token has a character that is not visible ASCII")
        proof = f"Authorization: Bearer {token}\r\n" if token else ""
        self._head = f"Host: {parts.netloc or 'localhost'}\r\n{proof}\r\n".encode()
        self._kinds: Any = (form,) if form else (int, str)
        self._timeout, self._max_block, self._max_age = timeout, max_block, max_age

    def __repr__(self) -> str:
        return f"<IdSource: {self._place}>"

    def __reduce__(self) -> Any:
        raise TypeError(f"{self!r} is not copied or pickled: another process makes its own")

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections that are kept. A later call connects anew."""
        with contextlib.suppress(IndexError):
            while True:
                self._local.idle.pop().close()

    def next(self) -> _Id:
        """Returns an ID, greater than those that this thread had before from the same server."""
        return self._call(0 if self._max_block > 1 else 1)[0]

    def take(self, count: int) -> list[_Id]:
        """Returns 1 to 1000 IDs of one request, as `next` does one, and drops the block."""
        if count not in _COUNTS:
            raise ValueError(f"the count {count} is outside 1..=1000")
        return self._call(count)

    def observe(self, id: _Id) -> None:
        """Makes the next IDs of the server that answers greater, or raises `TickidError`."""
        if type(id) not in self._kinds or not re.fullmatch(_FORMS[type(id)], str(id)):
            raise TypeError(f"{id!r} is no ID of {self!r}")
        self._call(1, id)

    def _call(self, count: int, *observed: _Id) -> list[_Id]:
        """Calls in this process, and again until the deadline if that may help."""
        deadline, pause = time.monotonic() + self._timeout, 0.02
        while True:
            if self._local.process != (os.getpid(), len(_forks)):
                self._local = _Local()  # A fork: blocks, connections and locks are the parent's.
            local, ask = self._local, self._send if count else self._draw
            try:
                result: list[_Id] = ask(local, deadline, count, *observed)
                if count:
                    local.era = object()  # Drops the block, and those that are being requested.
                if local is self._local and local.process == (os.getpid(), len(_forks)):
                    return result
                continue  # The call itself was forked, and an ID is the parent's.
            except TickidError as refusal:
                error, wait = refusal, refusal.retry_after
            except (OSError, http.client.HTTPException, *_LIES) as failure:
                wait, pause = pause * random.uniform(0.5, 1), 2 * pause
                if isinstance(failure, ssl.SSLError) and failure.errno == ssl.SSL_ERROR_SSL:
                    wait = None  # Not an end, but a certificate, or a server without TLS.
                error = TickidError(f"no answer from {self._place}: {failure!r}", wait and 1.0)
                error.__cause__ = failure.with_traceback(None)  # It would be a cycle.
            if wait is None or deadline - time.monotonic() <= wait:
                raise error
            time.sleep(wait)

    def _draw(self, local: _Local, deadline: float, *_: Any) -> list[Any]:
        """Draws from a block. No lock guards it, as signal handlers draw and raise anywhere."""
        while True:
            block, era, wall, monotonic = local.block, local.era, time.time(), time.monotonic()
            while block.later:
                local.block = block = block.later[0]
            is_fresh = max(abs(wall - block.wall), abs(monotonic - block.monotonic)) < self._max_age
            with contextlib.suppress(IndexError):
                if is_fresh and block.era is era:
                    return [block.ids.pop()]
            with block:
                block.turn.acquire(timeout=max(deadline - time.monotonic(), 0) / 2)
                if not block.later:
                    size = min(2 * block.size, self._max_block) if is_fresh else 1
                    ids = self._send(local, deadline, size)
                    new = _Block(ids[:0:-1], size, era, wall, monotonic)  # As old as its request.
                    if block.later.setdefault(0, new) is new:
                        return ids[:1]

    def _send(self, local: _Local, deadline: float, count: int, *observed: _Id) -> list[Any]:
        line, kind = f"GET {self._path}/ids?count={count}", self._kinds[0]
        if observed:
            line, kind = f"POST {self._path}/observe?id={observed[0]}", type(observed[0])
        line += f"{'&as=int' if kind is int else ''} HTTP/1.1\r\n"  # Texts are the default.
        with contextlib.ExitStack() as stack:
            link = stack.enter_context(self._link(local, deadline))
            link.settimeout(max(deadline - time.monotonic(), 1e-6))
            link.sendall(line.encode() + self._head)
            reader: Any = _Reader(link, deadline)
            with http.client.HTTPResponse(reader) as answer:  # Or a finalizer would eat exceptions.
                answer.begin()
                body = answer.read(_MOST)
            if answer.length or len(body) == _MOST or answer.status < 200:
                raise ValueError(f"an answer that broke off, or has {_MOST} bytes")
            if not answer.will_close and len(local.idle) < 16:
                stack.pop_all()
                local.idle.append(link)
        if answer.status == 204 and observed:
            return []
        if answer.status == 200 and not observed:
            found = json.loads(body)["ids"]
            texts = [id for id in found if re.fullmatch(_FORMS[kind], id)]
            if not (found == texts and len(set(texts) - local.answer) == len(texts) == count):
                raise ValueError(f"an answer without {count} new IDs: {body[:100]!r}")
            local.answer = set(texts)
            return [kind(id) for id in texts]
        if answer.status == 409 and kind is int and str in self._kinds and not observed:
            self._kinds = (str,)
            return self._send(local, deadline, count)
        seconds = re.fullmatch("[1-9][0-9]{0,5}", answer.getheader("Retry-After", ""))
        is_temporary = answer.status >= 500 or answer.status in (408, 429, seconds and 409)
        wait = float(seconds.group() if seconds else 1) if is_temporary else None
        text = body[:300].decode("utf-8", "replace")
        raise TickidError(f"refused by {self._place}: {answer.status} {text}", wait)

    def _link(self, local: _Local, deadline: float) -> Any:
        while local.idle:
            link: Any = local.idle.pop()
            link.settimeout(0)
            try:
                link.recv(1)  # It was closed, or has what no request asked for.
            except OSError as failure:
                if isinstance(failure, (BlockingIOError, ssl.SSLWantReadError)):
                    return link
        left = max(deadline - time.monotonic(), 1e-6)
        if self._unix:
            link = socket.socket(socket.AF_UNIX)
            link.settimeout(left)
            link.connect(self._unix)
        else:
            shares = len(socket.getaddrinfo(*self._address, type=socket.SOCK_STREAM))
            link = socket.create_connection(self._address, left / shares)  # Some do not answer.
        link.settimeout(max(deadline - time.monotonic(), 1e-6))
        return self._tls.wrap_socket(link, server_hostname=self._address[0]) if self._tls else link


class _Block(contextlib.AbstractContextManager[Any]):
    """IDs of a request, and the block that was requested `later`, which is never replaced: IDs of
    a thread never decrease. One thread has the `turn` to request it, and the others wait."""

    def __init__(self, ids: Any, size: int, era: object, wall: float, monotonic: float) -> None:
        self.ids, self.later, self.turn = ids, dict[int, _Block](), threading.RLock()
        self.size, self.era, self.wall, self.monotonic = size, era, wall, monotonic

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(RuntimeError):
            self.turn.release()


class _Local:  # What one process has. Blocks of an earlier era are not used.
    def __init__(self) -> None:
        self.process, self.era = (os.getpid(), len(_forks)), object()
        self.idle, self.answer, self.block = list[Any](), set[str](), _Block((), 1, None, 0, 0)


class _Reader(socket.SocketIO):  # Reads until one deadline, as `http.client` does not.
    def __init__(self, link: Any, deadline: float) -> None:
        super().__init__(link, "r")
        self.link, self.deadline = link, deadline

    makefile = lambda self, mode: io.BufferedReader(self)

    def readinto(self, buffer: Any) -> Any:
        if (left := self.deadline - time.monotonic()) <= 0:  # Bytes may come without end.
            raise TimeoutError("the timeout is over")
        self.link.settimeout(left)
        return super().readinto(buffer)
