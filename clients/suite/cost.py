"""Measures what an ID costs by default, and in blocks: `python3 cost.py`, on an idle machine."""

import statistics
import tempfile
import time

from suite import CLIENTS, is_installed, snippet, SNIPPETS
from world import FOLDER, Server

server = Server(tempfile.mkdtemp(dir=FOLDER))
path, clients = server.unix_url, dict(CLIENTS)
clients |= {language: snippet(language) for language in SNIPPETS if is_installed(language)}
try:
    for language, client in clients.items():
        for transport, url in ("Unix socket", path), ("loopback", None):
            for block in (1, 100) if language in CLIENTS else (1,):
                if url and not client.has_unix:
                    continue
                server.unix_url = url
                with client.start(server, MAX_BLOCK=block) as driver:
                    driver.take(2000)
                    rounds = []
                    for _ in range(5):
                        begin = time.perf_counter()
                        driver.take(4000)
                        rounds.append((time.perf_counter() - begin) / 4000 * 1e6)
                    cost = statistics.median(rounds)
                    print(f"{language}, {transport}, block {block}: {cost:.0f} µs")
finally:
    server.end()
