#!/usr/bin/env python3
"""A registry of crates on the loopback for `.ci/publish`: `registry.py FOLDER`.

It keeps uploads in FOLDER, prints its address, and behaves like crates.io where a release can fail:
new crates are limited to a burst of five and then one in a while, an upload needs a token and all
of its dependencies, and a version can never be replaced. The connection of two uploads breaks
before the crate is stored, and another's after that. Other crates come from crates.io, or from
cargo's cache.
"""

import email.utils
import glob
import hashlib
import http.server
import json
import math
import os
import sys
import threading
import time

FOLDER = sys.argv[1]
TOKEN = "rehearsal"
# crates.io has the same burst, and 600 seconds.
BURST, SECONDS_PER_CRATE = 5, 3
MAX_BYTES = 10 << 20
# The uploads whose connection breaks, counted from 1: the first two are lost, one is stored.
LOST, UNANSWERED = (1, 4), 7
CACHE = os.path.join(os.environ.get("CARGO_HOME", os.path.expanduser("~/.cargo")), "registry/cache")

lock = threading.Lock()
index = {}
uploads = 0
# The time when the bucket of new crates was full.
full_at = time.time()


class Refused(Exception):
    """A status and a message for the client."""


class Broken(Exception):
    """The connection ends without an answer."""


def entry(crate, data):
    """Returns a crate's line of the index."""
    deps = []
    for dep in crate["deps"]:
        alias = dep.pop("explicit_name_in_toml", None)
        dep["req"] = dep.pop("version_req")
        dep.update({"name": alias, "package": dep["name"]} if alias else {})
        deps.append(dep)
    return {
        "name": crate["name"],
        "vers": crate["vers"],
        "deps": deps,
        "cksum": hashlib.sha256(data).hexdigest(),
        "features2": crate["features"],
        "features": {},
        "links": crate.get("links"),
        "rust_version": crate.get("rust_version"),
        "yanked": False,
        "v": 2,
    }


def check(crate, data):
    """Refuses what crates.io refuses."""
    for field in ["description", "license", "repository", "readme", "keywords", "categories"]:
        if not crate.get(field):
            raise Refused(400, f"missing or empty metadata fields: {field}")
    if len(crate["keywords"]) > 5 or any(len(word) > 20 for word in crate["keywords"]):
        raise Refused(400, f"expected at most 5 keywords of 20 characters: {crate['keywords']}")
    if len(data) > MAX_BYTES:
        raise Refused(413, f"max upload size is: {MAX_BYTES}")
    if crate["name"] in index:
        raise Refused(400, f"crate version `{crate['vers']}` is already uploaded")
    for dep in crate["deps"]:
        if dep["name"].startswith("tickid") and dep["name"] not in index:
            raise Refused(400, f"no known crate named `{dep['name']}`")


def limit():
    """Takes a new crate from the bucket."""
    global full_at
    now = time.time()
    full_at = max(full_at, now) + SECONDS_PER_CRATE
    if full_at - now > BURST * SECONDS_PER_CRATE:
        full_at -= SECONDS_PER_CRATE
        again = math.ceil(full_at - (BURST - 1) * SECONDS_PER_CRATE)
        raise Refused(
            429,
            "You have published too many new crates in a short period of time. Please try again"
            f" after {email.utils.formatdate(again, usegmt=True)} or email help@crates.io to have"
            " your limit increased.",
        )


def part(body):
    length = int.from_bytes(body[:4], "little")
    return body[4 : 4 + length], body[4 + length :]


def publish(body):
    global uploads
    metadata, rest = part(body)
    data, _ = part(rest)
    crate = json.loads(metadata)
    check(crate, data)
    limit()
    uploads += 1
    if uploads in LOST:
        raise Broken
    name = crate["name"]
    with open(f"{FOLDER}/{name}-{crate['vers']}.crate", "wb") as file:
        file.write(data)
    index[name] = entry(crate, data)
    if uploads == UNANSWERED:
        raise Broken


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", location=None):
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        _, kind, *path = self.path.split("/")
        if self.path == "/index/config.json":
            dl = f"{address}/crates/{{crate}}/{{version}}/download"
            self.answer(200, json.dumps({"dl": dl, "api": address}).encode())
        elif kind == "index" and path[-1] in index:
            self.answer(200, json.dumps(index[path[-1]]).encode())
        elif kind == "index":
            self.answer(302, location="https://index.crates.io/" + "/".join(path))
        else:
            name, version, _ = path
            file = f"{name}-{version}.crate"
            files = [f"{FOLDER}/{file}", *glob.glob(f"{CACHE}/*/{file}")]
            file = next((file for file in files if os.path.exists(file)), None)
            if file:
                with open(file, "rb") as data:
                    self.answer(200, data.read())
            else:
                self.answer(302, location=f"https://static.crates.io/crates/{'/'.join(path)}")

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            if self.headers["Authorization"] != TOKEN:
                raise Refused(403, "authentication failed")
            with lock:
                publish(body)
            self.answer(200, b'{"warnings":{"invalid_categories":[],"invalid_badges":[],"other":[]}}')
        except Refused as refused:
            status, detail = refused.args
            self.answer(status, json.dumps({"errors": [{"detail": detail}]}).encode())
        except Broken:
            self.close_connection = True

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
address = f"http://127.0.0.1:{server.server_port}"
print(address, flush=True)
server.serve_forever()
