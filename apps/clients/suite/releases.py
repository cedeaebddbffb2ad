"""What the server of each release answered to the packages of that release, which those of today
still take. With the variable TICKID_RECORD=1, this release's recording is made anew."""

import json
import os
import tomllib

from world import ROOT, Proxy

FOLDER = f"{ROOT}/tests/vectors/releases"
# Realms, calls, and numbers of IDs, or the ID that is observed.
CALLS = [
    ("orders", "next", 1),
    ("orders", "many", 3),
    ("orders", "observe", "9qa94xhm25x22222"),
    ("chat", "next", 2),
    ("chat", "many", 3),
    ("chat", "observe", "5"),
    ("logs", "many", 2),
    ("nothing", "next", 1),
]


def record(clients, server):
    """Writes what happens between the packages and a server."""
    calls = []
    for client, start in clients.items():
        for realm, call, count in CALLS:
            proxy, exchanges = Proxy(server), []

            def keep(answer, proxy=proxy, exchanges=exchanges):
                request = proxy.last.decode()
                exchanges.append({"request": request, "answer": answer.decode()})
                return answer

            proxy.faults = [(keep,)]
            with start(proxy, REALM=realm) as driver:
                groups, errors = driver.ask(call, 1, count)
            made = {"client": client, "realm": realm, "call": call, "count": count}
            found = {"ids": groups.get("0", []), "errors": len(errors), "exchanges": exchanges}
            calls.append(made | found)
    with open(f"{ROOT}/Cargo.toml", "rb") as file:
        version = tomllib.load(file)["workspace"]["package"]["version"]
    os.makedirs(f"{FOLDER}/{version}", exist_ok=True)
    with open(f"{FOLDER}/{version}/packages.json", "w") as file:
        json.dump(calls, file, indent=2)
        file.write("\n")


def replay(clients, server):
    """Gives the packages the recorded answers."""
    releases = [name for name in os.listdir(FOLDER) if os.path.exists(path(name))]
    assert releases, f"no recording in {FOLDER}"
    for release in releases:
        with open(path(release)) as file:
            calls = json.load(file)
        for call in calls:
            proxy = Proxy(server)
            proxy.faults = [exchange["answer"].encode() for exchange in call["exchanges"]]
            with clients[call["client"]](proxy, REALM=call["realm"]) as driver:
                groups, errors = driver.ask(call["call"], 1, call["count"])
            about = f"{release}, {call['client']}: {call['call']} of {call['realm']}: {errors}"
            assert not proxy.faults, f"{about}: {len(proxy.faults)} answers were not asked for"
            assert (groups.get("0", []), len(errors)) == (call["ids"], call["errors"]), about


def path(release):
    return f"{FOLDER}/{release}/packages.json"
