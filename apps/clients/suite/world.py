"""Servers, a proxy that misbehaves, and drivers of clients."""

import glob
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
TICKID = os.environ.get("TICKID", os.path.join(ROOT, "target/debug/tickid"))
FOLDER = tempfile.mkdtemp(prefix="tickid-clients-")


class Broken(RuntimeError):
    """A driver or a server ended, which is no answer to a scenario's question."""


class Server:
    """`tickid serve` over the folder's store, or over another server's."""

    def __init__(self, store, *options, command=None):
        self.socket = tempfile.mktemp(suffix=".sock", dir=FOLDER)
        self.command = [TICKID, "serve", "--store", f"file://{store}", "--realm=orders=sno"]
        self.command += ["--realm=chat=nanoflake", "--realm=late=snowflake:discord"]
        self.command += ["--realm=logs=kuid"]
        self.command += ["--policy=late=ratchet:10s", "--http=127.0.0.1:0", "--log=json"]
        self.command += ["--http-unix", self.socket, *options]
        if command:
            self.command = [TICKID, *command, "--store", f"file://{store}", "--log=json"]
            self.command += ["--listen=127.0.0.1:0", "--http=127.0.0.1:0"]
            self.command += ["--http-unix", self.socket]
        self.scheme, self.unix_url = "http", f"http+unix://{self.socket}"
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True)
        log, lines = [], self.process.stderr
        for line in lines:
            log.append(line)
            if not line.startswith("{"):
                continue  # For people: the realms that were created.
            entry = json.loads(line)
            if "address" in entry and entry.get("protocol") == "http":
                self.port = int(entry["address"].rpartition(":")[2])
            if entry.get("message") == "listening" and "path" in entry:
                break
        else:
            raise Broken("".join(log))

        def drain():
            with lines:
                lines.read()

        threading.Thread(target=drain, daemon=True).start()

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def fence(self, realm="orders"):
        """Returns an ID that is greater than all that were issued, and less than all others."""
        with urllib.request.urlopen(f"{self.url}/v1/realms/{realm}/ids", timeout=10) as answer:
            return json.load(answer)["ids"][0]

    def end(self, signal="terminate"):
        getattr(self.process, signal)()
        self.process.wait()


class Postgres:
    """A server whose databases sort texts as Czech does, where "ch" follows "h"."""

    programs = max(glob.glob("/usr/lib/postgresql/*/bin"), default=None)

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="tickid-postgres-")
        # PostgreSQL does not run as root.
        self.user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        if self.user:
            shutil.chown(self.folder, "postgres")
        options = "--auth=trust --username=tickid --encoding=UTF8 --locale=C --no-sync"
        self.run("initdb", *options.split(), "--locale-provider=icu", "--icu-locale=cs")
        server = f"-c listen_addresses='' -c unix_socket_directories={self.folder}"
        self.run("pg_ctl", "start", "--wait", f"--log={self.folder}/log", f"--options={server}")
        self.variables = {"PGHOST": self.folder, "PGUSER": "tickid", "PGDATABASE": "postgres"}

    def run(self, program, *arguments):
        command = [*self.user, f"{self.programs}/{program}", f"--pgdata={self.folder}/data"]
        ran = subprocess.run([*command, *arguments], stdout=subprocess.DEVNULL)
        if ran.returncode != 0:
            raise Broken(f"{program} failed")

    def end(self):
        self.run("pg_ctl", "stop", "--wait", "--mode=immediate")
        shutil.rmtree(self.folder)


class Gate:
    """Withholds an answer until it is opened. Until then, if there is a `head`, sends that and then
    byte after byte."""

    def __init__(self, head=b""):
        self.head, self.reached, self.opened = head, threading.Event(), threading.Event()


class Pause:
    """Has more bytes follow an answer, or the end of the connection, once it is opened."""

    def __init__(self, form=lambda answer: answer, rest=b""):
        self.form, self.rest, self.opened = form, rest, threading.Event()
        self.reached, self.passed = threading.Event(), threading.Event()

    def attend(self, client, answer):
        client.sendall(self.form(answer))
        self.reached.set()
        self.opened.wait()
        try:
            client.sendall(self.rest)
        finally:
            self.passed.set()


