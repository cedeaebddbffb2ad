-- IDs from PostgreSQL itself: functions that make, bound, encode and decode the IDs of realms whose
-- store is this database. PostgreSQL 15 or later. Run after the lease backend's schema.sql and
-- reserve.sql, as a whole, in one transaction, any number of times; then once for each realm:
--
--     DO $$ BEGIN
--         PERFORM tickid.create_functions_v1('orders', RECORD, false, false, false);
--     END $$;
--
-- WORD. The generator of a realm is an unlogged sequence, tickid.word_N: an ID's tick, a guard of
-- zero bits in the place of its node, and its sequence number. `nextval` is an atomic fetch-add,
-- which no rollback undoes. A draw looks at the word, adds, and then reads the clock; it is an ID
-- if the tick is the present one and the guard is empty. A session looks before each draw, so it
-- draws at most once into a full tick: no number of sessions overflows the guard. Ticks that are
-- ahead of the clock, within the allowance, are drawn from under the lock of tickid.advance_N.
--
-- ADVANCE. Another tick starts under a lock, by a `setval` to a higher value, whose sequence number
-- belongs to the setter. The lock is a view's, which roles without rights cannot take and ANALYZE
-- does not, and is held by a subtransaction that always ends in an exception: `setval` outlives it,
-- the lock does not, nor does a cancelled statement or a long transaction keep it. No message is
-- sent meanwhile (client_min_messages, and exit_on_error, which would make that exception one),
-- since a client that does not read it would keep the lock. tickid.advance_N also handles a loss, a
-- low bound, a full tick, and a clock that is behind.
--
-- LOSS. A crash empties unlogged sequences. tickid.bound_N is logged, exceeds every tick in use,
-- and is flushed before a tick below it is used: a lost word starts there. A word in a copy of the
-- database, on a promoted standby or in a restored backup starts beyond anything that its original
-- can have issued: tickid.home_N and tickid.origin_N identify the database of the word. So does a
-- word that a dump of the data alone has set back: it also sets tickid.written_N, and with it the
-- number of values that the log is ahead of that sequence (log_cnt) to zero, which no dump
-- contains. Its name comes after the word's, since dumps set sequences in the order of names. It is
-- logged, so that a crash does not hide this: its value is 64 times the tick that the last pause was
-- until, and 1, or 33 as the log has it.
-- A promoted standby, or a recovered backup, may have empty files in the place of unlogged sequences
-- that were created since its last restartpoint: no calls of nextval work on them, nor a clean
-- restart, and a scan finds no row. These statements make them anew, as of a restored backup.
-- Copies by CREATE DATABASE that are said to stay apart from their original, as those of a test's
-- template, start at the present time, if that is beyond the bound. Dumps never do, which could be
-- loaded into a database that has issued IDs, nor does what is no copy by tickid.home_N.
--
-- NODE. A row keeps leases away from the functions' node. It is locked before the bound is raised,
-- twice a second, or once in a longer tick, so that an old snapshot does not show a row that was
-- lost. Without it there are no IDs above the bound.
--
-- FOLLOWING. tickid.follow_N returns an ID up to which no more rows appear. Whoever draws keeps the
-- word's RowExclusiveLock from before the first draw until the rows are visible or never will be:
-- it is the top transaction's, so that no rollback to a savepoint ends it, and is released after
-- the commit has taken effect, also by a prepared transaction. So first the word is read and then
-- the locks: what was drawn up to the word is visible, or its drawer is seen. What a drawer has
-- drawn is greater than its base, the word as it was read before the drawer was first seen, and
-- nothing appears up to the least of the word and the bases. The bases are the state that the
-- follower carries from call to call. Nothing is written, so followers meet in no lock and need no
-- table. A state that is old or lost only makes the result lower.
-- A transaction from before a move may have a plan that draws from the earlier node, whose ticks the
-- present word may have passed. So the first call after a move takes every open transaction of the
-- database for a drawer. Those that begin later know of the move.
-- IDs of a node may start below those of the node before. So `final` has the bits of its node, as an
-- ID has. A follower without a state of the present word is refused if its `final` is of an earlier
-- node, and is not below the first ID of every node since: it would miss those below. That ID is of
-- the tick which tickid.bound_N had as its start, when the move began; the earlier node drew on until
-- the commit. Who starts again below the lowest of these first IDs misses nothing, and reads the rows
-- since the move began a second time.
--
-- SECURITY. Users need USAGE on the schema and nothing else. Functions that set a word run with the
-- rights of their owner. Those that are called for each row set no search_path, which would more
-- than double their cost. Their bodies are parsed when they are created, or qualify every name.
--
-- CONSTANTS. A name in braces after a dollar sign is a constant of a scheme's Rust crate, which
-- src/constants.rs fills in.

SET LOCAL search_path = pg_catalog, pg_temp;

DO $$
DECLARE
    version CONSTANT text := '${version}';
    present text := version;
BEGIN
    IF current_setting('server_version_num')::integer < 150000 THEN
        RAISE EXCEPTION 'functions that make IDs need PostgreSQL 15 or later; this is %',
            current_setting('server_version');
    END IF;
    IF to_regproc('tickid.version_v1') IS NOT NULL THEN
        EXECUTE 'SELECT tickid.version_v1()' INTO present;
    END IF;
    IF string_to_array(present, '.')::integer[] > string_to_array(version, '.')::integer[] THEN
        RAISE EXCEPTION 'this database has the functions of tickid %, and these statements are of '
            'the earlier release %', present, version
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'Take the statements from the later release.';
    END IF;
    -- The documentation does not promise what FOLLOWING relies on.
    CREATE SEQUENCE tickid.probe;
    BEGIN
        PERFORM nextval('tickid.probe');
        RAISE SQLSTATE 'TKD00';
    EXCEPTION
        WHEN SQLSTATE 'TKD00' THEN NULL;
    END;
    IF NOT EXISTS (SELECT FROM pg_locks AS l WHERE l.pid = pg_backend_pid()
        AND l.relation = 'tickid.probe'::regclass AND l.mode = 'RowExclusiveLock')
    THEN
        RAISE EXCEPTION 'this server does not keep the lock of a sequence until a transaction ends'
            USING ERRCODE = 'feature_not_supported';
    END IF;
    DROP SEQUENCE tickid.probe;
END
$$;

-- The release whose statements ran last.
CREATE OR REPLACE FUNCTION tickid.version_v1() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '${version}';

-- What only these statements call is made anew, as its arguments may be others in another release.
-- All else stays, with its arguments and its result: a draw that runs may call it, and so may the
-- functions of a realm whose statements are still those of an earlier release.
DO $$
DECLARE
    own regprocedure;
BEGIN
    FOR own IN SELECT p.oid FROM pg_proc AS p WHERE p.pronamespace = 'tickid'::regnamespace
        AND p.proname IN ('create_functions_v1', 'create_draw_v1', 'create_public_v1', 'ahead_v1',
            'node_facts_v1', 'again_v1', 'snowflake_facts_v1', 'layout_bits_v1')
    LOOP
        EXECUTE 'DROP FUNCTION ' || own;
    END LOOP;
END
$$;

----------------------------------------------------------------------------------------------------
-- Time.

-- The clock of all draws, in microseconds since 1970. Exact until the year 2242.
CREATE OR REPLACE FUNCTION tickid.clock_v1() RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN (date_part('epoch', clock_timestamp()) * 1000000)::bigint;

