"""What a client must survive. Each scenario takes a function that starts its driver, and fails if
an ID comes twice or out of order, or if an error does not say when to retry."""

import os
import re
import signal
import time
from contextlib import ExitStack

from world import Proxy, Server, refusal

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
    """Answers come a byte at a time, or not at all."""
    for fault in "drip", "silence":
        proxy = Proxy(world.servers[0])
        with start(proxy, TIMEOUT=0.5) as driver:
            ids = driver.take(1)
            proxy.faults = [fault]
            # An answer by bytes takes 20 seconds, and a silent server closes after 5.
            begin = time.monotonic()
            groups, errors = driver.ask("next")
            assert time.monotonic() - begin < 4, "the timeout was exceeded"
            check_errors(errors, at_least=1)
            check({"0": ids + driver.take(5)}, 6)


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


def clock(kind, change):
    """After a change of the clocks, nothing of an earlier block is used."""

    def scenario(start, world):
        server = world.servers[0]
        with start(server, MAX_BLOCK=1000, MAX_AGE=30, clock=kind) as driver:
            before = driver.take(12)
            fence = server.fence()
            kept = driver.take(1)
            assert kept[0] < fence, "the block was not in use: the scenario shows nothing"
            fence = server.fence()
            change(driver)
            after = driver.take(20)
            assert after[0] > fence, f"{after[0]} is of the block before the change"
            check({"0": before + kept + after}, 33)

    return scenario


def stopped(driver):
    """As a minute under SIGSTOP, in which both clocks run on."""
    os.kill(driver.process.pid, signal.SIGSTOP)
    driver.set_clock(60)
    os.kill(driver.process.pid, signal.SIGCONT)


def stale(start, world):
    """A block is too old by the monotonic clock, and the wall clock was set back as much."""
    server = world.servers[0]
    with start(server, MAX_BLOCK=1000, MAX_AGE=0.5, clock="wall") as driver:
        before = driver.take(12)
        fence = server.fence()
        time.sleep(0.6)  # Real time, since only this moves the one clock and not the other.
        driver.set_clock(-0.6)
        after = driver.take(20)
        assert after[0] > fence, f"{after[0]} is of the stale block"
        check({"0": before + after}, 32)


def small(start, world):
    """A first block has one ID, and a stale one is followed by one as small."""
    proxy = Proxy(world.servers[0])
    with start(proxy, MAX_BLOCK=100, MAX_AGE=60) as driver:
        driver.take(1)
        driver.take(300)
        # 1, 2, 4, 8, 16, 32, 64 and 100 from then on.
        assert 7 + 2 <= len(proxy.requests) <= 7 + 3, f"{len(proxy.requests)} requests"


def integers(start, world):
    """Integers of 63 bits are exact."""
    with start(world.servers[0], REALM="chat", MAX_BLOCK=100) as driver:
        ids = [int(id) for id in driver.take(2000)]
        assert min(ids) > 2**53 and len(set(ids)) == 2000 and ids == sorted(ids), ids[:5]


def protected(start, world):
    """Tokens and certificates are required, and refusals that time does not mend say so."""
    server = world.protected
    known = {"TICKID_TOKEN": world.token, "CA": world.certificate}
    for settings, reason in [
        (known, None),
        (known | {"TICKID_TOKEN": "0" * 16}, "401"),
        (known | {"REALM": "nothing"}, "404"),
        ({"TICKID_TOKEN": world.token}, "certificate|CERTIFICATE|SELF_SIGNED"),
    ]:
        with start(server, **settings) as driver:
            groups, errors = driver.ask("next", 1, 3)
            if reason is None:
                assert not errors, errors
                check(groups, 3)
            else:
                assert not groups and len(errors) == 3, f"IDs without {reason}"
                assert re.search(reason, errors[0][1]), errors
                assert reason not in ("401", "404") or errors[0][0] is None, errors


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
            ids, errors = driver.receive()
            # On a busy machine a request may exceed its timeout.
            check_errors(errors)
            failed += len(errors)
            groups[index] = ids["0"]
        assert failed < total / 1000, f"{failed} of {total} requests failed"
        check(groups, total - failed)
