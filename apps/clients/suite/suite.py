"""Drives the clients of all languages through the scenarios, and plants faults, which the
scenarios must find. Run `python3 -m unittest -v suite` in this folder, after building `tickid`."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import pages
import releases
import scenarios
from faults import FAULTS
from world import FOLDER, HERE, ROOT, Broken, Driver, Postgres, Server


def has(program, *arguments):
    try:
        return subprocess.run([program, *arguments], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


class World:
    """Two servers over one store, and those of single scenarios."""

    def __init__(self):
        self.started = []
        store = self.store()
        self.servers = [Server(store), Server(store)]
        self.started += self.servers
        self.token, self.certificate = "0123456789abcdef", f"{FOLDER}/cert.pem"
        key = f"{FOLDER}/key.pem"
        with open(f"{FOLDER}/tokens", "w") as file:
            file.write(self.token)
        command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
        command += " -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1,DNS:tickid"
        files = ["-keyout", key, "-out", self.certificate]
        subprocess.run([*command.split(), *files], check=True, capture_output=True)
        options = ["--token-file", f"{FOLDER}/tokens", "--tls-key", key]
        self.protected = Server(store, "--tls-cert", self.certificate, *options)
        self.protected.scheme, self.protected.unix_url = "https", None
        self.started.append(self.protected)

    def store(self):
        return tempfile.mkdtemp(dir=FOLDER)

    def ends(self, server):
        self.started.append(server)

    def end(self):
        for server in self.started:
            server.end()
        shutil.rmtree(FOLDER)


class Client:
    """A client: the program that drives it, and the folder of its source."""

    def __init__(self, command, folder, has_unix=True, trust=None):
        self.command, self.folder, self.has_unix = command, folder, has_unix
        self.trust = trust  # Returns the environment in which an authority is trusted.

    def start(self, server, **settings):
        if self.trust and "CA" in settings:
            settings |= self.trust(settings["CA"])
        url = self.has_unix and getattr(server, "unix_url", None) or server.url
        return Driver(self.command, url, CLIENT=settings.pop("CLIENT", self.folder), **settings)


def changed(text, changes):
    for old, new in changes:
        if text.count(old) != 1:  # Not an assertion, which would count as a fault that is found.
            raise Broken(f"{old!r} is {text.count(old)} times in the source")
        text = text.replace(old, new)
    return text


def snippet(language, changes=(), driver=None):
    """Builds a program of the class in a page, and returns its client. The program is the driver of
    the scenarios, unless another is given."""
    folder = tempfile.mkdtemp(dir=FOLDER)
    source, build, command, prelude = SNIPPETS[language]
    text = pages.example(language, f"## {TITLES[language]}", language)
    text = changed(text, changes)
    if driver is None:
        with open(f"{HERE}/{source}") as file:
            driver = file.read()
    path = f"{folder}/{os.path.basename(source)}"
    with open(path, "w") as file:
        file.write(prelude + (driver + text if language == "java" else text + driver))
    if build:
        env = os.environ | {"GOPATH": f"{FOLDER}/go", "GOCACHE": f"{FOLDER}/go/cache"}
        subprocess.run([*build, path], cwd=folder, check=True, capture_output=True, env=env)
    command = [word.format(folder=folder) for word in command]
    return Client(command, folder, language != "java", globals()[f"trust_in_{language}"])


def trust_in_php(authority):
    with open(f"{FOLDER}/curl.ini", "w") as file:
        file.write(f"curl.cainfo={authority}\n")
    return {"PHP_INI_SCAN_DIR": f":{FOLDER}"}


def trust_in_go(authority):
    return {"SSL_CERT_FILE": authority}


def trust_in_java(authority):
    store = f"{FOLDER}/authorities.p12"
    if not os.path.exists(store):
        command = ["keytool", "-importcert", "-noprompt", "-storepass", "changeit"]
        command += ["-storetype", "PKCS12", "-file", authority, "-keystore", store]
        subprocess.run(command, check=True, capture_output=True)
    options = f"-Djavax.net.ssl.trustStore={store} -Djavax.net.ssl.trustStorePassword=changeit"
    return {"JAVA_TOOL_OPTIONS": options}


def imports(form, words):
    return "".join(form.format(word) for word in words.split())


SNIPPETS = {
    "php": ("driver.php", None, ["php", "{folder}/driver.php"], "<?php\n"),
    "go": (
        "main.go",
        ["go", "build", "-o", "main"],
        ["{folder}/main"],
        "package main\n"
        + imports(
            'import "{}"\n',
            "context errors fmt io net net/http net/url os regexp strconv strings time",
        ),
    ),
    "java": (
        "Main.java",
        ["javac"],
        ["java", "-Xshare:auto", "-cp", "{folder}", "Main"],
        imports("import java.{}.*;\n", "io net net.http nio nio.charset util util.concurrent"),
    ),
}
TITLES = {"php": "PHP", "go": "Go", "java": "Java"}


def clients():
    found = {"python": Client([sys.executable, f"{HERE}/driver.py"], f"{ROOT}/apps/clients/python")}
    if has("node", "--version"):
        found["node"] = Client(["node", f"{HERE}/driver.js"], f"{ROOT}/apps/clients/node")
    return found


SCENARIOS = {
    "fork": scenarios.shared("fork"),
    "forked": scenarios.forked,
    "interrupted": scenarios.interrupted,
    "threads": scenarios.shared("threads"),
    "workers": scenarios.shared("workers"),
    "cluster": scenarios.shared("cluster"),
    "restart": scenarios.ended("terminate"),
    "kill": scenarios.ended("kill"),
    "back_soon": scenarios.back_soon,
    "status_503": scenarios.refused(503),
    "status_429": scenarios.refused(429),
    "waits": scenarios.waits,
    "slow": scenarios.slow,
    "cut": scenarios.cut,
    "held": scenarios.held,
    "forms": scenarios.forms,
    "lies": scenarios.lies,
    "floods": scenarios.floods,
    "strays": scenarios.strays,
    "repeated": scenarios.repeated,
    "ipv6": scenarios.ipv6,
    "escaped": scenarios.escaped,
    "clock_set_back": scenarios.clock(wall=-3600, monotonic=0),
    "suspended": scenarios.clock(wall=60, monotonic=0),
    "stopped": scenarios.clock(wall=60, monotonic=60),
    "wall_set_back_as_much": scenarios.clock(wall=0, monotonic=60),
    "small": scenarios.small,
    "integers": scenarios.integers,
    "dots": scenarios.dots,
    "unknown": scenarios.unknown,
    "observed": scenarios.observed,
    "overtaken": scenarios.overtaken,
    "taken": scenarios.taken,
    "protected": scenarios.protected,
    "distrusted": scenarios.distrusted,
    "many": lambda start, world: scenarios.many([(start, 1)], world, 20_000),
}
OTHERS = {"python": {"workers", "cluster"}, "node": {"fork", "forked", "interrupted"}}
# Those in which threads that share a processor could differ.
GREENLETS = ["threads", "restart", "waits", "slow", "strays", "protected"]


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World()

    @classmethod
    def tearDownClass(cls):
        cls.world.end()

    def test_eight_processes(self):
        starts = [(client.start, 20) for client in CLIENTS.values()]
        # Without blocks.
        starts += [(snippet(language).start, 1) for language in SNIPPETS if is_installed(language)]
        scenarios.many(starts, self.world)

    def test_answers_of_earlier_releases(self):
        starts = {language: client.start for language, client in CLIENTS.items()}
        if "TICKID_RECORD" in os.environ:
            releases.record(starts, self.world.servers[0])
        releases.replay(starts, self.world.servers[0])

    def test_packages_are_small(self):
        for path in "python/tickid/__init__.py", "node/index.js":
            with open(f"{ROOT}/apps/clients/{path}") as file:
                self.assertLessEqual(len(file.readlines()), 250, path)

    def test_each_scenario_has_a_fault(self):
        for language, others in OTHERS.items():
            found = {name.partition("__")[0] for name in FAULTS[language]}
            library = {"strays"} if language == "node" else set()  # Node itself drops them.
            self.assertEqual(found | library, SCENARIOS.keys() - others, language)

    def test_urls(self):
        urls = "ftp://h http:// http+unix://h/x http://u@h http://h?x http://h#x".split()
        for url in [*urls, "http://a b", "http://[::1", "http://h:99999"]:
            for language, client in CLIENTS.items():
                program, error = {
                    "python": ("import tickid; tickid.IdSource('orders')", "ValueError"),
                    "node": (f"new (require('{client.folder}')).IdSource('orders')", "TypeError"),
                }[language]
                command = [client.command[0], "-c" if language == "python" else "-e", program]
                env = os.environ | {"TICKID_URL": url, "PYTHONPATH": client.folder}
                ran = subprocess.run(command, capture_output=True, text=True, env=env)
                self.assertIn(error, ran.stderr, url)
        # Classes to copy refuse the same forms.
        for language in filter(is_installed, ("php", "go")):
            command = snippet(language).command
            for url in [*urls, "http://a b"]:
                env = os.environ | {"TICKID_URL": url, "REALM": "orders", "TIMEOUT": "2"}
                ran = subprocess.run(command, capture_output=True, text=True, env=env, input="")
                # PHP writes its errors to the output.
                self.assertIn("is not http://", ran.stdout + ran.stderr, (language, url))

    def run_with(self, language, program):
        """Runs a program that uses a package, with the first server's URL in its environment."""
        client = CLIENTS[language]
        command = [client.command[0], "-c" if language == "python" else "-e", program]
        env = os.environ | {"TICKID_URL": self.world.servers[0].url, "PYTHONPATH": client.folder}
        ran = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    @unittest.skipUnless(has("php", "--version"), "PHP is not installed")
    def test_php_names_the_extension(self):
        command = snippet("php").command
        ran = subprocess.run([command[0], "-n", *command[1:]], capture_output=True, text=True)
        self.assertIn("takes the extension curl", ran.stdout + ran.stderr)

    @unittest.skipUnless(has("go", "version"), "Go is not installed")
    def test_go_manners(self):
        self.run_sample("go", GO_MANNERS)

    @unittest.skipUnless(has("javac", "-version"), "Java is not installed")
    def test_java_manners(self):
        self.run_sample("java", JAVA_MANNERS)

    def run_sample(self, language, program):
        command = snippet(language, driver=program).command
        env = os.environ | {"TICKID_URL": "http://127.0.0.1:1"}
        ran = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_python_keeps_few_connections(self):
        self.run_with("python", KEPT)

    def test_python_tries_each_address(self):
        self.run_with("python", NO_IPV6)

    def test_python_manners(self):
        self.run_with("python", MANNERS)

    def test_python_without_unix_sockets(self):
        self.run_with("python", NO_UNIX)

    def test_node_manners(self):
        self.run_with("node", NODE_MANNERS.replace("PACKAGE", CLIENTS["node"].folder))

    def test_node_waiters_share_blocks(self):
        self.run_with("node", HERD.replace("PACKAGE", CLIENTS["node"].folder))

    def test_node_waiters_ask_once(self):
        self.run_with("node", WAITERS.replace("PACKAGE", CLIENTS["node"].folder))

    def test_node_calls_have_own_deadlines(self):
        self.run_with("node", DEADLINES.replace("PACKAGE", CLIENTS["node"].folder))

    @unittest.skipUnless(Postgres.programs, "PostgreSQL is not installed")
    def test_python_page(self):
        pages.python(self.world)

    @unittest.skipUnless(has("npm", "--version"), "npm is not installed")
    @unittest.skipUnless(Postgres.programs, "PostgreSQL is not installed")
    def test_node_page(self):
        pages.node(self.world)

    @unittest.skipUnless(os.path.exists("/usr/share/php/Illuminate"), "Laravel is not installed")
    @unittest.skipUnless(has("php", "-r", "pg_connect(...);"), "PHP has no client of PostgreSQL")
    @unittest.skipUnless(Postgres.programs, "PostgreSQL is not installed")
    def test_laravel_page(self):
        pages.laravel(self.world)


