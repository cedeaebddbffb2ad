-- Functions that reserve a node of a realm for the database itself, for good: it is never leased.
-- Run after schema.sql, in one transaction with it.

-- What only these statements and the functions' call is made anew, as its arguments may be others in
-- another release.
DO $$
DECLARE
    own regprocedure;
BEGIN
    FOR own IN SELECT p.oid FROM pg_proc AS p WHERE p.pronamespace = 'tickid'::regnamespace
        AND p.proname IN ('lock_realm_v1', 'reserve_v1', 'tick_v1')
    LOOP
        EXECUTE 'DROP FUNCTION ' || own;
    END LOOP;
END
$$;

-- The tick of the present time, by a record.
CREATE OR REPLACE FUNCTION tickid.tick_v1(record jsonb) RETURNS numeric
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    period bigint := record ->> 'period_micros';
    micros_per_tick bigint := record ->> 'micros_per_tick';
    micros bigint := tickid.now_micros_v1() - (record ->> 'epoch_micros')::bigint;
    tick bigint := micros / period * ((period - 1) / micros_per_tick + 1)
        + micros % period / micros_per_tick;
BEGIN
    IF micros < 0 OR tick >= (record ->> 'end')::numeric THEN
        RAISE EXCEPTION 'the scheme % has no tick for the present time', record ->> 'scheme'
            USING ERRCODE = 'datetime_field_overflow';
    END IF;
    RETURN tick;
END
$$;

-- The time when a tick begins, by a record.
CREATE OR REPLACE FUNCTION tickid.tick_time_v1(record jsonb, tick numeric) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    period bigint := record ->> 'period_micros';
    micros_per_tick bigint := record ->> 'micros_per_tick';
    ticks_per_period bigint := (period - 1) / micros_per_tick + 1;
BEGIN
    RETURN to_timestamp(((record ->> 'epoch_micros')::numeric + div(tick, ticks_per_period) * period
        + mod(tick, ticks_per_period) * micros_per_tick) / 1e6);
END
$$;

