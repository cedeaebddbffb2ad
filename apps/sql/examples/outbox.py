"""Delivers the rows of an outbox in the order of their IDs, here to the standard output.

As outbox.rs, which has the tables: each row is delivered at least once, also if this is killed.
Needs psycopg 3.
"""

import os
import time

import psycopg

with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
    # It is released when the connection ends.
    connection.execute("SELECT pg_advisory_lock(hashtext('outbox'))")
    last, state = connection.execute("SELECT last, state FROM delivered").fetchone()
    while True:
        call = "CALL tickid.nanoflake_follow('outbox', %s::bigint, %s::text)"
        until, state = connection.execute(call, (last, state)).fetchone()
        page = "SELECT id, body FROM outbox WHERE id > %s AND id <= %s ORDER BY id LIMIT 1000"
        after = last
        while rows := connection.execute(page, (after, until)).fetchall():
            for after, body in rows:
                print(after, body, flush=True)
        if after == last:
            time.sleep(0.02)
        else:
            # Not the last row's ID, which does not tell the functions' node.
            connection.execute("UPDATE delivered SET last = %s, state = %s", (until, state))
        last = until
