"""Measures what an ID costs, and prints the table in docs/results/README.md: `python3 cost.py`, on
an idle machine, with the path of a release build in $TICKID."""

import datetime
import os
import statistics
import subprocess
import sys
import tempfile
import time

from suite import CLIENTS, SNIPPETS, TITLES, is_installed, snippet
from world import FOLDER, ROOT, TICKID, Server

PAGE = """\
| client | Unix socket | loopback | Unix socket, blocks of 100 |
|---|---:|---:|---:|
{rows}

Medians of five rounds of {count:,} IDs on {date} at commit `{commit}`, from a {build} build of the
server on the same machine ({processors} processors, {model}; load {load:.1f} before).
"""
COUNT = 4000


def cost(client, server, block):
    with client.start(server, MAX_BLOCK=block) as driver:
        driver.take(2000)
        rounds = []
        for _ in range(5):
            begin = time.perf_counter()
            driver.take(COUNT)
            rounds.append((time.perf_counter() - begin) / COUNT * 1e6)
        return f" {statistics.median(rounds):.0f} "


def row(name, client, server):
    cells, path = [], server.unix_url
    for url, block in (path, 1), (None, 1), (path, 100):
        server.unix_url = url
        is_there = (client.has_unix or not url) and (block == 1 or name in CLIENTS)
        cells.append(cost(client, server, block) if is_there else " ")
    server.unix_url = path
    return f"| {TITLES.get(name, name.title())} |{'|'.join(cells)}|"


load = os.getloadavg()[0]
server = Server(tempfile.mkdtemp(dir=FOLDER))
clients = dict(CLIENTS)
clients |= {language: snippet(language) for language in SNIPPETS if is_installed(language)}
try:
    rows = [row(name, client, server) for name, client in clients.items()]
finally:
    server.end()
with open("/proc/cpuinfo") as file:
    model = next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
commit = subprocess.check_output(["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, text=True)
page = PAGE.format(
    commit=commit.strip(),
    rows="\n".join(rows),
    count=COUNT,
    date=datetime.date.today(),
    build="debug" if "/debug/" in TICKID else "release",
    processors=os.cpu_count(),
    model=model,
    load=load,
)
sys.stdout.write(page)