class Flood:
    """Lines without end in place of an answer, or of the rest of one."""

    def __init__(self, head, lines=b"X: " + b"-" * 995 + b"\r\n"):
        self.head, self.lines = head, lines * (65536 // len(lines))

    def attend(self, client, _):
        client.sendall(self.head)
        while True:
            client.sendall(self.lines)


class Proxy:
    """Forwards HTTP requests to a server. `faults` are what happens to the next answers: other
    bytes in their place, a function that changes them, a `Gate`, a `Pause`, a `Flood`, or the
    number of bytes that are missing at their end, where the connection ends. A last fault in a
    tuple is for all others."""

    def __init__(self, server):
        self.server, self.faults, self.requests, self.last = server, [], [], b""
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            link = self.listener.accept()[0]
            threading.Thread(target=self.attend, args=(link,), daemon=True).start()

    def attend(self, client):
        try:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with client, client.makefile("rb") as requests:
                while request := self.head(requests):
                    self.requests.append(time.monotonic())
                    self.last = request
                    fault = self.faults.pop(0) if self.faults else None
                    if isinstance(fault, tuple):
                        self.faults.insert(0, fault)
                        fault = fault[0]
                    answer = fault if isinstance(fault, bytes) else self.forward(request)
                    if isinstance(fault, int):
                        client.sendall(answer[: len(answer) - fault])
                        return
                    if isinstance(fault, (Pause, Flood)):
                        fault.attend(client, answer)
                        if fault.rest:
                            continue
                        return
                    if isinstance(fault, Gate):
                        fault.reached.set()
                        client.sendall(fault.head)
                        while not fault.opened.wait(0.05):
                            client.sendall(b"-" * bool(fault.head))
                    elif callable(fault):
                        answer = fault(answer)
                    client.sendall(answer)
                    if answer.startswith(b"HTTP/1.0"):
                        return
        except OSError:
            pass  # The client or the server has gone, and the other one sees it.

    def head(self, lines):
        head = b""
        while line := lines.readline():
            head += line
            if line == b"\r\n":
                return head
        return b""

    def forward(self, request):
        with socket.create_connection(("127.0.0.1", self.server.port), 10) as link:
            link.sendall(request)
            with link.makefile("rb") as answer:
                head = self.head(answer)
                if head.startswith(b"HTTP/1.1 204"):
                    return head
                length = re.search(rb"(?i)content-length: (\d+)", head)
                if not length:
                    raise OSError("the server has gone")
                return head + answer.read(int(length[1]))


def refusal(status, seconds):
    return (
        f"HTTP/1.1 {status} No\r\nRetry-After: {seconds}\r\nContent-Length: 3\r\n\r\nno\n".encode()
    )


class Driver:
    """A running program with a client, which answers commands."""

    def __init__(self, command, url, **settings):
        has_clock = settings.pop("has_clock", False)
        env = {"REALM": "orders", "MAX_AGE": "1", "TIMEOUT": "2"}
        # A proxy would be the way to other hosts.
        for name in "http_proxy", "https_proxy", "all_proxy":
            env[name] = env[name.upper()] = "http://127.0.0.1:1"
        env |= {"no_proxy": "", "NO_PROXY": "", "TICKID_URL": url}
        env |= {name: str(value) for name, value in settings.items()}
        if has_clock:
            env["CLOCK"] = self.clock = tempfile.mktemp(dir=FOLDER)
            self.set_clock(0, 0)
        self.process = subprocess.Popen(
            command,
            env=os.environ | env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def set_clock(self, wall, monotonic):
        """Sets the driver's clocks this many seconds ahead of the machine's."""
        with open(self.clock + ".new", "w") as file:
            file.write(f"{wall} {monotonic}")
        os.replace(self.clock + ".new", self.clock)

    def send(self, command, groups=1, count=1):
        self.process.stdin.write(f"{command} {groups} {count}\n")
        self.process.stdin.flush()

    def receive(self, limit=60):
        """Returns the IDs of each group, and the errors with their times to retry. The limit, in
        seconds, ends a driver that hangs."""
        groups, errors = {}, []
        watchdog = threading.Timer(limit, self.process.kill)
        watchdog.start()
        try:
            return self.read(groups, errors)
        except Broken:
            assert watchdog.is_alive(), "the client hangs"
            raise
        finally:
            watchdog.cancel()

    def read(self, groups, errors):
        for line in self.process.stdout:
            if line == ".\n":
                return groups, errors
            group, _, answer = line.rstrip("\n").partition(" ")
            if answer.startswith("! "):
                _, seconds, message = answer.split(" ", 2)
                errors.append((None if seconds == "None" else float(seconds), message))
            else:
                groups.setdefault(group, []).append(answer)
        raise Broken(f"the driver ended with {self.process.wait()}")

    def ask(self, command, groups=1, count=1, limit=60):
        self.send(command, groups, count)
        return self.receive(limit)

    def peak(self):
        """Returns the most memory that the driver had, in MiB."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmHWM:\s*(\d+) kB", file.read())[1]) >> 10

    def take(self, count):
        """Returns IDs, none of which may fail."""
        groups, errors = self.ask("next", 1, count)
        assert not errors, errors
        return groups["0"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