KEPT = """
import os, threading, tickid
ids, barrier = tickid.IdSource("orders"), threading.Barrier(40)
def work():
    barrier.wait()
    ids.next()
    barrier.wait()
threads = [threading.Thread(target=work) for _ in range(40)]
before = len(os.listdir("/proc/self/fd"))
for thread in threads: thread.start()
for thread in threads: thread.join()
kept = len(os.listdir("/proc/self/fd")) - before
assert 1 <= kept <= 16, f"{kept} connections"
"""
NO_IPV6 = """
import os, socket, tickid
made, found = socket.socket, socket.getaddrinfo
def make(family=socket.AF_INET, *rest):
    if family == socket.AF_INET6: raise OSError(97, "Address family not supported by protocol")
    return made(family, *rest)
socket.socket = make
absent = socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", 1, 0, 0)
socket.getaddrinfo = lambda *place, **kind: [absent, *found(*place, **kind)]
assert len(tickid.IdSource("orders").next()) == 16
"""
MANNERS = """
import copy, os, pickle, tickid
def fails(kind, call, *words):
    try:
        call()
    except kind as error:
        assert all(word in str(error) for word in words), error
        return error
    raise AssertionError("no error")
def sockets():
    links = (os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")
             if os.path.lexists(f"/proc/self/fd/{fd}"))
    return sum(link.startswith("socket:") for link in links)
url = os.environ["TICKID_URL"]
with tickid.IdSource("chat", token="secret", max_block=9) as ids:
    assert type(ids.next()) is int and sockets() == 1
    for other in None, True, 1.0, b"x", -1, 10**20, "", "1e+5", "a b":
        fails(TypeError, lambda: ids.observe(other), repr(other))
    for count in 0, 1001, -1, "3", None, 2.5:
        fails(ValueError, lambda: ids.take(count), "1..=1000")
assert sockets() == 0
assert "chat" in repr(ids) and url in repr(ids) and "secret" not in repr(ids), repr(ids)
integers, texts = tickid.IdSource("chat", form=int), tickid.IdSource("orders", form=str)
fails(TypeError, lambda: integers.observe("1e5"), "1e5")
fails(TypeError, lambda: texts.observe(5), "5")
fails(ValueError, lambda: tickid.IdSource("chat", form="int"), "neither int nor str")
gone = tickid.IdSource("chat", url="http://127.0.0.1:1", timeout=0.1)
error = fails(tickid.TickidError, gone.next, "retry after 1 s")
assert isinstance(error.__cause__, ConnectionRefusedError), error.__cause__
for use in pickle.dumps, copy.copy, copy.deepcopy:
    fails(TypeError, lambda: use(ids), "chat", "another process makes its own")
refused = fails(tickid.TickidError, tickid.IdSource("nothing").next, "404")
assert refused.retry_after is None and refused.__cause__ is None
"""
NO_UNIX = """
import socket
del socket.AF_UNIX
import tickid
try:
    tickid.IdSource("orders", url="http+unix:///run/tickid.sock")
except ValueError as error:
    assert "on Unix" in str(error), error
else:
    raise AssertionError("no error")
"""
GO_MANNERS = """
func ends(ids *IDSource, ctx context.Context, cause error) {
	_, err := ids.Next(ctx)
	var failure *TickidError
	if !errors.As(err, &failure) || failure.RetryAfter != 0 || !errors.Is(err, cause) {
		panic(fmt.Sprintf("%#v", err))
	}
}

func main() {
	gone, err := NewIDSource("orders")
	if err != nil {
		panic(err)
	}
	_, err = gone.Next(context.Background())
	var failure *TickidError
	var refused *net.OpError
	if !errors.As(err, &failure) || failure.RetryAfter == 0 || !errors.As(err, &refused) {
		panic(fmt.Sprintf("%#v", err))
	}
	// It accepts connections, and never answers.
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	os.Setenv("TICKID_URL", "http://"+silent.Addr().String())
	ids, _ := NewIDSource("orders")
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	ends(ids, ctx, context.DeadlineExceeded)
	cancel()
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	ends(ids, ctx, context.Canceled)
}
"""
JAVA_MANNERS = """
final class Main {
    public static void main(String[] arguments) throws Exception {
        try {
            throw new AssertionError(new IdSource("http://127.0.0.1:1", "orders").next());
        } catch (TickidException error) {
            if (error.retryAfter == 1 && error.getCause() instanceof ConnectException) return;
            throw error;
        }
    }
}
"""
NODE_MANNERS = """
const assert = require('node:assert');
const { IdSource, TickidError } = require('PACKAGE');
(async () => {
  const ids = new IdSource('chat', { maxBlock: 9 });
  assert.strictEqual(typeof await ids.next(), 'bigint');
  // Their requests are sent before the first answer shows that the IDs are texts.
  const sources = [new IdSource('orders'), new IdSource('orders', { maxBlock: 9 })];
  const texts = await Promise.all([...sources, ...sources].map((source) => source.next()));
  assert.strictEqual(texts.join(' ').length, 4 * 16 + 3);
  for (const other of [null, undefined, 5, -1n, 10n ** 20n, '', '1e+5', 'a b', ['x']]) {
    await assert.rejects(ids.observe(other), TypeError, String(other));
  }
  for (const count of [0, 1001, '3', 2.5, undefined]) {
    await assert.rejects(ids.take(count), RangeError, String(count));
  }
  const integers = new IdSource('chat', { form: 'int' });
  await assert.rejects(integers.observe('1e5'), TypeError);
  await assert.rejects(new IdSource('orders', { form: 'text' }).observe(5n), TypeError);
  const gone = new IdSource('chat', { url: 'http://127.0.0.1:1' });
  await assert.rejects(gone.next(), (error) => error instanceof TickidError &&
    error.retryAfterMs === 1000 && error.cause.code === 'ECONNREFUSED');
  for (const ca of ['/etc/ssl/cert.pem', '', Buffer.from('x'), ['x']]) {
    assert.throws(() => new IdSource('chat', { tls: { ca } }), /tls.ca/, String(ca));
  }
  if (Symbol.dispose) ids[Symbol.dispose]();
  else ids.close();
  for (const source of [gone, ...sources]) source.close();
  integers.close();
})();
"""
# Requests and readings of the clock, neither of which may grow faster than the calls.
HERD = """
const { performance } = require('node:perf_hooks');
const { IdSource } = require('PACKAGE');
const now = performance.now.bind(performance);
let readings = 0, requests = 0, last = 10n ** 15n;
performance.now = () => { readings += 1; return now(); };
const server = require('node:http').createServer((request, response) => {
  requests += 1;
  const count = Number(/count=(\\d+)/.exec(request.url)[1]);
  response.end(JSON.stringify({ ids: Array.from({ length: count }, () => String(last += 1n)) }));
});
server.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const ids = new IdSource('chat', { url, maxBlock: 10, timeoutMs: 50_000 });
  const found = await Promise.all(Array.from({ length: 2000 }, () => ids.next()));
  if (found.some((id, index) => index > 0 && id <= found[index - 1])) throw new Error('order');
  // The first asks for its own ID, since no other one waits yet.
  if (requests > 202) throw new Error(`${requests} requests`);
  if (readings > 20 * 2000) throw new Error(`${readings} readings of the clock`);
  process.exit(0);
});
"""
WAITERS = """
const { IdSource } = require('PACKAGE');
let requests = 0;
const server = require('node:http').createServer((request, response) => {
  requests += 1;
  if (request.url.includes('/unknown/')) response.writeHead(404).end();
  else if (request.url.includes('/busy/')) response.writeHead(503, { 'Retry-After': 60 }).end();
});
server.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  for (const realm of ['unknown', 'busy', 'hung']) {
    requests = 0;
    const ids = new IdSource(realm, { url, maxBlock: 10, timeoutMs: 500 });
    const calls = await Promise.allSettled(Array.from({ length: 300 }, () => ids.next()));
    const waits = new Set(calls.map(({ reason }) => reason.retryAfterMs));
    const found = `${realm}: ${requests} requests, retry after ${[...waits]}`;
    const expected = { unknown: undefined, busy: 60000, hung: 1000 }[realm];
    if (requests > 5 || waits.size !== 1 || !waits.has(expected)) throw new Error(found);
  }
  process.exit(0);
});
"""
# The server comes up after the first call's deadline, and long before the second one's.
DEADLINES = """
const { performance } = require('node:perf_hooks');
const now = performance.now.bind(performance);
let ahead = 0;
performance.now = () => now() + ahead;
const { IdSource } = require('PACKAGE');
let isUp = false;
const server = require('node:http').createServer((request, response) => {
  if (isUp) response.end('{"ids":["22222222xxxxxxxx"]}');
  else request.destroy();
});
server.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const ids = new IdSource('orders', { url, form: 'text', maxBlock: 10, timeoutMs: 30_000 });
  const first = ids.next().then(() => { throw new Error('an ID'); }, () => { isUp = true; });
  ahead = 30_000;
  if (await ids.next() !== '22222222xxxxxxxx') throw new Error('another ID');
  await first;
  process.exit(0);
});
"""


