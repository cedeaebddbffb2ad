"""Drives the Python client: each line of standard input is a command, a number of groups (threads
or processes) and a number of IDs for each; the answer is a line for each ID or error, and a dot."""

import http.client
import os
import signal
import socket
import ssl
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, TimeoutError

if os.environ.get("GEVENT"):
    from gevent import monkey

    monkey.patch_all()
if os.environ.get("BARE"):  # As on Windows.
    del os.fork, os.register_at_fork, socket.AF_UNIX
sys.path.insert(0, os.environ["CLIENT"])
if os.environ.get("SAME_PID"):
    os.getpid = lambda: 1  # As where a process ID is used again.


def scripted(clock, column):
    def now():
        with open(os.environ["CLOCK"]) as file:
            return clock() + float(file.read().split()[column])

    return now


if os.environ.get("CLOCK"):
    time.time, time.monotonic = scripted(time.time, 0), scripted(time.monotonic, 1)
import tickid

options = {"timeout": float(os.environ["TIMEOUT"]), "max_age": float(os.environ["MAX_AGE"])}
if os.environ.get("CA"):
    options["ssl_context"] = ssl.create_default_context(cafile=os.environ["CA"])
if os.environ.get("MAX_BLOCK"):
    options["max_block"] = int(os.environ["MAX_BLOCK"])
ids = tickid.IdSource(os.environ["REALM"], **options)


def take(group, count):
    lines = []
    for _ in range(count):
        try:
            lines.append(f"{group} {ids.next()}\n")
        except tickid.TickidError as error:
            lines.append(said(group, error))
    return "".join(lines)


def said(group, error):
    message = str(error).replace("\n", " ")
    return f"{group} ! {error.retry_after} {message}\n"


def threads(groups, count):
    answers = []
    run = lambda group: answers.append(take(group, int(count)))
    started = [threading.Thread(target=run, args=(group,)) for group in range(groups)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return "".join(answers)


def fork(groups, count):
    children = []
    for group in range(groups):
        reader, writer = os.pipe()
        if os.fork() == 0:
            with open(writer, "w") as out:
                out.write(take(group, int(count)))
            os._exit(0)
        os.close(writer)
        children.append(reader)
    return "".join(open(reader).read() for reader in children)


def forked(_, count):
    """Lets a signal fork this process while it takes IDs."""
    reader, writer = os.pipe()
    children = []
    signal.signal(signal.SIGUSR1, lambda *_: children.append(os.fork()))
    lines = take(0, int(count))
    if 0 in children:
        with open(writer, "w") as out:
            out.writelines("1" + line[1:] for line in lines.splitlines(keepends=True))
        os._exit(0)
    os.close(writer)
    return lines + open(reader).read()


class Interrupt(BaseException):
    pass


class Vanished(Exception):
    pass


def at_opcode(number, act, call, must_pass):
    """Calls, and acts before one of the opcodes that the client then executes, as the handler of a
    signal may. Returns whether there were so many. What ends an answer counts as well: a finalizer
    that does it drops the exceptions of handlers."""
    left = number
    is_passed = False

    def trace(frame, event, _):
        nonlocal left
        code = frame.f_code
        if code.co_filename != tickid.__file__ and (
            code.co_filename != http.client.__file__ or "close" not in code.co_name
        ):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            left -= 1
            if left == -1:
                act()
        return trace

    sys.settrace(trace)
    try:
        call()
    except Interrupt:
        is_passed = True
    finally:
        sys.settrace(None)
    if left < 0 and must_pass and not is_passed:
        raise Vanished
    return left < 0


def interrupted(draws, _):
    """Takes IDs and is interrupted before each opcode in turn, by a handler that raises or, if
    `draws`, takes an ID itself. After each, another thread and this one take more."""
    lines, highest, other = [], "", ThreadPoolExecutor(1)

    def draw():
        nonlocal highest
        before = highest
        lines.append(f"0 {ids.next()}\n")
        if lines[-1] <= before:
            lines.append("0 ! None an ID is lower than one before\n")
        highest = max(highest, lines[-1])

    def interrupt():
        if not draws:
            raise Interrupt
        draw()

    def draw_some():
        for _ in range(3):  # All of a block, and one of the next.
            draw()

    number = 0
    ids.take(1)
    while True:
        try:
            if not at_opcode(number, interrupt, draw_some, must_pass=not draws):
                break
        except Vanished:
            return "0 ! None an exception of a handler vanished\n"
        try:
            lines.append(other.submit(take, 1, 3).result(10))
        except TimeoutError:
            return "0 ! None another thread waits\n"
        draw()
        number += 1
        ids.take(1)  # The next round begins without a block.
    return "".join(lines)


def request(_, count):
    """Does not wait for the IDs."""
    threading.Thread(target=take, args=(0, int(count))).start()
    return ""


def many(_, count):
    return "".join(f"0 {id}\n" for id in ids.take(int(count)))


def observe(_, id):
    try:
        ids.observe(id if os.environ["REALM"] == "orders" else int(id))
        return ""
    except tickid.TickidError as error:
        return said(0, error)


commands = {"next": lambda _, count: take(0, int(count)), "threads": threads, "fork": fork}
commands |= {
    "interrupted": interrupted,
    "many": many,
    "request": request,
    "observe": observe,
    "forked": forked,
}
for line in sys.stdin:
    command, groups, count = line.split()
    print(commands[command](int(groups), count) + ".", flush=True)
