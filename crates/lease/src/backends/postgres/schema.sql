-- What the PostgreSQL store keeps, and the decisions it makes where the data is.
--
-- Run as a whole, in one transaction, any number of times. Nothing here is ever changed once it is
-- released: functions carry a version in their names, so that clients of different releases get along.
-- They only grant. Where they grant nothing (they return null), the client reads everything, asks the
-- rules in Rust for the reason, and writes by compare-and-set if it can be done after all.
--
-- Every statement of a function in plpgsql sees what was committed before it began. Each first locks the
-- realm's row: what one of them reads then, no change of the pool or the generation can outdate. (Those in
-- plpgsql are so also because plans are kept for them, which takes most of the time.)

--
-- SECURITY. Any role that may create objects in a schema of the caller's search path could otherwise
-- have its own functions and operators called in place of those of pg_catalog, with the caller's rights
-- (CVE-2018-1058). So every function sets its search_path, this script begins by setting it, and what
-- runs before that is qualified. The temporary schema is named because it is searched first if it is
-- not.

SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('tickid schema', 0));

-- "IF NOT EXISTS" asks for the right to create it even where it exists.
DO $$
BEGIN
    IF pg_catalog.to_regnamespace('tickid') IS NULL THEN
        CREATE SCHEMA tickid;
    END IF;
END
$$;

-- A realm. All times are in its ticks, but for those that say otherwise.
CREATE TABLE IF NOT EXISTS tickid.realm (
    name text PRIMARY KEY,
    version bigint NOT NULL,
    -- What everybody who leases has to bring the same.
    scheme text NOT NULL,
    layout text NOT NULL,
    epoch_micros bigint NOT NULL,
    period_micros bigint NOT NULL,
    micros_per_tick bigint NOT NULL,
    end_tick bigint NOT NULL,
    nodes text NOT NULL,
    allowance bigint NOT NULL,
    skew_micros bigint NOT NULL,
    term_micros bigint NOT NULL,
    -- The same terms in ticks.
    term bigint NOT NULL,
    ahead bigint NOT NULL,
    -- What the store adds.
    max_ahead bigint NOT NULL,
    generation text NOT NULL,
    era bigint NOT NULL,
    floor bigint NOT NULL,
    -- The pool: [{"bits": 8, "first": 0, "last": 255, "since": 0}, …], since being an era.
    parts jsonb NOT NULL,
    -- How many bits the nodes have that are or ever were in the pool.
    sizes integer[] NOT NULL
);

-- A node that was given out at least once. Never deleted.
CREATE TABLE IF NOT EXISTS tickid.node (
    realm text NOT NULL REFERENCES tickid.realm,
    bits integer NOT NULL,
    value bigint NOT NULL,
    version bigint NOT NULL,
    -- The lease's, null when the node was given back.
    token text,
    holder text NOT NULL,
    era bigint NOT NULL,
    floor bigint NOT NULL,
    ceiling bigint NOT NULL,
    PRIMARY KEY (realm, bits, value),
    -- A claim that comes twice at the same moment gets one node.
    UNIQUE (realm, token, era)
    -- Rows are updated all the time and in place, if there is room.
) WITH (fillfactor = 50);

-- Identifies this database: it changes when the server is restored from a backup or fails over (the
-- timeline), and when the database is copied within it (the OID). An error on a standby.
CREATE OR REPLACE FUNCTION tickid.generation_v1() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT (pg_control_system()).system_identifier || ' timeline '
        || left(pg_walfile_name(pg_current_wal_lsn()), 8)
        || ' database ' || (SELECT oid FROM pg_database WHERE datname = current_database())
$$;

-- The store's clock, in microseconds since 1970.
CREATE OR REPLACE FUNCTION tickid.now_micros_v1() RETURNS bigint
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
$$;