def mutant(client, changes):
    """Returns a copy of a client with changes, each of which applies exactly once."""
    folder = tempfile.mkdtemp(dir=FOLDER)
    shutil.copytree(client.folder, folder, dirs_exist_ok=True)
    name = "tickid/__init__.py" if os.path.exists(f"{folder}/tickid") else "index.js"
    with open(f"{folder}/{name}") as file:
        text = file.read()
    text = changes if isinstance(changes, str) else changed(text, changes)
    with open(f"{folder}/{name}", "w") as file:
        file.write(text)
    return folder


def add(name, run):
    setattr(Clients, f"test_{name}", run)


CLIENTS = clients()
for language, client in CLIENTS.items():
    for name, scenario in SCENARIOS.items():
        if name not in OTHERS[language]:
            run = lambda self, s=scenario, c=client: s(c.start, self.world)
            add(f"{language}_{name}", run)

    for name, changes in FAULTS[language].items():
        scenario = name.partition("__")[0]

        def run(self, scenario=scenario, changes=changes, client=client):
            folder = mutant(client, changes)
            start = lambda server, **settings: client.start(server, CLIENT=folder, **settings)
            with self.assertRaises(AssertionError) as found:
                SCENARIOS[scenario](start, self.world)
            print(f"found: {str(found.exception)[:120]}", file=sys.stderr)

        add(f"{language}_fault_is_found_by_{name}", run)


