"""Faults, by the scenario which must find them: each is a list of changes to the client's source,
or another source."""

# What documentation of ID servers, ours included, used to show.
NAIVE = """
import json, os, urllib.request
class TickidError(Exception): pass
class IdSource:
    def __init__(self, realm, max_block, **_):
        self.path, self.block, self.count = f"/v1/realms/{realm}/ids", [], max_block
    def next(self):
        if not self.block:
            import http.client, socket
            connection = http.client.HTTPConnection("localhost")
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.connect(os.environ["TICKID_URL"][len("http+unix://"):])
            connection.request("GET", f"{self.path}?count={self.count}")
            self.block = json.loads(connection.getresponse().read())["ids"][::-1]
        return self.block.pop()
"""
NAIVE_JS = """
const http = require('node:http');
class TickidError extends Error {}
class IdSource {
  constructor(realm, { maxBlock }) {
    this.path = `/v1/realms/${realm}/ids?count=${maxBlock}`;
    this.block = JSON.parse(process.env.BLOCK ?? '[]');
  }
  async next() {
    if (this.block.length === 0) this.block = JSON.parse(await this.get()).ids.reverse();
    const id = this.block.pop();
    process.env.BLOCK = JSON.stringify(this.block); // For the workers, to save a request.
    return id;
  }
  get() {
    const socketPath = process.env.TICKID_URL.slice('http+unix://'.length);
    return new Promise((resolve) => http.get({ socketPath, path: this.path }, async (answer) => {
      resolve((await answer.toArray()).join(''));
    }));
  }
}
module.exports = { IdSource, TickidError };
"""
HERE = "if self._local.process != (os.getpid(), len(_forks)):"
STILL_HERE = "if local is self._local and local.process == (os.getpid(), len(_forks)):"
AGE = "max(abs(wall - block.wall), abs(monotonic - block.monotonic))"
POP = "return [block.ids.pop()]"
PAUSE = "if wait is None or deadline - time.monotonic() <= wait:"
TRIMMED = "strings.TrimSpace(string(body))"
TAKEN = f"return {TRIMMED}, nil"
RAW = "substr($url, strlen('http+unix://'))"
LAST = (
    "private final HttpRequest request;",
    'private final HttpRequest request; private String last = "";',
)
# The finalizer closes the answer.
ENDED = "answer = http.client.HTTPResponse(reader)"
# The deadline counts only while no bytes come.
LATE = "if (left := max(self.deadline - time.monotonic(), 1e-6)) <= 0"
AGES = "[Date.now() - this.#made.wall, performance.now() - this.#made.monotonic]"
FAULTS = {
    "python": {
        "fork": [(HERE, "if False:"), (STILL_HERE, "if True:")],
        "fork__naive": NAIVE,
        "fork__by_process_id": [
            (HERE, "if self._local.process[0] != os.getpid():"),
            (STILL_HERE, "if True:"),
        ],
        "forked": [(STILL_HERE, "if True:")],
        "threads": [
            (POP, "id = block.ids[-1]; time.sleep(0); block.ids[:] = block.ids[:-1]; return [id]"),
        ],
        "interrupted": [
            (
                "            with block:\n",
                "            block.turn.acquire(timeout=30)\n            with block:\n",
            ),
            (
                "                block.turn.acquire(timeout=max",
                "                (lambda **_: None)(timeout=max",
            ),
        ],
        "interrupted__order": [
            (
                "if block.later.setdefault(0, new) is new:",
                "if block.later.update({0: new}) is None:",
            )
        ],
        "restart": [('{failure!r}", wait and 1.0)', '{failure!r}")')],
        "kill": [
            (
                "            local.answer = set(texts)\n",
                "            local.answer = set(); self._earlier = texts\n",
            ),
            ("                raise error\n", "                return self._earlier\n"),
        ],
        "back_soon": [(PAUSE, "if True:")],
        "status_503": [(PAUSE, "wait = 0.01\n            if deadline < time.monotonic():")],
        "status_429": [("answer.status in (408, 429,", "answer.status in (408,")],
        "waits": [("            time.sleep(wait)", "            time.sleep(0.01)")],
        "slow": [("self.link.settimeout(left)", "self.link.settimeout(60)")],
        "cut": [
            ("if answer.length or", "if"),
            ('json.loads(body)["ids"]', 're.findall("[2-9a-x]+", body.decode().split("ids")[1])'),
            ("if not (found == texts", "if False and not (found == texts"),
        ],
        "clock_set_back": [(AGE, "wall - block.wall")],
        "suspended": [(AGE, "monotonic - block.monotonic")],
        "stopped": [(AGE, "0.0")],
        "stopped__naive": NAIVE,
        "wall_set_back_as_much": [(AGE, "abs(wall - block.wall)")],
        "held": [("era, wall, monotonic)  #", "era, time.time(), time.monotonic())  #")],
        "forms": [("answer.read(_MOST)", "answer.fp.read(answer.length or _MOST)")],
        "lies": [("found == texts and ", "")],
        "lies__endless": [
            ("answer.read(_MOST)", "answer.read()"),
            (" or len(body) == _MOST", ""),
        ],
        "lies__letters": [("[0-9A-Za-z._-]{1,64}", r"[\\w.-]{1,64}")],
        "lies__busy": [("wait, pause = pause * random.uniform(0.5, 1), 2 * pause", "wait = 0.0")],
        "floods": [("answer.read(_MOST)", "answer.read()")],
        "escaped": [("urllib.parse.unquote(parts.path)", "parts.path")],
        "floods__heads": [("if (left := self.deadline - time.monotonic()) <= 0", LATE)],
        "interrupted__ending": [
            ("with http.client.HTTPResponse(reader) as answer:", ENDED),
            ("    answer.begin()\n                body", "answer.begin()\n            body"),
        ],
        "strays": [("                link.recv(1)  #", "                return link  #")],
        "repeated": [("set(texts) - local.answer", "set(texts)")],
        "ipv6": [('parts.hostname or "localhost"', 'parts.netloc.rpartition(":")[0]')],
        "small": [
            (
                "size = min(2 * block.size, self._max_block) if is_fresh else 1",
                "size = self._max_block",
            )
        ],
        "small__default": [("max_block: int = 1,", "max_block: int = 100,")],
        "protected": [("ssl.create_default_context()", "ssl._create_unverified_context()")],
        "dots": [("[0-9A-Za-z._-]", "[0-9A-Za-z_-]")],
        "dots__form": [
            ("'&as=int' if kind is int else ''", "'&as=int' if kind is int else '&as=text'")
        ],
        "unknown": [("is_temporary = answer.status >= 500", "is_temporary = answer.status >= 400")],
        "integers": [("[kind(id) for", "[int(float(id)) for")],
        "integers__long": [("[0-9]{1,20}", "[0-9]+")],
        "many": [
            (POP, "return [block.ids[-1] if random.random() < 1e-3 else block.ids.pop()]"),
        ],
        "many__order": [("ids[:0:-1]", "ids[1:]")],
        "observed": [("local.era = object()  #", "pass  #")],
        "observed__refusals": [(", seconds and 409)", ")")],
        "overtaken": [("_Block(ids[:0:-1], size, era", "_Block(ids[:0:-1], size, local.era")],
        "taken": [("if count:\n", "if observed:\n")],
        "distrusted": [("failure.errno == ssl.SSL_ERROR_SSL", "not failure.errno")],
    },
    "node": {
        "threads": [
            (
                "return this.#pop() ??",
                "const id = this.#block.at(-1); await 0; this.#pop(); return id ??",
            )
        ],
        "workers": NAIVE_JS,
        "cluster": NAIVE_JS,
        "restart": [("isFinal ? undefined : 1000", "undefined")],
        "kill": [
            (
                "return form === 'int' ? ids.map(BigInt) : ids;",
                "return (this.earlier = ids).slice();",
            ),
            ("settle(call, 'reject', error)", "settle(call, 'resolve', this.earlier.slice())"),
        ],
        "back_soon": [("if (call.deadline - performance.now() <= wait)", "if (true)")],
        "status_503": [
            (
                "if (call.deadline - performance.now() <= wait)",
                "wait = 10; if (call.deadline < performance.now())",
            )
        ],
        "status_429": [("[408, 429, ", "[408, ")],
        "waits": [("await sleep(wait);", "await sleep(10);")],
        "slow": [
            (
                "const timer = setTimeout(() => fail(new Error('the timeout is over')), left);",
                "const timer = 0; request.setTimeout(left, () => fail(new Error('idle')));",
            ),
            ("call.timer = setTimeout(late, this.#timeoutMs);", ""),
        ],
        "cut": [
            ("if (!response.complete) return", "if (false) return"),
            ("response.on('error', fail);", "response.on('error', () => response.emit('end'));"),
            (
                "const { ids } = JSON.parse(body)",
                "const ids = body.split('ids')[1].match(/[2-9a-x]+/g)",
            ),
            ("if (ids.length !== count || found.size !== count)", "if (false)"),
        ],
        "clock_set_back": [(AGES, "[Date.now() - this.#made.wall]"), ("Math.abs(age)", "age")],
        "suspended": [(AGES, "[performance.now() - this.#made.monotonic]")],
        "stopped": [(AGES, "[0]")],
        "stopped__naive": NAIVE_JS,
        "wall_set_back_as_much": [(AGES, "[Date.now() - this.#made.wall]")],
        "held": [
            (
                "= [ids, made, next];",
                "= [ids, { wall: Date.now(), monotonic: performance.now() }, next];",
            )
        ],
        "held__starved": [("for (const call of first)", "for (const call of [])")],
        "forms": [("if (!response.complete)", "if (!response.headers['content-length'])")],
        "dots": [("[0-9A-Za-z._-]", "[0-9A-Za-z_-]")],
        "dots__form": [("form === 'text' ? '' : ", "")],
        "lies": [("if (ids.length !== count || found.size !== count)", "if (false)")],
        "lies__numbers": [("typeof id === 'string' && FORMS", "FORMS")],
        "lies__busy": [("wait = pause * (0.5 + Math.random() / 2);", "wait = 0;")],
        "escaped": [("unescape(match[3])", "match[3]")],
        "floods": [("if (body.length > MOST)", "if (false)")],
        "repeated": [(" && !this.#answer.has(id)", "")],
        "ipv6": [("hostname.replace(/^\\[|\\]$/g, '')", "hostname")],
        "small": [("this.#isFresh() ? 2 * this.#size : 1", "this.#maxBlock")],
        "small__default": [("options.maxBlock ?? 1", "options.maxBlock ?? 100")],
        "protected": [("...tls,", "...tls, rejectUnauthorized: false,")],
        "unknown": [("isTemporary = status >= 500", "isTemporary = status >= 400")],
        "integers": [("ids.map(BigInt)", "ids.map(Number)")],
        "integers__long": [("[0-9]{1,20}", "[0-9]+")],
        "many": [
            (
                "return this.#block.pop();",
                "return Math.random() < 1e-3 ? this.#block.at(-1) : this.#block.pop();",
            )
        ],
        "many__order": [(".reverse();", ";")],
        "observed": [("[this.#block, this.#drops] = [[], this.#drops + 1];", "")],
        "observed__refusals": [(", hasTime && 409]", "]")],
        "overtaken": [("this.#drops + 1]", "this.#drops]")],
        "taken": [("    this.#drop();\n    return ids;\n", "    return ids;\n")],
        "distrusted": [("isFinal ? undefined : 1000", "1000")],
    },
    "php": {
        "fork": [("if ($this->process !== getmypid())", "if ($this->process === null)")],
        "restart": [("curl_error($this->curl), 1)", "curl_error($this->curl), null)")],
        "kill": [
            ("private string $body;", "private string $body, $last = '';"),
            ("return rtrim($this->body);", "return $this->last = rtrim($this->body);"),
            (
                "throw new TickidError('no ID: ' . curl_error($this->curl), 1);",
                "return $this->last;",
            ),
        ],
        "status_503": [("(int) ($this->retryAfter ?: 1)", "1")],
        "status_429": [("[200, 408, 429]", "[200, 408]")],
        "cut": [("/^[\\w.-]{1,64}\\n$/D", "/^/")],
        "forms": [("CURLOPT_PROXY => '',\n", "\n")],
        "lies": [("/^[\\w.-]{1,64}\\n$/D", "/\\n$/D")],
        "dots": [("[\\w.-]", "[\\w-]")],
        "escaped": [("rawurldecode(substr($url, strlen('http+unix://')))", RAW)],
        "floods": [("strlen($this->body) > 65536 ? 0 : strlen($part)", "strlen($part)")],
        "ipv6": [("rtrim($url, '/')", "strtr(rtrim($url, '/'), ['[' => '', ']' => ''])")],
        "protected": [("CURLOPT_NOSIGNAL => true", "CURLOPT_SSL_VERIFYPEER => false")],
        "slow": [("CURLOPT_TIMEOUT_MS", "CURLOPT_CONNECTTIMEOUT_MS")],
        "many": [("return rtrim($this->body);", "return substr($this->body, 0, 9) . '2222222';")],
    },
    "go": {
        "restart": [("failure.RetryAfter = time.Second", "failure.RetryAfter = 0")],
        "kill": [
            ("	token  string\n", "	token  string\n	last   string\n"),
            (TAKEN, f"s.last = {TRIMMED}\n		return s.last, nil"),
            (
                'return "", lost(ctx, err)\n\t}\n\tdefer',
                "return s.last, nil\n\t}\n\tdefer",
            ),
        ],
        "threads": [
            ("	token  string\n", "	token  string\n	last   string\n"),
            (TAKEN, f"s.last = {TRIMMED}\n		time.Sleep(1000)\n		return s.last, nil"),
        ],
        "status_503": [("time.Duration(seconds) * time.Second", "time.Second")],
        "status_429": [(" || answer.StatusCode == 429", "")],
        "slow": [("2 * time.Second", "time.Minute")],
        "cut": [("body, err := io", "body, _ := io"), ("^[\\w.-]{1,64}\\n$", "^")],
        "forms": [("answer.Body, 1<<16", "answer.Body, answer.ContentLength")],
        "lies": [("^[\\w.-]{1,64}\\n$", "^")],
        "dots": [("[\\w.-]", "[\\w-]")],
        "escaped": [("url.PathUnescape(path)", "path, err")],
        "floods": [("io.LimitReader(answer.Body, 1<<16)", "answer.Body")],
        "ipv6": [("TrimRight(base, ", 'NewReplacer("[", "", "]", "").Replace(base + ')],
        "many": [(TAKEN, 'return string(body[:9]) + "2222222", nil')],
        "protected": [
            ('strings.TrimSpace(os.Getenv("TICKID_TOKEN"))', 'os.Getenv("TICKID_TOKEN")')
        ],
    },
    "java": {
        "restart": [('"no ID: " + cause, 1', '"no ID: " + cause, 0')],
        "kill": [
            LAST,
            ("return answer.body().strip();", "return last = answer.body().strip();"),
            ('throw new TickidException("no ID: " + cause, 1, cause);', "return last;"),
        ],
        "status_503": [("Long.parseLong(text) : 1", "1 : 1")],
        "status_429": [(" || status == 429", "")],
        "slow": [
            ("sent.get(2, TimeUnit.SECONDS)", "sent.get(60, TimeUnit.SECONDS)"),
        ],
        "floods": [("if (bytes.size() <= MOST) return;", "if (true) return;")],
        "lies": [("[\\\\w.-]{1,64}\\n", "(?s).*")],
        "dots": [("[\\\\w.-]", "[\\\\w-]")],
        "forms": [
            (
                "if (status == 200 && answer",
                'var length = answer.headers().firstValue("Content-Length");\n'
                "if (status == 200 && length.isPresent() && answer",
            )
        ],
        "many": [
            (
                "return answer.body().strip();",
                'return answer.body().substring(0, 9) + "2222222";',
            )
        ],
        "protected": [("token.strip()", '"0".repeat(16)')],
        "threads": [
            (
                "return answer.body().strip();",
                "return last = (Math.random() < .01 ? last : answer.body().strip());",
            ),
            LAST,
        ],
    },
}
