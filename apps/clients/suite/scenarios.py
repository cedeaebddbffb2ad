"""What a client must survive. Each scenario takes a function that starts its driver, and fails if
an ID comes twice or out of order, or if an error does not say when to retry."""

import os
import re
import signal
import threading
import time
import urllib.parse
from contextlib import ExitStack

from world import FOLDER, Broken, Flood, Gate, Pause, Proxy, Server, refusal

SNO = re.compile(r"[2-9a-x]{16}")


def check(groups, count=None):
    """Checks that IDs are whole, differ, and increase within each group."""
    ids = [id for group in groups.values() for id in group]
    assert all(SNO.fullmatch(id) for id in ids), [id for id in ids if not SNO.fullmatch(id)][:3]
    assert len(set(ids)) == len(ids), f"{len(ids) - len(set(ids))} of {len(ids)} IDs came twice"
    for name, group in groups.items():
        assert group == sorted(group), f"the IDs of {name} are out of order"
    assert count in (None, len(ids)), f"{len(ids)} IDs in place of {count}"


def check_errors(errors, at_least=0):
    assert len(errors) >= at_least, f"{len(errors)} errors, at least {at_least} were caused"
    for seconds, message in errors:
        assert seconds is not None and 0 < seconds < 3600, f"no time to retry: {message}"


def shared(command):
    """A program that has issued IDs shares the rest of a block with its threads or children."""

    def scenario(start, world):
        for settings in {"MAX_BLOCK": 100}, {"MAX_BLOCK": 100, "SAME_PID": 1}, {"MAX_BLOCK": 1}:
            with start(world.servers[0], **settings) as driver:
                before = driver.take(90)
                groups, errors = driver.ask(command, 4, 300)
                check(groups | {"before": before})
                assert not errors, errors
                check(groups, 1200)
                check({"parent": before + driver.take(100)}, 190)

    return scenario


def ended(how):
    """The server ends in mid-block, stays away for longer than the timeout, and comes back."""

    def scenario(start, world):
        store = world.store()
        server = Server(store)
        world.ends(server)
        proxy = Proxy(server)
        with start(proxy, MAX_BLOCK=50, MAX_AGE=60, TIMEOUT=0.3) as driver:
            ids = driver.take(40)
            server.end(how)
            groups, errors = driver.ask("next", 1, 26)
            ids += groups.get("0", [])
            check({"0": ids})
            check_errors(errors, at_least=1)
            server.start()
            groups, errors = driver.ask("next", 1, 300)
            check_errors(errors)
            assert len(groups["0"]) > 250, "the client did not find the server again"
            check({"0": ids + groups["0"]})

    return scenario


def back_soon(start, world):
    """While the server restarts within the timeout, a client that retries has no error."""
    server = Server(world.store())
    world.ends(server)
    with start(Proxy(server), TIMEOUT=20) as driver:
        before = driver.take(30)
        server.end()
        driver.send("next", 1, 30)
        server.start()
        groups, errors = driver.receive()
        assert not errors, errors
        check({"0": before + groups["0"]}, 60)


def refused(status):
    """The server refuses for a time: longer than the timeout, then (`retries`) a shorter one."""

    def scenario(start, world):
        proxy = Proxy(world.servers[0])
        with start(proxy) as driver:
            ids = driver.take(1)
            proxy.faults = [refusal(status, 7)]
            sent = len(proxy.requests)
            groups, errors = driver.ask("next")
            assert len(proxy.requests) == sent + 1, "the client did not wait for Retry-After"
            check_errors(errors, at_least=1)
            assert errors[0][0] == 7, f"Retry-After is 7, not {errors[0]}"
            check({"0": ids + driver.take(1)})

    return scenario


def waits(start, world):
    """A client that retries honours a `Retry-After` within the timeout."""
    proxy = Proxy(world.servers[0])
    with start(proxy, TIMEOUT=20) as driver:
        proxy.faults = [refusal(503, 1), refusal(429, 1)]
        driver.take(1)
        first, second, third = proxy.requests[:3]
        assert second - first >= 1 and third - second >= 1, "Retry-After was not honoured"