for name in GREENLETS:

    def run(self, name=name):
        start = lambda server, **settings: CLIENTS["python"].start(server, GEVENT=1, **settings)
        SCENARIOS[name](start, self.world)

    skip = unittest.skipUnless(importlib.util.find_spec("gevent"), "gevent is not installed")
    add(f"gevent_{name}", skip(run))


def is_installed(language):
    probes = {"php": ["php", "-r", "curl_init();"], "go": ["go", "version"]}
    return has(*probes.get(language, ["javac", "-version"]))


WITHOUT_BLOCKS = ["restart", "kill", "status_503", "status_429", "slow", "cut", "many"]
WITHOUT_BLOCKS += ["forms", "lies", "dots", "ipv6", "protected"]
# libcurl 7 takes strays for answers, and Java has no Unix sockets.
ALSO = {"php": ["fork", "floods", "escaped"], "go": ["threads", "strays", "floods", "escaped"]}
ALSO["java"] = ["threads", "strays", "floods"]
for language in SNIPPETS:
    skip = unittest.skipUnless(is_installed(language), f"{TITLES[language]} is not installed")
    for name in WITHOUT_BLOCKS + ALSO[language]:

        def run(self, name=name, language=language):
            SCENARIOS[name](snippet(language).start, self.world)

        add(f"{language}_{name}", skip(run))
    for name, changes in FAULTS[language].items():

        def run(self, name=name, language=language, changes=changes):
            with self.assertRaises(AssertionError) as found:
                SCENARIOS[name](snippet(language, changes).start, self.world)
            print(f"found: {str(found.exception)[:120]}", file=sys.stderr)

        add(f"{language}_fault_is_found_by_{name}", skip(run))


if __name__ == "__main__":
    unittest.main(verbosity=2)