-- Says why a realm starts later, by its record.
CREATE OR REPLACE FUNCTION tickid.pause_v1(record jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE record ->> 'pause'
        WHEN 'new' THEN 'is new to this store, or was lost'
        WHEN 'invalidated' THEN 'was invalidated'
        WHEN 'restored' THEN 'lost data in this store, as by a restored backup'
        WHEN 'copied' THEN 'is in a store that was copied, restored or promoted'
        ELSE 'is new to this store, or was lost or invalidated' END;
END
$$;

-- Returns the record of a realm that is to have a reserved node, and locks the records until the
-- transaction ends. If the realm has no record yet, it gets `fresh`, and starts immediately or
-- beyond anything that a lost realm of its name can have granted. An error if it has one, which
-- differs in one of the fields `fixed` or in whether its IDs have a node, or has not started, and
-- should immediately.
CREATE OR REPLACE FUNCTION tickid.lock_realm_v1(
    realm_name text, fresh jsonb, fixed text[], immediately boolean
) RETURNS jsonb
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- What the parts of a pool contain if its IDs have no node.
    without_node CONSTANT jsonb := '[{"nodes": "0/0"}]';
    found jsonb;
    field text;
BEGIN
    PERFORM tickid.settings_v1();
    LOCK TABLE tickid.realm IN SHARE ROW EXCLUSIVE MODE;
    found := (SELECT r.record FROM tickid.realm AS r WHERE r.name = realm_name);
    IF found IS NULL THEN
        found := fresh || jsonb_build_object('generation', tickid.generation_v1());
        IF NOT immediately THEN
            found := found || jsonb_build_object('era', 1, 'pause', 'new',
                'floor', least(tickid.tick_v1(fresh) + (fresh ->> 'max_ahead')::numeric,
                    (fresh ->> 'end')::numeric),
                'parts', (SELECT jsonb_agg(e || '{"since_era": 1}')
                    FROM jsonb_array_elements(fresh -> 'parts') AS e));
        END IF;
        INSERT INTO tickid.realm (name, version, record)
        VALUES (realm_name, tickid.now_micros_v1(), found);
    END IF;
    IF found ->> 'record_version' IS DISTINCT FROM '1' THEN
        RAISE EXCEPTION 'a later release wrote the record of the realm %', realm_name
            USING HINT = 'Run the statements that tickid sql of that release prints.';
    END IF;
    FOREACH field IN ARRAY fixed LOOP
        IF found -> field <> fresh -> field THEN
            RAISE EXCEPTION 'the realm % has the % %, not %', realm_name, field, found -> field,
                fresh -> field USING ERRCODE = 'invalid_parameter_value';
        END IF;
    END LOOP;
    IF (found -> 'parts' @> without_node) <> (fresh -> 'parts' @> without_node) THEN
        RAISE EXCEPTION 'the realm % has IDs % a node, not IDs % one', realm_name,
            CASE WHEN found -> 'parts' @> without_node THEN 'without' ELSE 'with' END,
            CASE WHEN found -> 'parts' @> without_node THEN 'with' ELSE 'without' END
            USING ERRCODE = 'invalid_parameter_value',
                HINT = 'A realm keeps the kind of its IDs: those of the other need another realm.';
    END IF;
    IF immediately AND (found ->> 'floor')::numeric > tickid.tick_v1(found) THEN
        RAISE EXCEPTION 'the realm % %, and starts at %; --new comes too late, and changes nothing',
            realm_name, tickid.pause_v1(found),
            tickid.tick_time_v1(found, (found ->> 'floor')::numeric)
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'Wait until then: only a realm that does not exist yet can be new.';
    END IF;
    RETURN found;
END
$$;

-- Reserves a node of the realm's pool for functions of a number: marks its row, and returns the
-- node with its first free tick. It is one of `whole_bits` bits, or of any size if that is null:
-- one with more bits has only a share of a node's sequences. The caller holds the lock on the
-- records. The record gets a new version, so that no reconfiguration commits that has not seen the
-- row.
CREATE OR REPLACE FUNCTION tickid.reserve_v1(
    realm_name text, record jsonb, number integer, whole_bits integer,
    OUT node text, OUT floor numeric
) LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node_key text;
    tick CONSTANT numeric := tickid.tick_v1(record);
BEGIN
    IF record ->> 'generation' <> tickid.generation_v1() THEN
        RAISE EXCEPTION 'the realm % is of another database, or of this one before a restore',
            realm_name USING ERRCODE = 'invalid_parameter_value',
            HINT = 'tickid lease invalidate ends the leases of the other one.';
    END IF;
    -- Nodes that were never granted come first, then those that were free for the longest time.
    SELECT c.node, c.key, greatest((record ->> 'floor')::numeric, c.floor, n.ceiling)
    INTO node, node_key, floor
    FROM (
        SELECT v || '/' || p.bits AS node, p.bits, p.floor,
            lpad(to_hex(v << 63 - p.bits), 16, '0') || lpad(to_hex(p.bits), 2, '0') AS key
        FROM (
            SELECT split_part(split_part(e ->> 'nodes', '/', 1), '-', 1)::bigint AS first,
                reverse(split_part(reverse(split_part(e ->> 'nodes', '/', 1)), '-', 1))::bigint
                    AS last,
                split_part(e ->> 'nodes', '/', 2)::integer AS bits,
                (e ->> 'floor')::numeric AS floor
            FROM jsonb_array_elements(record -> 'parts') AS e
        ) AS p, generate_series(p.first, p.last) AS v
    ) AS c LEFT JOIN tickid.node AS n ON n.realm = realm_name AND n.node = c.key
    WHERE c.bits = coalesce(whole_bits, c.bits) AND (n.node IS NULL
        OR n.ceiling <= tick AND n.data ->> 'record_version' = '1' AND n.data -> 'reserved' IS NULL)
    ORDER BY n.ceiling NULLS FIRST, c.key DESC LIMIT 1;
    IF reserve_v1.node IS NULL AND NOT EXISTS (
        SELECT FROM jsonb_array_elements(record -> 'parts') AS e
        WHERE split_part(e ->> 'nodes', '/', 2)::integer
            = coalesce(whole_bits, split_part(e ->> 'nodes', '/', 2)::integer)
    ) THEN
        RAISE EXCEPTION 'the realm % has no whole node, of % bits, which functions need',
            realm_name, whole_bits USING ERRCODE = 'invalid_parameter_value',
                DETAIL = 'Its nodes are shares of a node''s sequences.',
                HINT = format('tickid lease init %s --realm %s --pool NODES --reconfigure gives it a '
                    'pool that has both.', record ->> 'scheme', realm_name);
    END IF;
    IF reserve_v1.node IS NULL THEN
        RAISE EXCEPTION 'the realm % has no free node', realm_name
            USING ERRCODE = 'configuration_limit_exceeded';
    END IF;
    INSERT INTO tickid.generator (number, realm, node, data)
    VALUES (reserve_v1.number, realm_name, node_key, jsonb_build_object(
        'record_version', 1, 'node', reserve_v1.node, 'token', NULL, 'holder', 'functions in PostgreSQL',
        'era', record -> 'era', 'floor', reserve_v1.floor, 'ceiling', record -> 'end',
        'reserved', true
    ));
    PERFORM tickid.restore_reserved_v1(realm_name);
    UPDATE tickid.realm AS r SET version = greatest(r.version + 1, tickid.now_micros_v1())
    WHERE r.name = realm_name;
END
$$;

-- Raises an error in a database without the row that keeps leases away from a reserved node: after
-- a loss of the row, or after loading a dump of the schema without the data. Locks the row, since a
-- transaction whose snapshot is older than the loss would still see it: SQLSTATE 40001 tells such a
-- one. Waits for nobody, as the caller has a lock that others need. Whoever locks the row or the
-- table has not committed a loss, and a later check sees it. The caller ends the lock by undoing
-- its subtransaction.
CREATE OR REPLACE FUNCTION tickid.check_reserved_v1(realm_name text, node_key text) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    BEGIN
        LOCK TABLE tickid.node IN ROW SHARE MODE NOWAIT;
        PERFORM FROM tickid.node AS n WHERE n.realm = realm_name AND n.node = node_key
            AND n.data @> '{"reserved": true}' FOR SHARE NOWAIT;
    EXCEPTION
        -- Not the caller's to catch: it takes this for its own lock, and all draws would stall.
        WHEN lock_not_available THEN RETURN;
    END;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no node is reserved for the realm % in this database', realm_name
            USING ERRCODE = 'integrity_constraint_violation',
                HINT = 'The statements of tickid sql --realm reserve one when they run again.';
    END IF;
END
$$;

REVOKE ALL ON FUNCTION tickid.lock_realm_v1(text, jsonb, text[], boolean),
    tickid.reserve_v1(text, jsonb, integer, integer) FROM PUBLIC;