def slow(start, world):
    """No answer, or one that comes byte by byte, is an error while it lasts. The proxy withholds it
    until the client gives up, so the limit is met only by one that has no timeout."""
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n"
    for withheld in b"", head + b"X: ", head + b"\r\n":
        proxy = Proxy(world.servers[0])
        with start(proxy, TIMEOUT=0.5) as driver:
            ids = driver.take(1)
            proxy.faults = [gate := Gate(withheld)]
            groups, errors = driver.ask("next", limit=15)
            gate.opened.set()
            check_errors(errors, at_least=1)
            check({"0": ids + driver.take(5)}, 6)


def held(start, world):
    """A block is as old as its request, whatever time the answer takes."""
    proxy = Proxy(world.servers[0])
    with start(proxy, MAX_BLOCK=1000, MAX_AGE=30, TIMEOUT=600, has_clock=True) as driver:
        before = driver.take(15)  # Of blocks of 1, 2, 4 and 8.
        proxy.faults = [gate := Gate()]
        driver.send("next")
        assert gate.reached.wait(60), "no block was requested"
        fence = world.servers[0].fence()
        driver.set_clock(60, 60)
        gate.opened.set()
        groups, errors = driver.receive()
        assert not errors, errors
        after = driver.take(20)
        assert after[0] > fence, f"{after[0]} is of a block that took a minute"
        check({"0": before + groups["0"] + after}, 36)
    # A server that is slower than the age of a block gives IDs all the same.
    proxy = Proxy(world.servers[0])
    proxy.faults = [(lambda answer: time.sleep(0.1) or answer,)]
    with start(proxy, MAX_BLOCK=100, MAX_AGE=0.05, TIMEOUT=5) as driver:
        check({"0": driver.take(3)}, 3)


def cut(start, world):
    """Connections end at any byte of an answer."""
    proxy = Proxy(world.servers[0])
    with start(proxy, MAX_BLOCK=20, MAX_AGE=60) as driver:
        ids = []
        for missing in [1, 3, 7, 20, 30, 100, 10_000] * 2:
            proxy.faults = [missing]
            groups, errors = driver.ask("next", 1, 25)
            check_errors(errors)
            ids += groups.get("0", [])
        check({"0": ids + driver.take(25)})


def clock(wall, monotonic):
    """After a stop in which the clocks move, nothing of an earlier block is used."""

    def scenario(start, world):
        server = world.servers[0]
        with start(server, MAX_BLOCK=1000, MAX_AGE=30, has_clock=True) as driver:
            before = driver.take(12)
            fence = server.fence()
            kept = driver.take(1)
            assert kept[0] < fence, "the block was not in use: the scenario shows nothing"
            fence = server.fence()
            os.kill(driver.process.pid, signal.SIGSTOP)
            driver.set_clock(wall, monotonic)
            os.kill(driver.process.pid, signal.SIGCONT)
            after = driver.take(20)
            assert after[0] > fence, f"{after[0]} is of the block before the change"
            check({"0": before + kept + after}, 33)

    return scenario