-- That time as a tick of the realm; null outside of its scheme's time.
CREATE OR REPLACE FUNCTION tickid.tick_v1(r tickid.realm, micros bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- The difference of two bigints need not be one.
    since CONSTANT numeric := micros::numeric - r.epoch_micros;
    per_period CONSTANT numeric :=
        div(r.period_micros::numeric + r.micros_per_tick - 1, r.micros_per_tick);
    tick CONSTANT numeric := div(since, r.period_micros) * per_period
        + div(mod(since, r.period_micros), r.micros_per_tick);
BEGIN
    RETURN CASE WHEN since >= 0 AND tick < r.end_tick THEN tick END;
END
$$;

-- How high a new window from `floor` reaches: one term more only where it would be empty.
CREATE OR REPLACE FUNCTION tickid.reach_v1(r tickid.realm, tick bigint, floor bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN tick + r.ahead > floor THEN tick + r.ahead ELSE floor + r.term END
$$;

-- The tick below which everything may have been issued under a node or one that is prefix-related to it.
-- `own` is the ceiling of its row, as far as there is one.
CREATE OR REPLACE FUNCTION tickid.ceiling_v1(
    r tickid.realm, node_bits integer, node_value bigint, own bigint
) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF cardinality(r.sizes) = 1 THEN
        RETURN greatest(r.floor, own);
    END IF;
    RETURN (
        SELECT greatest(r.floor, own, max(other.ceiling))
        FROM unnest(r.sizes) AS size
        JOIN tickid.node AS other ON other.realm = r.name AND other.bits = size
            AND other.value BETWEEN
                CASE WHEN size < node_bits
                    THEN node_value >> (node_bits - size)
                    ELSE node_value << (size - node_bits)
                END
                AND CASE WHEN size < node_bits
                    THEN node_value >> (node_bits - size)
                    ELSE (node_value << (size - node_bits)) | ~(-1::bigint << (size - node_bits))
                END
        WHERE size <> node_bits
    );
END
$$;

-- A node that was given out before and can be given out now, from a ceiling of at most `up_to`; locked.
-- One that somebody else is about to take is passed over.
CREATE OR REPLACE FUNCTION tickid.free_v1(r tickid.realm, tick bigint, up_to bigint)
RETURNS SETOF tickid.node
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT node.*
    FROM jsonb_to_recordset(r.parts) AS part (bits integer, first bigint, last bigint)
    JOIN tickid.node ON node.realm = r.name AND node.bits = part.bits
        AND node.value BETWEEN part.first AND part.last,
        -- A function with settings is not inlined: it is called only where it has to be.
        LATERAL (
            SELECT CASE WHEN cardinality(r.sizes) = 1
                THEN greatest(r.floor, node.ceiling)
                ELSE tickid.ceiling_v1(r, node.bits, node.value, node.ceiling)
            END AS begins
            OFFSET 0
        ) AS related
    -- The first is about the row as it is once it is locked, the others about how it was found.
    WHERE (node.ceiling <= tick OR node.token IS NULL)
        AND begins <= up_to
        AND (begins <= tick OR node.token IS NULL)
        AND begins <= tick + r.max_ahead
        -- As tickid.reach_v1.
        AND (tick + r.ahead > begins OR begins + r.term <= tick + r.max_ahead)
    ORDER BY begins
    LIMIT 1
    FOR UPDATE OF node SKIP LOCKED;
END
$$;

-- A node of the pool that was never given out, and the ceiling of those related to it, which is at most
-- `up_to`: the pool's `start`th, or the next one that will do.
CREATE OR REPLACE FUNCTION tickid.unused_v1(
    r tickid.realm, up_to bigint, start bigint,
    OUT bits integer, OUT value bigint, OUT begins bigint
) RETURNS SETOF record
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY WITH part AS (
        SELECT p.*, sum(last - first + 1) OVER (ORDER BY p.bits, first) - (last - first + 1) AS before
        FROM jsonb_to_recordset(r.parts) AS p (bits integer, first bigint, last bigint)
    ),
    candidate AS (
        SELECT part.bits, generate_series(first + greatest(start - before, 0)::bigint, last) AS value
        FROM part
        UNION ALL
        SELECT part.bits, generate_series(first, least(last, first + (start - before)::bigint - 1))
        FROM part
    )
    SELECT candidate.bits, candidate.value, related.ceiling
    FROM candidate,
        LATERAL (
            SELECT CASE WHEN cardinality(r.sizes) = 1
                THEN r.floor
                ELSE tickid.ceiling_v1(r, candidate.bits, candidate.value, NULL)
            END AS ceiling
            OFFSET 0
        ) AS related
    WHERE related.ceiling <= up_to
        AND NOT EXISTS (
            SELECT FROM tickid.node
            WHERE node.realm = r.name AND node.bits = candidate.bits
                AND node.value = candidate.value
        )
    LIMIT 1;
END
$$;

-- Raises the ceiling of the lease with this token (and this node and floor, unless they are null), if it
-- has not ended with its era. Returns it.
CREATE OR REPLACE FUNCTION tickid.extend_v1(
    r tickid.realm, tick bigint,
    hold_token text, hold_bits integer, hold_value bigint, hold_floor bigint
) RETURNS SETOF tickid.node
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY UPDATE tickid.node
    SET ceiling = least(greatest(node.ceiling, tick + r.ahead), r.end_tick), version = version + 1
    FROM jsonb_to_recordset(r.parts) AS part (bits integer, first bigint, last bigint, since bigint)
    WHERE node.realm = r.name AND node.token = hold_token
        AND (
            hold_bits IS NULL
            OR (node.bits, node.value, node.floor) = (hold_bits, hold_value, hold_floor)
        )
        AND node.bits = part.bits AND node.value BETWEEN part.first AND part.last
        AND node.era >= part.since
    RETURNING node.*;
END
$$;

-- How transactions are done here: nobody waits for long for somebody else, and what is answered is
-- on the disk (and on those of synchronous standbys), whatever the session says.
CREATE OR REPLACE FUNCTION tickid.settings_v1() RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('lock_timeout', '2s', true), set_config('synchronous_commit', 'on', true);
END
$$;

-- What a grant says.
CREATE OR REPLACE FUNCTION tickid.grant_v1(n tickid.node, now_micros bigint) RETURNS json
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT json_build_object('row', to_json(n), 'now_micros', now_micros)
$$;

-- A node and a window, for somebody who brings the realm as `brought`. `claim_now` is the tick that the
-- claimant's clock shows, if it shows one.
CREATE OR REPLACE FUNCTION tickid.acquire_v1(
    brought jsonb, claim_token text, claim_holder text, claim_now bigint, start bigint
) RETURNS json
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    endless CONSTANT bigint := 9223372036854775807;
    r tickid.realm;
    n tickid.node;
    clock_micros bigint;
    tick bigint;
    begins bigint;
    ends bigint;
BEGIN
    PERFORM tickid.settings_v1();
    SELECT realm.* INTO r FROM tickid.realm
    WHERE name = brought ->> 'name' AND to_jsonb(realm) @> brought
        AND generation = (SELECT tickid.generation_v1())
    FOR SHARE;
    clock_micros := tickid.now_micros_v1();
    tick := tickid.tick_v1(r, clock_micros);
    IF tick IS NULL THEN
        RETURN NULL;
    END IF;
    -- What the same claim got before.
    SELECT * INTO n FROM tickid.extend_v1(r, tick, claim_token, NULL, NULL, NULL);
    IF FOUND THEN
        RETURN tickid.grant_v1(n, clock_micros);
    END IF;
    -- First those that the claimant can use at once, and among them those that have a row.
    SELECT * INTO n FROM tickid.free_v1(r, tick, coalesce(claim_now, endless));
    IF NOT FOUND THEN
        SELECT r.name, u.bits, u.value, 0, NULL, '', 0, u.begins, u.begins INTO n
        FROM tickid.unused_v1(r, least(claim_now, tick), start) AS u;
    END IF;
    IF NOT FOUND THEN
        SELECT * INTO n FROM tickid.free_v1(r, tick, endless);
    END IF;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    begins := tickid.ceiling_v1(r, n.bits, n.value, n.ceiling);
    ends := tickid.reach_v1(r, tick, begins);
    IF ends > tick + r.max_ahead OR begins >= r.end_tick THEN
        RETURN NULL;
    END IF;
    ends := least(ends, r.end_tick);
    INSERT INTO tickid.node AS old (realm, bits, value, version, token, holder, era, floor, ceiling)
    VALUES (r.name, n.bits, n.value, n.version + 1, claim_token, claim_holder, r.era, begins, ends)
    ON CONFLICT (realm, bits, value) DO UPDATE
    SET (version, token, holder, era, floor, ceiling) = (
        excluded.version, excluded.token, excluded.holder, excluded.era, excluded.floor,
        excluded.ceiling
    )
    -- Of a row that was not there somebody else may have been the first.
    WHERE old.version = n.version
    RETURNING old.* INTO n;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    RETURN tickid.grant_v1(n, clock_micros);
END
$$;

-- A higher ceiling for a lease.
CREATE OR REPLACE FUNCTION tickid.renew_v1(
    realm_name text, hold_token text, hold_bits integer, hold_value bigint, hold_floor bigint
) RETURNS json
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r tickid.realm;
    n tickid.node;
    clock_micros bigint;
    tick bigint;
BEGIN
    PERFORM tickid.settings_v1();
    SELECT realm.* INTO r FROM tickid.realm
    WHERE name = realm_name AND generation = (SELECT tickid.generation_v1())
    FOR SHARE;
    clock_micros := tickid.now_micros_v1();
    tick := tickid.tick_v1(r, clock_micros);
    IF tick IS NULL THEN
        RETURN NULL;
    END IF;
    SELECT * INTO n
    FROM tickid.extend_v1(r, tick, hold_token, hold_bits, hold_value, hold_floor);
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    RETURN tickid.grant_v1(n, clock_micros);
END
$$;

-- Everything that is kept of a realm, or its record and one row, as of one moment.
CREATE OR REPLACE FUNCTION tickid.view_v1(realm_name text, node_bits integer, node_value bigint)
RETURNS json
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT json_build_object(
        'record', (SELECT to_json(realm) FROM tickid.realm WHERE name = realm_name),
        'rows', (
            SELECT coalesce(json_agg(node), '[]') FROM tickid.node
            WHERE realm = realm_name
                AND (node_bits IS NULL OR (bits, value) = (node_bits, node_value))
        ),
        'generation', tickid.generation_v1(),
        'now_micros', tickid.now_micros_v1()
    )
$$;

-- Compare-and-set: writes a record, a row or both if this is the store of that generation and the versions
-- are these (null: there is none). Returns whether it did.
CREATE OR REPLACE FUNCTION tickid.commit_v1(
    realm_name text, of_generation text, record_version bigint, new_record jsonb,
    row_version bigint, new_row jsonb
) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM tickid.settings_v1();
    IF of_generation <> tickid.generation_v1() THEN
        RETURN false;
    END IF;
    IF record_version IS NULL THEN
        INSERT INTO tickid.realm
        SELECT * FROM jsonb_populate_record(NULL::tickid.realm, new_record || '{"version": 0}')
        ON CONFLICT DO NOTHING;
        RETURN FOUND;
    END IF;
    PERFORM FROM tickid.realm WHERE name = realm_name AND version = record_version FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF new_row IS NOT NULL THEN
        INSERT INTO tickid.node AS old
        SELECT * FROM jsonb_populate_record(
            NULL::tickid.node,
            new_row || jsonb_build_object('version', coalesce(row_version, 0) + 1)
        )
        ON CONFLICT (realm, bits, value) DO UPDATE
        SET (version, token, holder, era, floor, ceiling) = (
            excluded.version, excluded.token, excluded.holder, excluded.era, excluded.floor,
            excluded.ceiling
        )
        WHERE old.version = row_version;
        IF NOT FOUND THEN
            RETURN false;
        END IF;
    END IF;
    IF new_record IS NOT NULL THEN
        UPDATE tickid.realm AS old
        SET version = old.version + 1, scheme = new.scheme, layout = new.layout,
            epoch_micros = new.epoch_micros, period_micros = new.period_micros, micros_per_tick = new.micros_per_tick,
            end_tick = new.end_tick, nodes = new.nodes, allowance = new.allowance,
            skew_micros = new.skew_micros, term_micros = new.term_micros, term = new.term,
            ahead = new.ahead, max_ahead = new.max_ahead, generation = new.generation,
            era = new.era, floor = new.floor, parts = new.parts,
            sizes = ARRAY(SELECT DISTINCT unnest(old.sizes || new.sizes))
        FROM jsonb_populate_record(NULL::tickid.realm, new_record) AS new
        WHERE old.name = realm_name;
    END IF;
    RETURN true;
END
$$;