CREATE OR REPLACE FUNCTION tickid.micros_v1(at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (extract(epoch FROM timezone('UTC', at)) * 1000000)::bigint;

-- Days and the rest apart, as an interval's factor has the precision of float8.
CREATE OR REPLACE FUNCTION tickid.time_v1(micros bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN timezone('UTC', timestamp '1970-01-01'
    + make_interval(days => (micros / 86400000000)::integer)
    + (micros % 86400000000)::float8 * interval '1 microsecond');

-- The tick that contains a time or, rounded up, the first one that starts at that time or later. As
-- the end of a range, that is: a range that starts before the first tick starts with it, and one that
-- ends after the last tick ends with that. An error for a range that is over before the first tick,
-- or starts after the last one.
CREATE OR REPLACE FUNCTION tickid.tick_at_v1(
    scheme text, at timestamptz, is_up boolean, epoch bigint, period bigint,
    ticks_per_period bigint, micros_per_tick bigint, last bigint
) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    micros bigint;
    tick bigint;
BEGIN
    -- Microseconds of later times overflow, and infinite times have none.
    IF at = '-infinity' THEN
        tick := -1;
    ELSIF at < '200000-01-01 00:00:00Z' THEN
        micros := tickid.micros_v1(at) - epoch;
        tick := CASE WHEN micros < 0 THEN -1
            ELSE micros / period * ticks_per_period + micros % period / micros_per_tick
                + (is_up AND micros % period % micros_per_tick > 0)::integer END;
    ELSE
        tick := last + 1;
    END IF;
    IF tick BETWEEN 0 AND last THEN
        RETURN tick;
    ELSIF is_up = (tick < 0) THEN
        RETURN greatest(0, least(tick, last));
    END IF;
    tick := last + (NOT is_up)::integer;
    RAISE EXCEPTION '% has no IDs of %, only from % to %', scheme, at, tickid.time_v1(epoch),
        tickid.time_v1(epoch + tick / ticks_per_period * period
            + tick % ticks_per_period * micros_per_tick - (NOT is_up)::integer)
        USING ERRCODE = 'datetime_field_overflow';
END
$$;

----------------------------------------------------------------------------------------------------
-- Forms of IDs.

CREATE OR REPLACE FUNCTION tickid.base36_v1(number bigint, min_digits integer) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    digits text := '';
    rest bigint := number;
BEGIN
    WHILE rest > 0 OR length(digits) < min_digits LOOP
        digits := substr('0123456789abcdefghijklmnopqrstuvwxyz', (rest % 36)::integer + 1, 1)
            || digits;
        rest := rest / 36;
    END LOOP;
    RETURN digits;
END
$$;

-- Raises the error for a text or for bytes that are no ID.
CREATE OR REPLACE FUNCTION tickid.no_id_v1(scheme text, value text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'no % ID: %', scheme, quote_nullable(left(value, 100))
        USING ERRCODE = 'invalid_text_representation';
END
$$;

-- Reads digits of either case; all values of at most `max`.
CREATE OR REPLACE FUNCTION tickid.from_base36_v1(scheme text, value text, form text, max bigint)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number numeric := 0;
BEGIN
    IF value !~ form THEN
        RETURN tickid.no_id_v1(scheme, value);
    END IF;
    FOR place IN 1..length(value) LOOP
        number := number * 36 - 1 + strpos('0123456789abcdefghijklmnopqrstuvwxyz',
            translate(substr(value, place, 1), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
                'abcdefghijklmnopqrstuvwxyz'));
    END LOOP;
    RETURN CASE WHEN number <= max THEN number ELSE tickid.no_id_v1(scheme, value) END;
END
$$;

CREATE OR REPLACE FUNCTION tickid.scru64_encode(id bigint) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF id < 0 OR id > ${scru64_max} THEN
        PERFORM tickid.no_id_v1('SCRU64', id::text);
    END IF;
    RETURN tickid.base36_v1(id, 12);
END
$$;

CREATE OR REPLACE FUNCTION tickid.scru64_decode(id text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.from_base36_v1('SCRU64', id, '^[0-9A-Za-z]{12}$', ${scru64_max});

-- The canonical text, which does not sort.
CREATE OR REPLACE FUNCTION tickid.nanoflake_encode(id bigint) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF id < 0 THEN
        PERFORM tickid.no_id_v1('Nanoflake', id::text);
    END IF;
    RETURN tickid.base36_v1(id, 1);
END
$$;

-- Reads the canonical text, and the text of 13 digits.
CREATE OR REPLACE FUNCTION tickid.nanoflake_decode(id text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.from_base36_v1('Nanoflake', id, '^(0|[1-9A-Za-z][0-9A-Za-z]{0,11}|[0-9A-Za-z]{13})$',
    9223372036854775807);

-- Base64 in the sortable alphabet.
CREATE OR REPLACE FUNCTION tickid.base64_v1(bytes bytea) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN translate(encode(bytes, 'base64'),
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=',
    '.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz');

CREATE OR REPLACE FUNCTION tickid.from_base64_v1(value text, form text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF value !~ form THEN
        PERFORM tickid.no_id_v1('kuid', value);
    END IF;
    RETURN decode(rpad(translate(value,
        '.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz',
        'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'),
        (length(value) + 3) / 4 * 4, '='), 'base64');
END
$$;

CREATE OR REPLACE FUNCTION tickid.int8_v1(bytes bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ('x' || encode(bytes, 'hex'))::bit(64)::bigint;

CREATE OR REPLACE FUNCTION tickid.kuid_encode(id bytea) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF length(id) <> 12 THEN
        PERFORM tickid.no_id_v1('kuid', encode(id, 'hex'));
    END IF;
    RETURN tickid.base64_v1(id);
END
$$;

CREATE OR REPLACE FUNCTION tickid.kuid_decode(id text) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.from_base64_v1(id, '^[.0-9A-Z_a-z]{16}$');

-- Local IDs from the year 18584 on are negative as a bigint.
CREATE OR REPLACE FUNCTION tickid.kuid_local_encode(id bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.base64_v1(int8send(id));

CREATE OR REPLACE FUNCTION tickid.kuid_local_decode(id text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.int8_v1(tickid.from_base64_v1(id, '^[.0-9A-Z_a-z]{10}[.37BFJNRVZcgkosw]$'));

CREATE OR REPLACE FUNCTION tickid.sno_encode(id bytea) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    text text := '';
    part bigint;
BEGIN
    IF length(id) <> 10 THEN
        PERFORM tickid.no_id_v1('sno', encode(id, 'hex'));
    END IF;
    FOR half IN 0..1 LOOP
        part := tickid.int8_v1(decode('000000', 'hex') || substring(id FROM 1 + 5 * half FOR 5));
        FOR place IN 0..7 LOOP
            text := text || substr('23456789abcdefghijklmnopqrstuvwx',
                (part >> 35 - 5 * place & 31)::integer + 1, 1);
        END LOOP;
    END LOOP;
    RETURN text;
END
$$;

CREATE OR REPLACE FUNCTION tickid.sno_decode(id text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    bytes bytea := '';
    part bigint;
BEGIN
    IF id !~ '^[2-9a-x]{16}$' THEN
        PERFORM tickid.no_id_v1('sno', id);
    END IF;
    FOR half IN 0..1 LOOP
        part := 0;
        FOR place IN 1..8 LOOP
            part := part << 5
                | strpos('23456789abcdefghijklmnopqrstuvwx', substr(id, 8 * half + place, 1)) - 1;
        END LOOP;
        bytes := bytes || substring(int8send(part) FROM 4);
    END LOOP;
    RETURN bytes;
END
$$;

----------------------------------------------------------------------------------------------------
-- IDs of words, and words of IDs: a tick above the bits of guard and sequence.

-- 44 bits of tick, 5 of guard (zero), 14 of sequence. Adds at each carry, from tick to second to a
-- million seconds, the values that an ID leaves out there.
CREATE OR REPLACE FUNCTION tickid.kuid_local_v1(word bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN word - (word >> ${kuid_word}) * ((1 << ${kuid_word}) - (1 << ${kuid_c}))
    + word / (${kuid_second} << ${kuid_word}) * ((1 << ${kuid_b}) - (${kuid_second} << ${kuid_c}))
    + word / (1000000::bigint * ${kuid_second} << ${kuid_word})
        * ((1::bigint << ${kuid_a}) - (1000000::bigint << ${kuid_b}));

-- The lowest local ID of a tick, also of those beyond the word's 44 bits.
CREATE OR REPLACE FUNCTION tickid.kuid_lowest_v1(tick bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (tick / (1000000 * ${kuid_second}) << ${kuid_a})
    | (tick / ${kuid_second} % 1000000 << ${kuid_b}) | (tick % ${kuid_second} << ${kuid_c});

-- A global ID of the drift 8, the default: the node stands between the halves of a local ID.
CREATE OR REPLACE FUNCTION tickid.kuid_drift_8_v1(local bigint, node bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN overlay(int8send(local) PLACING node FROM 5 FOR 0);

-- A global ID: the lower `drift` bits of the seconds are below the node. For a constant drift the
-- planner leaves of the cases one.
CREATE OR REPLACE FUNCTION tickid.kuid_global_v1(local bigint, node bigint, drift integer)
RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN int4send((CASE WHEN drift <= 8 THEN local >> 32
        ELSE local >> 24 + drift << drift - 8 END | (node >> 40 - drift))::int)
    || int8send(CASE WHEN drift < 8 THEN local >> 24 + drift << 56 + drift ELSE 0 END
        | (node << 24 + drift) | (local & (1::bigint << 24 + drift) - 1));

-- A global ID without its node.
CREATE OR REPLACE FUNCTION tickid.kuid_to_local_v1(id bytea, drift integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (tickid.int8_v1(substring(id FROM 1 FOR 8)) >> 24 + drift << 24 + drift)
    | (tickid.int8_v1(substring(id FROM 5)) & (1::bigint << 24 + drift) - 1);

-- The time of a local ID's tick.
CREATE OR REPLACE FUNCTION tickid.kuid_local_time_v1(id bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.time_v1((id >> ${kuid_a} & ${kuid_max_a}) * 1000000000000
    + (id >> ${kuid_b} & ${kuid_max_b}) * 1000000
    + (id >> ${kuid_c} & (1 << ${kuid_b} - ${kuid_c}) - 1) * ${kuid_micros});

CREATE OR REPLACE FUNCTION tickid.no_meta_v1(meta integer) RETURNS integer
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'sno metabyte % is outside of 0..=255', coalesce(meta::text, 'null')
        USING ERRCODE = 'numeric_value_out_of_range';
END
$$;

-- 39 bits of tick, one that is always zero (tick-tock) and 7 of guard (zero), 16 of sequence. The
-- metabyte and the partition take the place of the byte before the sequence.
CREATE OR REPLACE FUNCTION tickid.sno_v1(word bigint, meta_and_partition bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN overlay(int8send((word << 1) - (word & 65535)) PLACING meta_and_partition FROM 6 FOR 1);

-- The bits of a field in the text of a Snowflake's layout, such as 41x1ms/10n/12s@0: x, n or s.
CREATE OR REPLACE FUNCTION tickid.layout_bits_v1(layout text, field text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN substring('/' || layout FROM '/([0-9]+)' || field)::integer;

-- Of any layout, whose fields stand in either order.
CREATE OR REPLACE FUNCTION tickid.snowflake_v1(
    word bigint, word_shift integer, shift integer, sequences bigint, sequence_shift integer,
    node bigint
) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ((word >> word_shift) << shift) | ((word & sequences) << sequence_shift) | node;

----------------------------------------------------------------------------------------------------
-- Draws.

-- Raises the error for a realm without functions, or with those of another scheme.
CREATE OR REPLACE FUNCTION tickid.no_realm_v1(scheme text, realm text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'there are no % functions for the realm %', scheme, quote_nullable(realm)
        USING ERRCODE = 'undefined_object',
            HINT = 'tickid sql --realm prints the statements that create them.';
END
$$;

-- The identity of a word in the databases of one server: the OIDs of the database and of the word.
-- Immutable, so that it is computed when a session plans an expression and costs nothing per call.
-- That is sound: a session has one database, and a plan is made anew if its sequence is.
CREATE OR REPLACE FUNCTION tickid.home_v1(word regclass) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT d.oid::bigint FROM pg_database AS d WHERE d.datname = current_database()) << 32
        | word::oid::bigint;
END
$$;

CREATE OR REPLACE FUNCTION tickid.is_home_v1(home regclass, word regclass) RETURNS boolean
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN pg_sequence_last_value(home) IS NOT DISTINCT FROM tickid.home_v1(word);

-- Whether the server can read a word, and the sequences that belong to it: see LOSS.
CREATE OR REPLACE FUNCTION tickid.is_readable_v1(word regclass) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name_of_word CONSTANT text := word;
    name text;
    is_readable boolean;
BEGIN
    -- Without a name, it was dropped during the call, since the statements made it anew.
    IF name_of_word ~ '^[0-9]+$' THEN
        RETURN false;
    END IF;
    FOREACH name IN ARRAY ARRAY['word', 'written', 'ready', 'flushed'] LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)',
            replace(name_of_word, '.word_', '.' || name || '_')) INTO is_readable;
        EXIT WHEN NOT is_readable;
    END LOOP;
    RETURN is_readable;
END
$$;

CREATE OR REPLACE FUNCTION tickid.check_readable_v1(word regclass) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT tickid.is_readable_v1(word) THEN
        RAISE EXCEPTION 'the server cannot read the sequence % since it was promoted or recovered',
            word USING ERRCODE = 'data_corrupted', HINT = 'The statements of tickid sql --realm make '
                'it anew when they run again. So does a crash: pg_ctl restart --mode=immediate.';
    END IF;
END
$$;

-- The same, computed when a session plans its first draw: a word that is at home stays there, and
-- one that is readable stays so.
CREATE OR REPLACE FUNCTION tickid.was_home_v1(home regclass, word regclass) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM tickid.check_readable_v1(word);
    RETURN tickid.is_home_v1(home, word);
END
$$;

-- Returns the position in the log at which the next record is written, or up to which the log is on
-- disk; null on a server that has none: see generation_v1.
CREATE OR REPLACE FUNCTION tickid.log_position_v1(is_flushed boolean) RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (CASE WHEN is_flushed THEN pg_current_wal_flush_lsn()
        ELSE pg_current_wal_insert_lsn() END - '0/0')::bigint;
EXCEPTION
    WHEN object_not_in_prerequisite_state THEN RETURN NULL;
END
$$;

-- Says why the clock is behind a tick that is to be drawn from, and when that ends: at the tick
-- `ready`. If no ID was made since the node was reserved, or since the pause, the tick is `fresh`.
CREATE OR REPLACE FUNCTION tickid.behind_v1(
    generator integer, fresh bigint, ready bigint, paused bigint
) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    realm_name text;
    record jsonb;
    floor numeric;
    at text;
BEGIN
    SELECT g.realm, r.record, (g.data ->> 'floor')::numeric INTO realm_name, record, floor
    FROM tickid.generator AS g JOIN tickid.realm AS r ON r.name = g.realm
    WHERE g.number = generator;
    at := tickid.tick_time_v1(record, ready);
    RETURN CASE
        WHEN fresh = paused THEN format('This need not be the clock: after a copy, a restored '
            'backup, a loaded dump or a promotion, IDs start beyond the original''s, at %s.', at)
        WHEN fresh = floor THEN format(
            'This need not be the clock: the realm %s %s, so its IDs start at %s.', realm_name,
            CASE WHEN (record ->> 'floor')::numeric < floor THEN 'has another pool'
                ELSE tickid.pause_v1(record) END, at)
        ELSE format('The clock has stepped back, or was ahead when an ID was made. IDs go on at %s.'
            ' If that is far away, see tickid sql --another-node.', at) END;
END
$$;

-- Creates the routines that draw from a realm's word, and that follow it. In the templates, names
-- between @ are constants of the realm. What they are for one realm is shown in comments: a Nanoflake
-- realm `shop` of Discord's epoch, whose functions are the first of the database, and have the node
-- 777/10. `SELECT pg_get_functiondef('tickid.advance_1'::regproc)` prints such a function as it is,
-- ready to be changed and run again. The names of its parts are
--
--     number 1                    shift 22                    allowance 0
--     realm shop                  sequence_bits 12            skew 5000
--     node_key 61200000000000000a guard_bits 10               copies_apart false
--     type int8                   below_tick 4194303          longest 5.0020000000000000
--     node 3182592 (777 << 12)    last_sequence 4095          ahead 1000
--     node_in_guard 777           guard 4190208               micros_per_tick 1000
--     id word                     start 0                     last_tick 2199023255551
--     with_node OPERATOR(pg_catalog.+) 3182592                words {tickid.word_1}
--     now (tickid.clock_v1() - (1420070400000000)) / 1000     settled (settled + 3182592)
--
-- and convert, clock, moved, planned and close are empty.
CREATE OR REPLACE FUNCTION tickid.create_draw_v1(number integer, scheme text, constants jsonb)
RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $create$
DECLARE
    -- Of a draw, without the qualified names of operators and functions:
    --     word := CASE WHEN (pg_sequence_last_value('tickid.word_1') & 4194303) < 4095
    --         AND (tickid.was_home_v1('tickid.home_1', 'tickid.word_1')
    --             OR tickid.is_home_v1('tickid.home_1', 'tickid.word_1'))
    --         THEN nextval('tickid.word_1') + 3182592 END;
    --     EXIT WHEN (word >> 12) - ((tickid.clock_v1() - 1420070400000000) / 1000 << 10) = 777;
    --     word := tickid.advance_1(attempt, began);
    -- Of its `advance`:
    --     LOCK TABLE tickid.lock_1 IN SHARE UPDATE EXCLUSIVE MODE NOWAIT;
    --     word := pg_sequence_last_value('tickid.word_1');
    --     now := (tickid.clock_v1() - (1420070400000000)) / 1000;
    --     target := greatest(now, (word >> 22) + 1);
    --     IF word >> 22 BETWEEN now AND now + 0 AND word & 4194303 < 4095 THEN
    --         word := nextval('tickid.word_1');
    --         drawn := CASE WHEN word & 4190208 = 0 THEN word END;
    --     ELSIF target > least(now + 0, 2199023255551) THEN
    --         wait := (target - now - 0) * 1000 / 1e6;
    --     ELSE
    --         IF target + 1000 / 2 >= ready THEN
    --             bound := setval('tickid.bound_1', target + 1000);
    --         drawn := CASE WHEN target < ready
    --             THEN setval('tickid.word_1', (target << 22) + 0) END;
    --     RETURN drawn + 3182592;
    -- Of its `follow`:
    --     SELECT CASE WHEN w.is_called THEN w.last_value ELSE (bound - 1) << 22 | 4095 END
    --     INTO word FROM tickid.word_1 AS w;
    --     IF word & 4190208 <> 0 THEN
    --         word := word >> 22 << 22 | 4095;
    --     final := greatest(final, (settled + 3182592));
    code text := $draw$
-- Draws an ID from the word.
CREATE OR REPLACE FUNCTION tickid.draw_@number@() RETURNS pg_catalog.@type@
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER AS $body$
DECLARE
    word pg_catalog.int8;
    micros pg_catalog.int8;
    attempt pg_catalog.int4 := 0;
    began pg_catalog.timestamptz;
BEGIN
    LOOP
        -- The look, and then the draw. Null: there is no word, or its tick is full.
        word := CASE WHEN (pg_catalog.pg_sequence_last_value('tickid.word_@number@')
                OPERATOR(pg_catalog.&) @below_tick@) OPERATOR(pg_catalog.<) @last_sequence@
            AND (tickid.was_home_v1('tickid.home_@number@', 'tickid.word_@number@')
                OR tickid.is_home_v1('tickid.home_@number@', 'tickid.word_@number@'))
            THEN pg_catalog.nextval('tickid.word_@number@')@with_node@ END;
        -- The tick is the present one, and the guard was empty.
        @clock@EXIT WHEN ((word OPERATOR(pg_catalog.>>) @sequence_bits@) OPERATOR(pg_catalog.-)
            ((@now_qualified@) OPERATOR(pg_catalog.<<) @guard_bits@))
            OPERATOR(pg_catalog.=) @node_in_guard@;
        word := tickid.advance_@number@(attempt, began);
        EXIT WHEN word IS NOT NULL;
        attempt := attempt OPERATOR(pg_catalog.+) 1;
        began := COALESCE(began, pg_catalog.clock_timestamp());
    END LOOP;
    @convert@RETURN @id@;
END
$body$;
$draw$ || $advance$
-- Starts another tick, or draws from one that another session has started, or that is ahead of the
-- clock. Returns null after a wait. `attempt` counts the waits of a call, and the first of them ended
-- at `began`.
CREATE OR REPLACE FUNCTION tickid.advance_@number@(attempt integer, began timestamptz)
RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
SET client_min_messages = error SET exit_on_error = off SET default_tablespace = '' AS $body$
DECLARE
    unflushed CONSTANT bigint := 9223372036854775807;
    -- Seconds. A copy of the database starts sooner, if its ticks are no longer than one.
    longest CONSTANT float8 := @longest@;
    is_loaded boolean;
    is_copy boolean;
    paused bigint := 1;
    is_flushed boolean;
    word bigint;
    micros bigint;
    now bigint;
    target bigint;
    fresh bigint;
    ready bigint;
    bound bigint;
    lsn bigint;
    origin bigint;
    wait float8;
    why text;
    advice text :=
        'More IDs are wanted than there are, or the clock stands, or a session is stopped.';
    drawn bigint;
BEGIN
    BEGIN
        LOCK TABLE tickid.lock_@number@ IN SHARE UPDATE EXCLUSIVE MODE NOWAIT;
        word := pg_sequence_last_value('tickid.word_@number@');
        is_loaded := (SELECT w.log_cnt = 0
                AND (word IS NOT NULL OR w.is_called AND w.last_value % 64 = 1)
            FROM tickid.written_@number@ AS w);
        @clock@now := @now@;
        is_copy := NOT tickid.is_home_v1('tickid.home_@number@', 'tickid.word_@number@');
        IF word IS NULL OR is_loaded OR is_copy THEN
            PERFORM tickid.check_reserved_v1('@realm@', '@node_key@');
            -- The word starts at the bound: its last value is that of a full tick below.
            bound := pg_sequence_last_value('tickid.bound_@number@');
            origin := hashtextextended(tickid.generation_v1(), 0);
            IF is_loaded OR is_copy
                OR pg_sequence_last_value('tickid.origin_@number@') IS DISTINCT FROM origin
            THEN
                bound := greatest(bound, coalesce(word >> @shift@, 0), now + CASE
                    WHEN is_copy AND NOT is_loaded AND @copies_apart@ THEN 0
                    ELSE @skew@ + @allowance@ + 1 END);
                PERFORM setval('tickid.ready_@number@', 0);
                PERFORM setval('tickid.flushed_@number@', unflushed);
                PERFORM setval('tickid.bound_@number@', bound);
                paused := bound;
            END IF;
            word := greatest(coalesce(word, 0), (bound - 1) << @shift@ | @last_sequence@);
            word := setval('tickid.word_@number@', word);
            PERFORM setval('tickid.written_@number@', 64 * paused),
                nextval('tickid.written_@number@');
            -- From here on others draw.
            PERFORM setval('tickid.origin_@number@', origin);
            PERFORM setval('tickid.home_@number@', tickid.home_v1('tickid.word_@number@'));
        END IF;
        target := greatest(now, (word >> @shift@) + 1);
        IF word >> @shift@ BETWEEN now AND now + @allowance@
            AND word & @below_tick@ < @last_sequence@
        THEN
            -- Started by another session, or ahead of the clock. Others draw from it, too.
            word := nextval('tickid.word_@number@');
            drawn := CASE WHEN word & @guard@ = 0 THEN word END;
        ELSIF target > least(now + @allowance@, @last_tick@) THEN
            IF target > @last_tick@ THEN
                wait := 'infinity';
                why := 'the scheme ends with tick @last_tick@';
                advice := 'Another scheme, or a realm of a later epoch, has IDs of this time.';
            ELSE
                -- A tick that is not full needs no other one.
                fresh := CASE WHEN word & @below_tick@ >= @last_sequence@ THEN target END;
                target := target - (word & @below_tick@ < @last_sequence@)::integer;
                wait := (target - now - @allowance@) * @micros_per_tick@ / 1e6;
                why := format('the clock is %s s behind the next ID', wait::numeric(20, 3));
            END IF;
        ELSE
            ready := coalesce(pg_sequence_last_value('tickid.ready_@number@'), 0);
            -- A bound is raised when half of it is used, so that a commit flushes it by and by.
            IF target + @ahead@ / 2 >= ready THEN
                bound := pg_sequence_last_value('tickid.bound_@number@');
                IF target + @ahead@ / 2 >= bound THEN
                    PERFORM tickid.check_reserved_v1('@realm@', '@node_key@');
                    PERFORM setval('tickid.flushed_@number@', unflushed);
                    bound := setval('tickid.bound_@number@', target + @ahead@);
                    PERFORM setval('tickid.flushed_@number@',
                        coalesce(tickid.log_position_v1(false), unflushed));
                END IF;
                lsn := coalesce(pg_sequence_last_value('tickid.flushed_@number@'), unflushed);
                IF lsn = unflushed THEN
                    lsn := setval('tickid.flushed_@number@',
                        coalesce(tickid.log_position_v1(false), unflushed));
                END IF;
                is_flushed := tickid.log_position_v1(true) >= lsn;
                IF target >= ready AND is_flushed IS NOT TRUE THEN
                    EXECUTE $flush$@flush@$flush$;
                    -- Nothing tells on a server without positions in its log.
                    is_flushed := coalesce(
                        lsn = unflushed OR tickid.log_position_v1(true) >= lsn, true);
                END IF;
                IF is_flushed THEN
                    ready := setval('tickid.ready_@number@', bound);
                END IF;
                why := 'the log is not flushed';
            END IF;
            drawn := CASE WHEN target < ready
                THEN setval('tickid.word_@number@', (target << @shift@) + @start@) END;
        END IF;
        RAISE SQLSTATE 'TKD00';
    EXCEPTION
        WHEN SQLSTATE 'TKD00' OR lock_not_available THEN NULL;
    END;
    IF drawn IS NULL THEN
        -- After the clock, others may take their time.
        IF wait > longest OR clock_timestamp() > began + make_interval(secs => longest + 5) THEN
            IF wait > longest AND wait < 'infinity' THEN
                advice := tickid.behind_v1(@number@, fresh, target - @allowance@,
                    pg_sequence_last_value('tickid.written_@number@') / 64);
            END IF;
            RAISE EXCEPTION 'no ID of the realm @realm@: %',
                coalesce(why, 'another session holds the lock of tickid.lock_@number@')
                USING ERRCODE = 'object_not_in_prerequisite_state', HINT = advice;
        END IF;
        -- A session that starts a tick needs some microseconds, unless it has lost the processor.
        -- Sessions that the clock wakes at the same time must not try again at the same time.
        IF attempt > 0 OR wait > 0 THEN
            PERFORM pg_sleep(least(0.05, greatest(wait, CASE WHEN attempt < 16 THEN 0.001
                ELSE 0.001 * (1 + (hashint4(pg_backend_pid() + attempt) & 31)) END)));
        END IF;
    END IF;
    RETURN drawn + @node@;
END
$body$;
$advance$ || $follow$
-- Returns the greatest ID up to which no more rows appear. `state` is what the last call returned.
CREATE OR REPLACE PROCEDURE tickid.follow_@number@(
    INOUT final pg_catalog.@type@, INOUT state text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    before jsonb := state;
    home CONSTANT bigint := tickid.home_v1('tickid.word_@number@');
    here CONSTANT oid := (SELECT d.oid FROM pg_database AS d
        WHERE d.datname = current_database());
    is_known CONSTANT boolean := (before -> 'home')::bigint IS NOT DISTINCT FROM home;
    is_drawer boolean := true;
    again pg_catalog.@type@;
    bound bigint;
    word bigint;
    open jsonb;
    settled bigint;
BEGIN
    -- The statement that reads the rows needs a newer snapshot than this one has.
    IF current_setting('transaction_isolation') NOT LIKE 'read %' THEN
        RAISE EXCEPTION 'a table can be followed only in transactions that are READ COMMITTED, '
            'and this one is %', upper(current_setting('transaction_isolation'))
            USING ERRCODE = 'active_sql_transaction';
    END IF;
    -- A state of another word, or none: nothing is known of the open transactions.
    IF NOT is_known THEN
        @moved@before := '{"word": -1, "open": {}}';
    END IF;
    @close@-- First the word. A lost one starts at the bound, read before as it may be raised.
    bound := pg_sequence_last_value('tickid.bound_@number@');
    SELECT CASE WHEN w.is_called THEN w.last_value ELSE (bound - 1) << @shift@ | @last_sequence@ END
    INTO word FROM tickid.word_@number@ AS w;
    IF NOT FOUND THEN
        PERFORM tickid.check_readable_v1('tickid.word_@number@');
    END IF;
    -- Draws from a full tick are no IDs.
    IF word & @guard@ <> 0 THEN
        word := word >> @shift@ << @shift@ | @last_sequence@;
    END IF;
    -- Then the transactions that have drawn and not ended, prepared ones included. A restart gives
    -- these other names, and the order of the words of two nodes is not known.
    SELECT coalesce(jsonb_object_agg(o.name, o.base), '{}'), least(word, min(o.base))
    INTO open, settled FROM (
        SELECT l.virtualtransaction AS name, min(coalesce(before -> 'open' -> l.virtualtransaction,
            CASE WHEN l.virtualtransaction LIKE '-1/%'
                OR l.relation IS DISTINCT FROM 'tickid.word_@number@'::regclass
                THEN '-1' ELSE before -> 'word' END)::bigint) AS base
        FROM pg_locks AS l
        WHERE l.locktype = 'relation' AND l.relation = ANY ('@words@'::regclass[])
            AND l.database = here AND l.mode = 'RowExclusiveLock'
            AND (is_drawer OR l.pid IS DISTINCT FROM pg_backend_pid())
            @planned@GROUP BY l.virtualtransaction
    ) AS o;
    state := jsonb_build_object('home', home, 'word', word, 'open', open);
    IF settled >= 0 THEN
        final := greatest(final, @settled@);
    END IF;
END
$body$;
$follow$ || $health$
-- What tickid.health says about the functions of a realm, by its record. As a draw and a follower
-- would find it, but reads the sequences as tables: pg_sequence_last_value, and pg_sequences by it,
-- would keep the lock of those who draw. Only tickid.health calls it, so its columns may change.
DROP FUNCTION IF EXISTS tickid.health_@number@;
CREATE FUNCTION tickid.health_@number@(
    realm_record jsonb, is_reserved boolean, OUT bound timestamptz, OUT ahead interval, OUT final text,
    OUT held_by text, OUT held_since timestamptz, OUT next_call text, OUT wait interval, OUT why text
)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    here CONSTANT oid := (SELECT d.oid FROM pg_database AS d
        WHERE d.datname = current_database());
    bound_tick bigint;
    word bigint;
    is_loaded boolean;
    paused bigint;
    is_copy boolean;
    micros bigint;
    now bigint;
    start bigint;
    is_full boolean;
    target bigint;
    seconds float8;
    settled bigint;
    holder integer;
BEGIN
    SELECT b.last_value INTO bound_tick FROM tickid.bound_@number@ AS b;
    bound := tickid.tick_time_v1(realm_record, bound_tick);
    ahead := bound - tickid.time_v1(tickid.clock_v1());
    next_call := 'fails';
    IF pg_is_in_recovery() THEN
        why := 'the server is a standby';
        RETURN;
    END IF;
    SELECT string_agg(h.name, ', ' ORDER BY h.since), min(h.since) INTO held_by, held_since
    FROM (
        SELECT DISTINCT coalesce('session ' || a.pid || coalesce(' ' || nullif(a.application_name,
                ''), ''), 'prepared transaction ' || p.gid, 'transaction ' || l.virtualtransaction)
                AS name, coalesce(a.xact_start, p.prepared) AS since
        FROM pg_locks AS l LEFT JOIN pg_stat_activity AS a USING (pid)
            LEFT JOIN pg_prepared_xacts AS p ON l.pid IS NULL AND p.transaction IN (
                SELECT t.transactionid FROM pg_locks AS t WHERE t.locktype = 'transactionid'
                    AND t.virtualtransaction = l.virtualtransaction)
        WHERE l.locktype = 'relation' AND l.relation = ANY ('@words@'::regclass[])
            AND l.database = here AND l.mode = 'RowExclusiveLock'
    ) AS h;
    BEGIN
        SELECT CASE WHEN w.is_called THEN w.last_value END INTO STRICT word
        FROM tickid.word_@number@ AS w;
        SELECT w.log_cnt = 0 AND (word IS NOT NULL OR w.is_called AND w.last_value % 64 = 1),
            CASE WHEN w.is_called THEN w.last_value / 64 END
        INTO STRICT is_loaded, paused FROM tickid.written_@number@ AS w;
    EXCEPTION
        WHEN no_data_found THEN
            why := 'the server cannot read the sequence tickid.word_@number@ since it was promoted or '
                'recovered: the statements of tickid sql make it anew';
            RETURN;
        WHEN OTHERS THEN
            why := sqlerrm;
            RETURN;
    END;
    settled := coalesce(word, (bound_tick - 1) << @shift@ | @last_sequence@);
    IF settled & @guard@ <> 0 THEN
        settled := settled >> @shift@ << @shift@ | @last_sequence@;
    END IF;
    final := CASE WHEN held_by IS NULL THEN (@settled@)::text END;
    -- Where the next draw looks first.
    @clock@now := @now@;
    start := word;
    SELECT h.last_value IS DISTINCT FROM tickid.home_v1('tickid.word_@number@') INTO is_copy
    FROM tickid.home_@number@ AS h;
    IF word IS NULL OR is_loaded OR is_copy THEN
        target := bound_tick;
        paused := 1;
        IF is_loaded OR is_copy OR (SELECT o.last_value FROM tickid.origin_@number@ AS o)
            IS DISTINCT FROM hashtextextended(tickid.generation_v1(), 0)
        THEN
            target := greatest(bound_tick, coalesce(word >> @shift@, 0), now + CASE
                WHEN is_copy AND NOT is_loaded AND @copies_apart@ THEN 0
                ELSE @skew@ + @allowance@ + 1 END);
            paused := target;
        END IF;
        start := greatest(coalesce(word, 0), (target - 1) << @shift@ | @last_sequence@);
    END IF;
    is_full := start & @below_tick@ >= @last_sequence@;
    target := greatest(now, (start >> @shift@) + is_full::integer);
    seconds := greatest(0, (target - now - @allowance@) * @micros_per_tick@ / 1e6);
    IF target > @last_tick@ THEN
        why := 'the scheme ends with tick @last_tick@';
    ELSIF NOT is_reserved
        AND (word IS NULL OR is_loaded OR is_copy OR target + @ahead@ / 2 >= bound_tick)
    THEN
        why := 'no node is reserved for the realm @realm@ in this database';
    ELSIF seconds > @longest@ THEN
        why := format('the clock is %s s behind the next ID. %s', seconds::numeric(20, 3),
            tickid.behind_v1(@number@, CASE WHEN is_full THEN target END, target - @allowance@,
                paused));
    ELSE
        -- For microseconds, this is any session that starts a tick.
        holder := (SELECT min(l.pid) FROM pg_locks AS l
            WHERE l.locktype = 'relation' AND l.relation = 'tickid.lock_@number@'::regclass
                AND l.database = here AND l.granted AND l.pid <> pg_backend_pid() AND l.mode NOT IN
                    ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock'));
        why := CASE WHEN holder IS NOT NULL
            THEN format('the session %s holds the lock of tickid.lock_@number@', holder)
            WHEN seconds > 0 THEN format('the clock is %s s behind the next ID',
                seconds::numeric(20, 3)) END;
        next_call := CASE WHEN why IS NULL THEN 'draws' ELSE 'waits' END;
        wait := CASE WHEN seconds > 0 THEN make_interval(secs => seconds) END;
    END IF;
END
$body$;
$health$;
    name text;
    value text;
    number_of text := number::text;
BEGIN
    FOR name, value IN SELECT c.key, c.value FROM jsonb_each_text(constants) AS c LOOP
        code := replace(code, '@' || name || '@', value);
    END LOOP;
    EXECUTE replace(code, '@number@', number_of);
    EXECUTE format('REVOKE ALL ON FUNCTION tickid.advance_%s(integer, timestamptz) FROM PUBLIC',
        number_of);
END
$create$;

-- A row for each realm that has functions: how they are, what a call of `follow` without a state
-- would return, and what the next draw would do. Draws nothing, writes nothing, and holds no follower
-- back. For the owner of the functions and superusers. People call it, so its columns may change: then
-- it is made anew, and a view that uses it is an error which names that.
DO $do$
DECLARE
    code CONSTANT text := $code$
CREATE OR REPLACE FUNCTION tickid.health() RETURNS TABLE (
    realm text, scheme text, node text, earlier_nodes bigint, reserved_from timestamptz,
    is_reserved boolean, bound timestamptz, ahead interval, final text, held_by text,
    held_since timestamptz, next_call text, wait interval, why text
)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number integer;
    record jsonb;
    answer jsonb;
BEGIN
    FOR number, record, realm, scheme, node, earlier_nodes, reserved_from, is_reserved IN
        SELECT DISTINCT ON (g.realm) g.number, r.record, g.realm, r.record ->> 'scheme',
            g.data ->> 'node', (SELECT count(*) FROM tickid.generator AS e
                WHERE e.realm = g.realm AND e.number < g.number),
            tickid.tick_time_v1(r.record, (g.data ->> 'floor')::numeric),
            EXISTS (SELECT FROM tickid.node AS n WHERE n.realm = g.realm AND n.node = g.node
                AND n.data @> '{"reserved": true}')
        FROM tickid.generator AS g JOIN tickid.realm AS r ON r.name = g.realm
        WHERE to_regproc('tickid.health_' || g.number) IS NOT NULL
        ORDER BY g.realm, g.number DESC
    LOOP
        -- By name, as a realm whose statements are those of another release has other columns.
        EXECUTE format('SELECT to_jsonb(h) FROM tickid.health_%s(%L, %L) AS h', number, record,
            is_reserved) INTO answer;
        SELECT h.* INTO bound, ahead, final, held_by, held_since, next_call, wait, why
        FROM jsonb_to_record(answer) AS h (
            bound timestamptz, ahead interval, final text, held_by text, held_since timestamptz,
            next_call text, wait interval, why text
        );
        RETURN NEXT;
    END LOOP;
END
$$
$code$;
BEGIN
    EXECUTE code;
EXCEPTION
    WHEN invalid_function_definition THEN
        DROP FUNCTION tickid.health();
        EXECUTE code;
END
$do$;

-- Returns the tick that all IDs of a realm's earlier nodes are below; null if there is none.
CREATE OR REPLACE FUNCTION tickid.ahead_v1(realm_name text, id integer) RETURNS bigint
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
RETURN (SELECT max(pg_sequence_last_value(to_regclass('tickid.bound_' || g.number)))
    FROM tickid.generator AS g WHERE g.realm = realm_name AND g.number < id);

-- Facts of the words and IDs of a node: its value and the bits of its fields; what a word lacks of an
-- ID, if no more than the node (`in_word`); and expressions: the ID of `word` after the statement
-- `convert`, the `final` of the word %s, and whether `final` is of this node.
CREATE OR REPLACE FUNCTION tickid.node_facts_v1(
    record jsonb, node text, OUT value bigint, OUT bits integer, OUT drift integer,
    OUT shift integer, OUT sequence_bits integer, OUT in_word bigint, OUT convert text,
    OUT of_word text, OUT followed text, OUT is_own text
) LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    scheme CONSTANT text := record ->> 'scheme';
    layout CONSTANT text := record ->> 'settings';
    sequence_shift integer;
BEGIN
    value := split_part(node, '/', 1);
    bits := split_part(node, '/', 2);
    drift := CASE scheme WHEN 'kuid' THEN split_part(layout, ' ', 2) END;
    SELECT s.shift, s.sequence_bits INTO shift, sequence_bits FROM (VALUES
        ('nanoflake', ${nanoflake_shift}, ${nanoflake_sequence}),
        ('scru64', ${scru64_shift}, ${scru64_shift} - bits),
        ('kuid', ${kuid_word}, ${kuid_c}),
        -- Without the bit of tick-tock.
        ('sno', ${sno_shift} - 1, ${sno_sequence}),
        ('snowflake', 63 - tickid.layout_bits_v1(layout, 'x'), tickid.layout_bits_v1(layout, 's'))
    ) AS s (scheme, shift, sequence_bits) WHERE s.scheme = record ->> 'scheme';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there are no functions for IDs of the scheme %', scheme
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    sequence_shift := CASE WHEN layout ~ '/[0-9]+s/[0-9]+n' THEN bits ELSE 0 END;
    in_word := CASE WHEN scheme IN ('nanoflake', 'scru64') THEN value << sequence_bits ELSE 0 END;
    -- Only functions of variables are inlined.
    convert := CASE WHEN scheme = 'kuid' AND bits > 0 AND drift <> 8
        THEN 'word := tickid.kuid_local_v1(word);' || chr(10) ELSE '' END;
    of_word := CASE
        WHEN scheme = 'sno' THEN format('tickid.sno_v1(word, %L)', substr(int8send(value), 6))
        WHEN scheme = 'kuid' AND bits > 0 AND drift <> 8
            THEN format('tickid.kuid_global_v1(word, %s, %s)', value, drift)
        WHEN scheme = 'kuid' AND bits > 0
            THEN format('tickid.kuid_drift_8_v1(tickid.kuid_local_v1(word), %L)',
                substr(int8send(value), 5))
        WHEN scheme = 'kuid' THEN 'tickid.kuid_local_v1(word)'
        WHEN scheme = 'snowflake' THEN format('tickid.snowflake_v1(word, %s, %s, %s, %s, %s)',
            shift, bits + sequence_bits, (1::bigint << sequence_bits) - 1, sequence_shift,
            value << CASE sequence_shift WHEN 0 THEN sequence_bits ELSE 0 END)
        ELSE 'word' END;
    -- IDs of a tick of sno sort by metabyte first: all IDs of the ticks before. Their bit of
    -- tick-tock is zero, so that the partition below that of `final` is free to be the node's.
    --     int8send((settled >> 24 << 25) - 65536 + 65535) || decode('ffff', 'hex')
    followed := CASE
        WHEN scheme = 'sno' THEN format($id$int8send((%%s >> %s << %s) - 65536 + %s)
            || decode('ffff', 'hex')$id$, shift, shift + 1, value)
        WHEN convert <> '' THEN replace(of_word, 'word', 'tickid.kuid_local_v1(%s)')
        ELSE replace(of_word, 'word', format('(%%s + %s)', in_word)) END;
    is_own := CASE
        WHEN scheme = 'sno'
            THEN format('substring(final FROM 7 FOR 2) = %L', substr(int8send(value), 7))
        WHEN scheme = 'kuid' AND bits = 0 THEN 'true'
        WHEN scheme = 'kuid' THEN format('CASE length(final) WHEN 12 THEN final = '
            'tickid.kuid_global_v1(tickid.kuid_to_local_v1(final, %1$s), %2$s, %1$s) END',
            drift, value)
        ELSE format('final >> %s & %s = %s', CASE sequence_shift WHEN 0 THEN sequence_bits
            ELSE 0 END, (1::bigint << bits) - 1, value) END;
END
$$;

-- Returns an expression of `final`: null if a follower may go on after it without a state of the
-- present word. Otherwise `final` is of an earlier node, and not below the first ID of every node
-- since, and the expression is the greatest ID that is. Null if there was one node only.
CREATE OR REPLACE FUNCTION tickid.again_v1(
    realm_name text, realm_record jsonb, id integer, type text
) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    cases text := '';
    number integer;
    node text;
    first bigint;
    facts record;
    lowest text;
    below text;
    start text;
    before text;
    is_lowest boolean;
BEGIN
    FOR number, node, first IN
        SELECT g.number, g.data ->> 'node', s.seqstart
        FROM tickid.generator AS g
        JOIN pg_sequence AS s ON s.seqrelid = to_regclass('tickid.bound_' || g.number)
        WHERE g.realm = realm_name AND g.number <= id ORDER BY g.number DESC
    LOOP
        facts := tickid.node_facts_v1(realm_record, node);
        IF lowest IS NOT NULL THEN
            cases := cases || format('WHEN %s THEN CASE WHEN final >= %L THEN %L::%s END ',
                facts.is_own, lowest, below, type);
        END IF;
        start := CASE facts.convert
            WHEN '' THEN replace(facts.of_word, 'word', (first << facts.shift | facts.in_word)::text
                || '::bigint')
            ELSE replace(facts.of_word, 'word',
                format('tickid.kuid_local_v1(%s)', first << facts.shift)) END;
        before := format(facts.followed, CASE realm_record ->> 'scheme'
            WHEN 'sno' THEN first << facts.shift
            ELSE (first - 1) << facts.shift | (1 << facts.sequence_bits) - 1 END || '::bigint');
        EXECUTE format('SELECT (%1$s)::text, (%2$s)::text, coalesce((%1$s) < %3$L::%4$s, true)',
            start, before, lowest, type) INTO start, before, is_lowest;
        IF is_lowest THEN
            lowest := start;
            below := before;
        END IF;
    END LOOP;
    RETURN 'CASE ' || nullif(cases, '') || 'END';
END
$$;

-- Creates the functions of a realm, or anew those that exist, for the node that they have or for
-- another one. With `copies_apart`, IDs of copies of the database never meet the original's. The
-- other arguments are lock_realm_v1's.
CREATE OR REPLACE FUNCTION tickid.create_functions_v1(
    realm_name text, fresh jsonb, immediately boolean, another_node boolean, copies_apart boolean
) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    record jsonb;
    scheme text;
    period bigint;
    micros_per_tick bigint;
    ticks_per_period bigint;
    epoch bigint;
    id integer;
    number integer;
    is_new boolean;
    key text;
    node text;
    floor numeric;
    bits integer;
    facts record;
    type text;
    shift integer;
    sequence_bits integer;
    guard_bits integer;
    in_word bigint;
    clock text;
    now text;
    now_qualified text;
    whole_bits integer;
    again text;
    words text;
    first bigint;
    ahead bigint;
    now_tick bigint;
BEGIN
    IF another_node AND NOT EXISTS (SELECT FROM tickid.generator AS g WHERE g.realm = realm_name) THEN
        RAISE EXCEPTION 'the realm % has no functions in this database that could move to another node',
            realm_name USING ERRCODE = 'undefined_object',
                HINT = 'If its name is right, tickid sql without --another-node creates them.';
    END IF;
    record := tickid.lock_realm_v1(realm_name, fresh,
        -- Of a record, in realms of one name.
        '{${fixed_fields}}', immediately);
    epoch := record ->> 'epoch_micros';
    period := record ->> 'period_micros';
    micros_per_tick := record ->> 'micros_per_tick';
    ticks_per_period := (period - 1) / micros_per_tick + 1;
    PERFORM tickid.restore_reserved_v1(realm_name);
    id := (SELECT max(g.number) FROM tickid.generator AS g WHERE g.realm = realm_name);
    -- The table may have come from another database, without the functions.
    IF id IS NULL OR another_node OR to_regclass('tickid.word_' || id) IS NULL THEN
        id := (SELECT coalesce(max(g.number), 0) + 1 FROM tickid.generator AS g);
        -- Those of a dump without data stay unused.
        WHILE to_regclass('tickid.word_' || id) IS NOT NULL LOOP
            id := id + 1;
        END LOOP;
        -- The functions use all sequences of a node. Local kuids have the empty one.
        whole_bits := CASE record ->> 'scheme'
            WHEN 'nanoflake' THEN ${nanoflake_node}
            WHEN 'kuid' THEN CASE record -> 'parts' #>> '{0,nodes}' WHEN '0/0' THEN 0
                ELSE ${kuid_node} END
            WHEN 'sno' THEN ${sno_node}
            WHEN 'snowflake' THEN tickid.layout_bits_v1(record ->> 'settings', 'n') END;
        floor := (SELECT r.floor FROM tickid.reserve_v1(realm_name, record, id, whole_bits) AS r);
        -- A node that follows another one starts at the clock's time. If the one before is no
        -- further ahead than it can be by itself, IDs go on beyond its own.
        first := greatest(floor, 1);
        ahead := tickid.ahead_v1(realm_name, id);
        IF ahead IS NOT NULL THEN
            now_tick := (tickid.clock_v1() - epoch) / period * ticks_per_period
                + (tickid.clock_v1() - epoch) % period / micros_per_tick;
            first := greatest(first, now_tick, CASE WHEN ahead <= now_tick
                + (record -> 'allowance')::bigint + greatest(2, 1000000 / micros_per_tick) + 1
                THEN ahead END);
        END IF;
        EXECUTE replace(replace('CREATE VIEW tickid.lock_N AS SELECT;
            CREATE SEQUENCE tickid.bound_N MINVALUE 0 START @first@;
            CREATE SEQUENCE tickid.home_N MINVALUE -9223372036854775808;
            CREATE SEQUENCE tickid.origin_N MINVALUE -9223372036854775808;
            REVOKE ALL ON tickid.lock_N, tickid.bound_N, tickid.home_N, tickid.origin_N FROM PUBLIC',
            '_N', '_' || id), '@first@', first::text);
        PERFORM setval('tickid.bound_' || id, first);
    END IF;
    -- Dumps also read the words of earlier nodes.
    FOR number IN SELECT g.number FROM tickid.generator AS g
        WHERE g.realm = realm_name AND to_regclass('tickid.bound_' || g.number) IS NOT NULL
    LOOP
        is_new := to_regclass('tickid.word_' || number) IS NULL;
        CONTINUE WHEN NOT is_new AND tickid.is_readable_v1(to_regclass('tickid.word_' || number));
        EXECUTE replace('DROP SEQUENCE IF EXISTS tickid.word_N, tickid.written_N, tickid.ready_N,
                tickid.flushed_N;
            CREATE UNLOGGED SEQUENCE tickid.word_N MINVALUE 0 CACHE 1;
            CREATE SEQUENCE tickid.written_N;
            CREATE UNLOGGED SEQUENCE tickid.ready_N MINVALUE 0;
            CREATE UNLOGGED SEQUENCE tickid.flushed_N MINVALUE 0;
            REVOKE ALL ON tickid.word_N, tickid.written_N, tickid.ready_N, tickid.flushed_N
                FROM PUBLIC', '_N', '_' || number);
        -- As after a pause, so that a crash does not hide that a dump from before the first draw was
        -- loaded.
        PERFORM setval('tickid.written_' || number, 64), nextval('tickid.written_' || number);
        -- At home, so that it is no copy that may stay apart. Without an origin, a word that was
        -- unreadable pauses.
        PERFORM setval('tickid.home_' || number,
                tickid.home_v1(('tickid.word_' || number)::regclass)),
            setval('tickid.origin_' || number, hashtextextended(tickid.generation_v1(), 0), is_new);
    END LOOP;
    SELECT g.node, g.data ->> 'node' INTO key, node FROM tickid.generator AS g
    WHERE g.number = id;
    scheme := record ->> 'scheme';
    facts := tickid.node_facts_v1(record, node);
    bits := facts.bits;
    shift := facts.shift;
    sequence_bits := facts.sequence_bits;
    in_word := facts.in_word;
    guard_bits := shift - sequence_bits;
    -- All of a draw is prepared anew in each transaction: the fewer operators, the better. They are
    -- qualified and have one precedence: hence all parentheses. Only ticks that start anew with
    -- each second, as if it were a whole number of ticks, need the clock twice.
    clock := CASE WHEN ticks_per_period = 1 THEN ''
        ELSE 'micros := tickid.clock_v1();' || chr(10) END;
    now := CASE WHEN clock = '' THEN 'tickid.clock_v1()' ELSE 'micros' END;
    now := CASE WHEN epoch = 0 THEN now ELSE format('(%s - (%s))', now, epoch) END;
    now := format(CASE WHEN clock = '' THEN '%1$s / %4$s'
        ELSE '(%1$s + ((%1$s / %2$s) * %3$s)) / %4$s' END,
        now, period, ticks_per_period * micros_per_tick - period, micros_per_tick);
    now_qualified := regexp_replace(now, ' ([-+*/%]) ', ' OPERATOR(pg_catalog.\1) ', 'g');
    -- Of all nodes that the functions have had here.
    words := (SELECT array_agg('tickid.word_' || g.number) FROM tickid.generator AS g
        WHERE g.realm = realm_name AND to_regclass('tickid.word_' || g.number) IS NOT NULL);
    type := CASE WHEN scheme = 'sno' OR scheme = 'kuid' AND bits > 0 THEN 'bytea' ELSE 'int8' END;
    again := tickid.again_v1(realm_name, record, id, type);
    PERFORM tickid.create_draw_v1(id, scheme, jsonb_build_object(
        'realm', realm_name,
        'node_key', key,
        'type', type,
        'convert', facts.convert,
        'id', facts.of_word,
        'node', in_word,
        'node_in_guard', in_word >> sequence_bits,
        'with_node', CASE WHEN in_word > 0 THEN format(' OPERATOR(pg_catalog.+) %s', in_word)
            ELSE '' END,
        'shift', shift,
        'sequence_bits', sequence_bits,
        'guard_bits', guard_bits,
        'below_tick', (1::bigint << shift) - 1,
        'last_sequence', (1 << sequence_bits) - 1,
        'guard', (1::bigint << shift) - (1 << sequence_bits),
        -- A guard bit leaves half of the sequences or more. Large counters of SCRU64 need none.
        'start', CASE record ->> 'start' WHEN 'random'
            THEN format('floor(random() * %s)::bigint', 1 << sequence_bits
                - (scheme <> 'scru64' OR bits >= ${scru64_guarded})::integer) ELSE '0' END,
        'allowance', record -> 'allowance',
        'skew', ((record ->> 'skew_micros')::bigint + micros_per_tick - 1) / micros_per_tick,
        'copies_apart', copies_apart,
        'longest', ((record ->> 'skew_micros')::bigint + 2 * least(micros_per_tick, 1000000))
            / 1e6,
        'ahead', greatest(2, 1000000 / micros_per_tick),
        -- Flushes the log. Before PostgreSQL 17 no function can, but the truncation of a table with
        -- a free space map (of more than four pages) does; the table is undone with the lock.
        'flush', CASE WHEN current_setting('server_version_num')::integer >= 170000
            THEN $flush$SELECT pg_logical_emit_message(false, 'tickid', '', true)$flush$
            ELSE replace('CREATE TABLE tickid.flush_N (filler text)
                            USING heap WITH (fillfactor = 10);
                        INSERT INTO tickid.flush_N SELECT repeat($x$ $x$, 700)
                            FROM generate_series(1, 8);
                        TRUNCATE tickid.flush_N', '_N', '_' || id) END,
        'micros_per_tick', micros_per_tick,
        'last_tick', (record ->> 'end')::numeric - 1,
        'clock', clock,
        'now', now,
        'now_qualified', now_qualified,
        'words', words,
        -- After a move from the node 777 to 776, without the error:
        --     again := CASE WHEN final >> 12 & 1023 = 777
        --         THEN CASE WHEN final >= '1576251996450619392' THEN '1576251996446429183'::int8 END
        --     END;
        'moved', CASE WHEN again IS NULL THEN '' ELSE format($moved$again := %s;
        IF again IS NOT NULL THEN
            RAISE EXCEPTION 'the functions of the realm %s have moved to a node whose IDs start '
                'below %%', final
                USING ERRCODE = 'object_not_in_prerequisite_state',
                    HINT = format('Start again after %%s.', again);
        END IF;
        $moved$, again, realm_name) END,
        -- A plan from before the move draws from the earlier node.
        'planned', CASE WHEN again IS NULL THEN '' ELSE $planned$OR l.locktype = 'virtualxid'
            AND (NOT is_known OR before -> 'open' ->> l.virtualtransaction = '-1')
            AND l.pid IN (SELECT a.pid FROM pg_stat_activity AS a WHERE a.datid = here
                AND a.usesysid IS NOT NULL AND a.pid <> pg_backend_pid())
        $planned$ END,
        'settled', format(facts.followed, 'settled'),
        -- The last tick of sno is over when another has started. The draw makes its transaction one
        -- that draws, whose IDs count only if it was one before.
        --     is_drawer := EXISTS (
        --         SELECT FROM pg_locks AS l
        --         WHERE l.locktype = 'relation' AND l.relation = ANY ('{tickid.word_5}'::regclass[])
        --             AND l.database = here AND l.mode = 'RowExclusiveLock'
        --             AND l.pid = pg_backend_pid()
        --     );
        --     PERFORM tickid.draw_5();
        'close', CASE scheme WHEN 'sno' THEN format($close$is_drawer := EXISTS (
        SELECT FROM pg_locks AS l
        WHERE l.locktype = 'relation' AND l.relation = ANY (%L::regclass[])
            AND l.database = here AND l.mode = 'RowExclusiveLock'
            AND l.pid = pg_backend_pid()
    );
    PERFORM tickid.draw_%s();
    $close$, words, id) ELSE '' END
    ));
    PERFORM tickid.create_public_v1();
END
$$;

-- The facts of a Snowflake's layout: epoch and unit in microseconds, the last tick and its place,
-- the bits that are not used, and the place and the maximum of node and sequence.
CREATE OR REPLACE FUNCTION tickid.snowflake_facts_v1(record jsonb) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    layout text := record ->> 'settings';
    micros_per_tick bigint := record ->> 'micros_per_tick';
    time_bits integer := tickid.layout_bits_v1(layout, 'x');
    node_bits integer := tickid.layout_bits_v1(layout, 'n');
    sequence_bits integer := tickid.layout_bits_v1(layout, 's');
    shift integer := node_bits + sequence_bits;
    is_node_lowest boolean := layout ~ '/[0-9]+s/[0-9]+n';
BEGIN
    RETURN ARRAY[(record ->> 'epoch_micros')::bigint, micros_per_tick,
        -- Up to the last time that tick_at_v1 reads.
        least((1::bigint << time_bits) - 1, 6200000000000000000 / micros_per_tick), shift,
        CASE WHEN time_bits + shift = 64 THEN 0 ELSE -1::bigint << time_bits + shift END,
        CASE WHEN is_node_lowest THEN 0 ELSE sequence_bits END, (1 << node_bits) - 1,
        CASE WHEN is_node_lowest THEN node_bits ELSE 0 END, (1 << sequence_bits) - 1];
END
$$;

-- Creates the routines that lead from the name of a realm to its own. Functions are inlined, and
-- for a constant name the planner leaves of the cases one. For one realm of Nanoflake, these are
--
--     CREATE OR REPLACE FUNCTION tickid.nanoflake(realm text) RETURNS bigint
--     LANGUAGE sql VOLATILE PARALLEL UNSAFE
--     RETURN CASE WHEN false THEN NULL WHEN realm = 'shop' THEN tickid.draw_1()
--         ELSE (tickid.no_realm_v1('nanoflake', realm)) END
--
-- and likewise nanoflake_layout_v1, with the realm's epoch, 1420070400000000, in the place of the
-- draw, and nanoflake_follow, with CALL tickid.follow_1(final, state).
CREATE OR REPLACE FUNCTION tickid.create_public_v1() RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    called text;
    kind text;
    type text;
    facts text;
    cases text;
    layouts text;
    follows text;
BEGIN
    FOR called, kind, type IN VALUES ('nanoflake', 'nanoflake', 'bigint'),
        ('scru64', 'scru64', 'bigint'), ('sno', 'sno', 'bytea'), ('kuid', 'kuid', 'bytea'),
        ('kuid_local', 'kuid', 'bigint'), ('snowflake', 'snowflake', 'bigint')
    LOOP
        facts := CASE called WHEN 'snowflake' THEN 'bigint[]' ELSE 'bigint' END;
        SELECT coalesce(string_agg(format('WHEN realm = %L THEN tickid.draw_%s() ', g.realm,
                g.number), '' ORDER BY g.number), ''),
            coalesce(string_agg(format('WHEN realm = %L THEN %s ', g.realm, CASE called
                WHEN 'kuid' THEN split_part(r.record ->> 'settings', ' ', 2)
                WHEN 'snowflake' THEN format('%L::bigint[]', tickid.snowflake_facts_v1(r.record))
                ELSE r.record ->> 'epoch_micros' END), '' ORDER BY g.number), ''),
            coalesce(string_agg(format('WHEN realm = %L THEN CALL tickid.follow_%s(final, state); ',
                g.realm, g.number), '' ORDER BY g.number)
                FILTER (WHERE to_regproc('tickid.follow_' || g.number) IS NOT NULL), '')
        INTO cases, layouts, follows
        FROM tickid.generator AS g JOIN tickid.realm AS r ON r.name = g.realm
        WHERE r.record ->> 'scheme' = kind
            AND g.number = (
                SELECT max(own.number) FROM tickid.generator AS own
                WHERE own.realm = g.realm AND to_regproc('tickid.draw_' || own.number) IS NOT NULL
            )
            AND (kind <> 'kuid'
                OR (split_part(g.data ->> 'node', '/', 2) = '0') = (called = 'kuid_local'));
        EXECUTE format('CREATE OR REPLACE FUNCTION tickid.%I(realm text) RETURNS %s
            LANGUAGE sql VOLATILE PARALLEL UNSAFE
            RETURN CASE WHEN false THEN NULL %sELSE %s(tickid.no_realm_v1(%L, realm)) END', called,
            type, cases, CASE type WHEN 'bytea' THEN 'int8send' END, called);
        EXECUTE format('CREATE OR REPLACE FUNCTION tickid.%I(realm text) RETURNS %s
            LANGUAGE sql IMMUTABLE PARALLEL SAFE
            RETURN CASE WHEN false THEN NULL::%s %sELSE %s END', called || '_layout_v1', facts,
            facts, layouts, format(CASE facts WHEN 'bigint[]' THEN 'ARRAY[%s]' ELSE '%s' END,
                format('tickid.no_realm_v1(%L, realm)', called)));
        EXECUTE format('CREATE OR REPLACE PROCEDURE tickid.%I(
                realm text, INOUT final %s, INOUT state text DEFAULT NULL)
            LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
            BEGIN
                CASE WHEN false THEN NULL; %sELSE PERFORM tickid.no_realm_v1(%L, realm); END CASE;
            END $body$', called || '_follow', type, follows, called);
    END LOOP;
END
$$;

DO $$ BEGIN PERFORM tickid.create_public_v1(); END $$;

----------------------------------------------------------------------------------------------------
-- Forms and ranges, by realm.

CREATE OR REPLACE FUNCTION tickid.nanoflake_next_text(realm text) RETURNS text
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN tickid.base36_v1(tickid.nanoflake(realm), 13);

CREATE OR REPLACE FUNCTION tickid.nanoflake_bytes(realm text) RETURNS bytea
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN int8send(tickid.nanoflake(realm));

CREATE OR REPLACE FUNCTION tickid.scru64_next_text(realm text) RETURNS text
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN tickid.scru64_encode(tickid.scru64(realm));

CREATE OR REPLACE FUNCTION tickid.scru64_bytes(realm text) RETURNS bytea
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN int8send(tickid.scru64(realm));

CREATE OR REPLACE FUNCTION tickid.kuid_next_text(realm text) RETURNS text
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN tickid.kuid_encode(tickid.kuid(realm));

CREATE OR REPLACE FUNCTION tickid.kuid_local_next_text(realm text) RETURNS text
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN tickid.kuid_local_encode(tickid.kuid_local(realm));

CREATE OR REPLACE FUNCTION tickid.kuid_local_bytes(realm text) RETURNS bytea
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN int8send(tickid.kuid_local(realm));

CREATE OR REPLACE FUNCTION tickid.sno(realm text, meta integer) RETURNS bytea
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN set_byte(tickid.sno(realm), 5, CASE WHEN meta BETWEEN 0 AND 255 THEN meta
    ELSE tickid.no_meta_v1(meta) END);

CREATE OR REPLACE FUNCTION tickid.sno_next_text(realm text, meta integer DEFAULT 0) RETURNS text
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN tickid.sno_encode(tickid.sno(realm, meta));

CREATE OR REPLACE FUNCTION tickid.nanoflake_tick_v1(realm text, at timestamptz, is_up boolean)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.tick_at_v1('Nanoflake', at, is_up, tickid.nanoflake_layout_v1(realm),
    ${nanoflake_ticks});

CREATE OR REPLACE FUNCTION tickid.nanoflake_min(realm text, at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.nanoflake_tick_v1(realm, at, true) << ${nanoflake_shift};

CREATE OR REPLACE FUNCTION tickid.nanoflake_max(realm text, at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.nanoflake_tick_v1(realm, at, false) << ${nanoflake_shift}
    | (1 << ${nanoflake_shift}) - 1;

CREATE OR REPLACE FUNCTION tickid.nanoflake_time(realm text, id bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN id >= 0 THEN tickid.time_v1(tickid.nanoflake_layout_v1(realm)
        + (id >> ${nanoflake_shift}) * ${nanoflake_micros})
    WHEN id IS NOT NULL THEN tickid.time_v1(tickid.no_id_v1('Nanoflake', id::text)) END;

CREATE OR REPLACE FUNCTION tickid.scru64_tick_v1(realm text, at timestamptz, is_up boolean)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.tick_at_v1('SCRU64', at, is_up, tickid.scru64_layout_v1(realm),
    ${scru64_ticks});

CREATE OR REPLACE FUNCTION tickid.scru64_min(realm text, at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.scru64_tick_v1(realm, at, true) << ${scru64_shift};

CREATE OR REPLACE FUNCTION tickid.scru64_max(realm text, at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.scru64_tick_v1(realm, at, false) << ${scru64_shift}
    | (1 << ${scru64_shift}) - 1;

CREATE OR REPLACE FUNCTION tickid.scru64_time(realm text, id bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN id BETWEEN 0 AND ${scru64_max}
        THEN tickid.time_v1(tickid.scru64_layout_v1(realm)
            + (id >> ${scru64_shift}) * ${scru64_micros})
    WHEN id IS NOT NULL THEN tickid.time_v1(tickid.no_id_v1('SCRU64', id::text)) END;

-- Of more ticks than a word has.
CREATE OR REPLACE FUNCTION tickid.kuid_tick_v1(epoch bigint, at timestamptz, is_up boolean)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.tick_at_v1('kuid', at, is_up, epoch, ${kuid_ticks});

CREATE OR REPLACE FUNCTION tickid.kuid_local_min(realm text, at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.kuid_lowest_v1(tickid.kuid_tick_v1(tickid.kuid_local_layout_v1(realm), at, true));

CREATE OR REPLACE FUNCTION tickid.kuid_local_max(realm text, at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.kuid_lowest_v1(tickid.kuid_tick_v1(tickid.kuid_local_layout_v1(realm), at, false))
    | (1 << ${kuid_c}) - 1;

CREATE OR REPLACE FUNCTION tickid.kuid_local_time(realm text, id bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN tickid.kuid_local_layout_v1(realm) = 0 THEN tickid.kuid_local_time_v1(id) END;

CREATE OR REPLACE FUNCTION tickid.kuid_min(realm text, at timestamptz) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.kuid_global_v1(tickid.kuid_lowest_v1(tickid.kuid_tick_v1(0, at, true)), 0,
    tickid.kuid_layout_v1(realm)::integer);

CREATE OR REPLACE FUNCTION tickid.kuid_max(realm text, at timestamptz) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.kuid_global_v1(tickid.kuid_lowest_v1(tickid.kuid_tick_v1(0, at, false))
    | (1 << ${kuid_c}) - 1, 4294967295, tickid.kuid_layout_v1(realm)::integer);

CREATE OR REPLACE FUNCTION tickid.kuid_time(realm text, id bytea) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN length(id) = 12 THEN tickid.kuid_local_time_v1(
        tickid.kuid_to_local_v1(id, tickid.kuid_layout_v1(realm)::integer))
    WHEN id IS NOT NULL THEN tickid.time_v1(tickid.no_id_v1('kuid', encode(id, 'hex'))) END;

CREATE OR REPLACE FUNCTION tickid.sno_tick_v1(realm text, at timestamptz, is_up boolean)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.tick_at_v1('sno', at, is_up, tickid.sno_layout_v1(realm), ${sno_ticks});

CREATE OR REPLACE FUNCTION tickid.sno_min(realm text, at timestamptz) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN int8send(tickid.sno_tick_v1(realm, at, true) << ${sno_shift}) || decode('0000', 'hex');

CREATE OR REPLACE FUNCTION tickid.sno_max(realm text, at timestamptz) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN int8send((tickid.sno_tick_v1(realm, at, false) << ${sno_shift})
    + (1 << ${sno_shift}) - 1) || decode('ffff', 'hex');

CREATE OR REPLACE FUNCTION tickid.sno_time(realm text, id bytea) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN length(id) = 10 THEN tickid.time_v1(tickid.sno_layout_v1(realm)
        + (tickid.int8_v1(substring(id FROM 1 FOR 8)) >> ${sno_shift} & ${sno_last})
            * ${sno_micros})
    WHEN id IS NOT NULL THEN tickid.time_v1(tickid.no_id_v1('sno', encode(id, 'hex'))) END;

CREATE OR REPLACE FUNCTION tickid.snowflake_bytes(realm text) RETURNS bytea
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN int8send(tickid.snowflake(realm));

-- The decimal text, of which a bigint shows half of 64 bits as negative.
CREATE OR REPLACE FUNCTION tickid.snowflake_encode(id bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (CASE WHEN id < 0 THEN id::numeric + 18446744073709551616 ELSE id END)::text;

CREATE OR REPLACE FUNCTION tickid.snowflake_decode(id text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN id !~ '^(0|[1-9][0-9]{0,19})$' OR id::numeric >= 18446744073709551616
        THEN tickid.no_id_v1('Snowflake', id)
    WHEN id::numeric >= 9223372036854775808 THEN (id::numeric - 18446744073709551616)::bigint
    ELSE id::bigint END;

CREATE OR REPLACE FUNCTION tickid.snowflake_tick_v1(realm text, at timestamptz, is_up boolean)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.tick_at_v1('Snowflake', at, is_up, (tickid.snowflake_layout_v1(realm))[1],
    (tickid.snowflake_layout_v1(realm))[2], 1, (tickid.snowflake_layout_v1(realm))[2],
    (tickid.snowflake_layout_v1(realm))[3]);

CREATE OR REPLACE FUNCTION tickid.snowflake_min(realm text, at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.snowflake_tick_v1(realm, at, true)
    << (tickid.snowflake_layout_v1(realm))[4]::integer;

CREATE OR REPLACE FUNCTION tickid.snowflake_max(realm text, at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.snowflake_tick_v1(realm, at, false)
        << (tickid.snowflake_layout_v1(realm))[4]::integer
    | (1::bigint << (tickid.snowflake_layout_v1(realm))[4]::integer) - 1;

-- The bits of a field; an error for an ID with bits that its layout does not use.
CREATE OR REPLACE FUNCTION tickid.snowflake_field_v1(
    layout bigint[], id bigint, shift bigint, max bigint
) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN id & layout[5] <> 0 THEN tickid.no_id_v1('Snowflake', id::text)
    ELSE id >> shift::integer & max END;

CREATE OR REPLACE FUNCTION tickid.snowflake_time(realm text, id bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.time_v1((tickid.snowflake_layout_v1(realm))[1] + tickid.snowflake_field_v1(
        tickid.snowflake_layout_v1(realm), id, (tickid.snowflake_layout_v1(realm))[4],
        9223372036854775807 >> (tickid.snowflake_layout_v1(realm))[4]::integer - 1)
    * (tickid.snowflake_layout_v1(realm))[2]);

CREATE OR REPLACE FUNCTION tickid.snowflake_node(realm text, id bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.snowflake_field_v1(tickid.snowflake_layout_v1(realm), id,
    (tickid.snowflake_layout_v1(realm))[6], (tickid.snowflake_layout_v1(realm))[7]);

CREATE OR REPLACE FUNCTION tickid.snowflake_sequence(realm text, id bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tickid.snowflake_field_v1(tickid.snowflake_layout_v1(realm), id,
    (tickid.snowflake_layout_v1(realm))[8], (tickid.snowflake_layout_v1(realm))[9]);

REVOKE ALL ON FUNCTION tickid.create_draw_v1(integer, text, jsonb),
    tickid.create_functions_v1(text, jsonb, boolean, boolean, boolean), tickid.create_public_v1()
    FROM PUBLIC;