def parts(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    return re.sub(rb"(?i)\r\ncontent-length: \d+", b"", head), body


def closed(answer):
    """As a server of HTTP/1.0 answers."""
    head, body = parts(answer)
    return head.replace(b"HTTP/1.1", b"HTTP/1.0") + b"\r\n\r\n" + body


def chunked(answer):
    head, body = parts(answer)
    chunks = [body[i : i + 7] for i in range(0, len(body), 7)] + [b""]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return head + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks


def forms(start, world):
    """The other forms that HTTP has for an answer are read as well."""
    proxy = Proxy(world.servers[0])
    with start(proxy, MAX_BLOCK=20, MAX_AGE=60, TIMEOUT=1) as driver:
        ids = []
        for form in closed, chunked, 0, None:  # With 0, the connection ends after each answer.
            proxy.faults = [(form,)]
            ids += driver.take(12)
        check({"0": ids}, 48)


def strays(start, world):
    """An answer that no request asked for follows another, immediately or later."""
    proxy, answers = Proxy(world.servers[0]), []
    with start(proxy, TIMEOUT=20) as driver:
        proxy.faults = [lambda answer: answers.append(answer) or answer]
        ids = driver.take(3)
        proxy.faults = [lambda answer: answer + answers[0]]
        ids += driver.take(3)
        proxy.faults = [pause := Pause(rest=answers[0])]
        ids += driver.take(1)
        pause.opened.set()
        pause.passed.wait(10)
        check({"0": ids + driver.take(3)}, 10)


def floods(start, world):
    """An answer without end is an error within the timeout, and takes little memory."""
    status = b"HTTP/1.1 200 OK\r\n"
    body = status + b"Content-Type: text/plain\r\n\r\n"
    for flood in (
        Flood(status),
        Flood(body),
        Flood(status + b"Content-Length: 9999999999\r\n\r\n"),
        # Heads before the answer's own, and trailers after its body.
        Flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        Flood(status + b"Transfer-Encoding: chunked\r\n\r\n0\r\n"),
    ):
        proxy = Proxy(world.servers[0])
        with start(proxy, TIMEOUT=1) as driver:
            ids, before = driver.take(1), driver.peak()
            proxy.faults = [(flood,)]
            try:
                _, errors = driver.ask("next", limit=15)
            except Broken as error:  # Node ends when a text is too long for it.
                raise AssertionError(f"the answer was too much: {error}") from error
            check_errors(errors, at_least=1)
            grown = driver.peak() - before
            assert grown < 64, f"the answer took {grown} MiB of memory"
            proxy.faults = []
            check({"0": ids + driver.take(1)}, 2)


def forked(start, world):
    """A signal forks the program in the middle of a call, whose answer both processes receive."""
    for settings in {"MAX_BLOCK": 1}, {"MAX_BLOCK": 100}:
        proxy = Proxy(world.servers[0])
        with start(proxy, TIMEOUT=20, **settings) as driver:
            ids = driver.take(1)
            proxy.faults = [pause := Pause(closed)]
            driver.send("forked", 1, 30)
            assert pause.reached.wait(20), "no ID was requested"
            time.sleep(0.3)  # Until the answer has arrived, and only its end is missing.
            driver.process.send_signal(signal.SIGUSR1)
            time.sleep(0.3)  # Until it has forked.
            pause.opened.set()
            groups, errors = driver.receive()
            assert not errors, errors
            check(groups | {"before": ids}, 61)


def interrupted(start, world):
    """A signal's handler raises or takes an ID itself, wherever it comes: IDs may be lost, and
    nothing else is."""
    for draws in 0, 1:
        with start(world.servers[0], MAX_BLOCK=2, MAX_AGE=600, TIMEOUT=600) as driver:
            groups, errors = driver.ask("interrupted", draws, limit=300)
            assert not errors, errors[0][1]
            assert len(groups["1"]) > 300, "the client has few opcodes"
            if draws:
                groups["0"].sort()  # A handler's ID and the interrupted call's have any order.
            check(groups)


def said(body, head="200 OK"):
    body = body.encode()
    return f"HTTP/1.1 {head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


LIES = [
    said("<html>Please log in.</html>\n"),
    said(""),
    said("\n"),
    said("[" * 60_000),
    said('{"ids":["2222222222222222"]}' + " " * 200_000),
    said("\n", "302 Found\r\nLocation: /v1/realms/orders/ids"),
    b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
]
LIES += [
    said(f'{{"ids":{ids}}}\n')
    for ids in ("null", "[]", '"x"', '[""]', '["a b"]', "[9007199254740993]", "[[1]]", '["x","x"]')
]
LIES += [said(f'{{"ids":["{text}"]}}') for text in ("x" * 100, "ä", "x\\n", "x\\u0000")]
LIES += [said(text) for text in ("x" * 100 + "\n", "ä\n", "x\nx\n", "x x\n", "x", '"x"\n')]


def lies(start, world):
    """What is not the answer of a server gives no ID."""
    proxy = Proxy(world.servers[0])
    with start(proxy, TIMEOUT=0.3) as driver:
        ids = driver.take(1)
        for lie in LIES:
            proxy.faults, sent = [(lie,)], len(proxy.requests)
            groups, errors = driver.ask("next")
            assert len(errors) == 1 and not groups, f"{groups} of {lie[:99]}"
            sent = len(proxy.requests) - sent
            assert sent < 20, f"{sent} requests without a pause"
            proxy.faults = []
            ids += driver.take(1)
        check({"0": ids})


def repeated(start, world):
    """A cache answers again."""
    proxy, answers = Proxy(world.servers[0]), []
    with start(proxy, MAX_BLOCK=1) as driver:
        ids = driver.take(1)
        proxy.faults = [lambda answer: answers.append(answer) or answer]
        ids += driver.take(1)
        proxy.faults = answers
        check({"0": ids + driver.take(3)}, 5)


def ipv6(start, world):
    """The host is an address of IPv6."""
    server = world.servers[0]
    with start(server, TICKID_URL=f"http://[::ffff:127.0.0.1]:{server.port}/\n", BARE=1) as driver:
        check({"0": driver.take(3)}, 3)


def escaped(start, world):
    """The path of a Unix socket is percent-encoded, in every language."""
    server = world.servers[0]
    path = f"{FOLDER}/a socket+100%.sock"
    if not os.path.lexists(path):
        os.symlink(server.socket, path)
    with start(server, TICKID_URL=f"http+unix://{urllib.parse.quote(path)}") as driver:
        check({"0": driver.take(3)}, 3)


def small(start, world):
    """No blocks unless asked for. A first block has one ID, and a stale one is followed by one as
    small."""
    proxy = Proxy(world.servers[0])
    with start(proxy, REALM="chat") as driver:
        driver.take(3)
        assert len(proxy.requests) == 3, f"{len(proxy.requests)} requests"
    proxy = Proxy(world.servers[0])
    with start(proxy, MAX_BLOCK=100, MAX_AGE=60) as driver:
        driver.take(1)
        driver.take(300)
        # 1, 2, 4, 8, 16, 32, 64 and 100 from then on.
        assert 7 + 2 <= len(proxy.requests) <= 7 + 3, f"{len(proxy.requests)} requests"


def integers(start, world):
    """Integers of 63 bits are exact."""
    proxy = Proxy(world.servers[0])
    with start(proxy, REALM="chat", MAX_BLOCK=100) as driver:
        proxy.faults = [said(f'{{"ids":["{10**20}"]}}')]
        ids = [int(id) for id in driver.take(2000)]
        assert min(ids) > 2**53 and len(set(ids)) == 2000 and ids == sorted(ids), ids[:5]


def dots(start, world):
    """The texts of kuids have dots. They are the server's default, so that no parameter asks for
    them, which a server of another release could refuse."""
    proxy = Proxy(world.servers[0])
    with start(proxy, REALM="logs", MAX_BLOCK=20, MAX_AGE=60) as driver:
        groups, errors = driver.ask("next", 1, 40)
        assert not errors, errors
        ids = groups["0"]
        assert len(set(ids)) == 40 and ids == sorted(ids), ids
        assert all(id.startswith(".") for id in ids), ids
        assert b"as=" not in proxy.last, proxy.last


def unknown(start, world):
    """A parameter that a server of another release does not know costs a call one request and an
    error that names it. The client asks again at the next call: that server may have an upgrade."""
    proxy = Proxy(world.servers[0])
    with start(proxy, REALM="chat", MAX_BLOCK=100, TIMEOUT=20) as driver:
        ids = driver.take(1)
        proxy.faults, sent = [said('unknown query parameter "as"', "400 No")], len(proxy.requests)
        _, errors = driver.ask("next")
        assert len(errors) == 1 and errors[0][0] is None and '"as"' in errors[0][1], errors
        sent = len(proxy.requests) - sent
        assert sent == 1, f"{sent} requests"
        ids += driver.take(3)
        assert len(set(ids)) == 4 and ids == sorted(ids), ids


def later(driver, peer, count=40):
    """Returns IDs that follow one from elsewhere, once the client has observed that."""
    groups, errors = driver.ask("observe", 1, peer)
    assert not errors, errors
    ids = [int(id) for id in driver.take(count)]
    assert ids[0] > peer, f"{ids[0]} follows {peer}"
    return ids


def observed(start, world):
    """After an ID from elsewhere, whose clock is ahead, all IDs are greater: none is of a block."""
    server = world.servers[0]
    with start(server, REALM="late", MAX_BLOCK=100, MAX_AGE=60, TIMEOUT=20) as driver:
        ids = [int(id) for id in driver.take(40)]
        # Five seconds are allowed; the client waits for the sixth.
        for ahead in 0, 2_000, 6_000:
            peer = int(server.fence("late")) + (ahead << 22)
            ids += later(driver, peer)
        assert ids == sorted(set(ids)), "IDs are out of order"
        groups, errors = driver.ask("observe", 1, ids[-1] + (3_000_000 << 22))
        check_errors(errors, at_least=1)
        assert 2_900 < errors[0][0], errors
    with start(server) as driver:
        groups, errors = driver.ask("observe", 1, "2" * 16)
        assert errors[0][0] is None and "409" in errors[0][1], f"sno IDs follow none: {errors}"


def taken(start, world):
    """Many IDs come by one request, and later ones are of no earlier block."""
    proxy = Proxy(world.servers[0])
    with start(proxy, MAX_BLOCK=100, MAX_AGE=60, TIMEOUT=20) as driver:
        ids = driver.take(10)  # The block has five more.
        for count in 1, 1000:
            sent = len(proxy.requests)
            groups, errors = driver.ask("many", 1, count)
            assert len(proxy.requests) == sent + 1, f"{len(proxy.requests) - sent} requests"
            ids += groups["0"] + driver.take(10)
        check({"0": ids}, 1031)


def overtaken(start, world):
    """A block that was requested before an ID was observed, and comes after, is not used."""
    proxy = Proxy(world.servers[0])
    with start(proxy, REALM="late", MAX_BLOCK=100, MAX_AGE=60, TIMEOUT=20) as driver:
        driver.take(15)  # Of blocks of 1, 2, 4 and 8.
        held = Gate()
        proxy.faults = [held]
        driver.ask("request")
        assert held.reached.wait(60), "no block was requested"
        peer = int(world.servers[0].fence("late")) + (2_000 << 22)
        # A client may also wait for its block.
        opener = threading.Timer(3, held.opened.set)
        opener.start()
        groups, errors = driver.ask("observe", 1, peer)
        assert not errors, errors
        held.opened.set()
        opener.cancel()
        ids = driver.take(20)
        assert int(ids[0]) > peer, f"{ids[0]} was requested before {peer} was observed"


def protected(start, world):
    """Tokens and certificates are required, and refusals that time does not mend say so."""
    server = world.protected
    known = {"TICKID_TOKEN": world.token, "CA": world.certificate}
    for settings, reason in [
        (known, None),
        (known | {"TICKID_TOKEN": "0" * 16}, "401"),
        (known | {"REALM": "nothing"}, "404"),
        (known | {"TICKID_TOKEN": f"{world.token}\n"}, None),  # As of a file.
        ({"TICKID_TOKEN": world.token}, "certificat|CERTIFICATE|SELF_SIGNED"),
    ]:
        with start(server, **settings) as driver:
            driver.ask("next")  # The first takes Java seconds on a busy machine.
            groups, errors = driver.ask("next", 1, 3)
            if reason is None:
                assert not errors, errors
                check(groups, 3)
            else:
                assert not groups and len(errors) == 3, f"IDs without {reason}"
                assert re.search(reason, errors[0][1]), errors
                assert reason not in ("401", "404") or errors[0][0] is None, errors


def distrusted(start, world):
    """What time does not mend in TLS is not retried: an authority that is not trusted, and a server
    without TLS."""
    secret = {"TICKID_TOKEN": world.token, "TIMEOUT": 20}
    plain = f"https://127.0.0.1:{world.servers[0].port}"
    for settings in secret, secret | {"TICKID_URL": plain}:
        with start(world.protected, **settings) as driver:
            groups, errors = driver.ask("next")
            assert errors and errors[0][0] is None, errors


def many(starts, world, total=100_000):
    """Eight processes of two servers, with and without blocks."""
    with ExitStack() as stack:
        drivers = []
        for index in range(8):
            start, share = starts[index % len(starts)]
            server = world.servers[index // len(starts) % 2]
            driver = stack.enter_context(start(server, MAX_BLOCK=1 if index < 2 else 100))
            drivers.append((driver, share))
        parts = sum(share for _, share in drivers)
        counts = [total * share // parts for _, share in drivers]
        counts[0] += total - sum(counts)
        for (driver, _), count in zip(drivers, counts):
            driver.send("next", 1, count)
        groups, failed = {}, 0
        for index, (driver, _) in enumerate(drivers):
            # On a busy machine they take minutes, and a request may exceed its timeout.
            ids, errors = driver.receive(limit=600)
            check_errors(errors)
            failed += len(errors)
            groups[index] = ids["0"]
        assert failed < total / 1000, f"{failed} of {total} requests failed"
        check(groups, total - failed)
