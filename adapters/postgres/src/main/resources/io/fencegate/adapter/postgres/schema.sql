-- SPDX-License-Identifier: Apache-2.0
-- Fencegate's schema in a PostgreSQL that it writes to, version 1. Safe to run again.
--
-- To install it by hand, run this as its future owner and let the gateway's role in:
--   GRANT USAGE ON SCHEMA fencegate TO gateway_role;
--   GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA fencegate TO gateway_role;
-- The gateway needs no rights to the tables here.
--
-- Why a stale write cannot land. Every write's transaction calls guard(), which takes the
-- resource's advisory lock shared and then reads the epoch; raising the epoch is a transaction of
-- its own that takes the same lock exclusively. So a raise waits for every write that was let in
-- under the old epoch, and every write that is let in later reads the new one. The reads after a
-- lock stand in statements of their own: under READ COMMITTED each has a snapshot of its own, which
-- is why every other isolation level is refused. No transaction takes both modes of the lock
-- (an upgrade deadlocks with another one).

CREATE SCHEMA IF NOT EXISTS fencegate;
REVOKE ALL ON SCHEMA fencegate FROM PUBLIC;

CREATE TABLE IF NOT EXISTS fencegate.schema_version (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version integer NOT NULL
);

-- The highest token that was accepted for a resource. Rows are deleted by an operator's reset only.
CREATE TABLE IF NOT EXISTS fencegate.epochs (
  resource text COLLATE "C" PRIMARY KEY,
  epoch bigint NOT NULL CHECK (epoch >= 1),
  raised_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One row per write, inserted by the write's own transaction (applied), by whoever asks for a write
-- that nobody knows the outcome of (cancelled: the id is taken, the write can never commit), or by
-- closing a key's door (closed).
CREATE TABLE IF NOT EXISTS fencegate.writes (
  id text COLLATE "C" PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('applied', 'cancelled', 'closed')),
  resource text COLLATE "C",
  token bigint,
  caller text COLLATE "C",
  idem_key text COLLATE "C",
  fingerprint text,
  result text,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  keep_until timestamptz NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS writes_by_key
  ON fencegate.writes (resource, caller, idem_key) WHERE idem_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS writes_by_keep_until ON fencegate.writes (keep_until);

-- SQLSTATEs of refusals: FG001 stale (epoch in the detail), FG002 raise first, FG003 epoch went
-- backwards (epoch in the detail), FG004 wrong isolation level, FG005 write id too old or too new.

CREATE OR REPLACE FUNCTION fencegate.version() RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$ SELECT version FROM fencegate.schema_version $$;

-- The database's clock in microseconds since 1970.
CREATE OR REPLACE FUNCTION fencegate.clock() RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$;

-- The advisory lock of a resource, in the space of single bigints. A collision of two resources
-- costs waiting, nothing else.
CREATE OR REPLACE FUNCTION fencegate.lock_of(p_resource text) RETURNS bigint
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$ SELECT hashtextextended(p_resource, 7310579213) $$;

-- The advisory lock of a key, used in the space of two ints: guards and keys never meet. A
-- collision costs a repeat.
CREATE OR REPLACE FUNCTION fencegate.lock_of_key(p_resource text, p_caller text, p_key text)
RETURNS bigint
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$
  SELECT hashtextextended(p_resource || '|' || length(p_caller) || '|' || p_caller || p_key, 4294967311)
$$;

-- What holds for every transaction that decides something: one snapshot per statement, and a commit
-- that is on disk before it is answered (a stronger setting is left alone).
CREATE OR REPLACE FUNCTION fencegate.require_safe_transaction() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'the isolation level is %, expected read committed',
      current_setting('transaction_isolation') USING ERRCODE = 'FG004';
  END IF;
  IF current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
END
$$;

-- Ids start with 16 hex digits of this database's clock. An id that is refused here is never
-- inserted by its write, so a row that says what became of it need not be kept for longer than ids
-- are taken.
CREATE OR REPLACE FUNCTION fencegate.require_young_id(p_id text, p_longest interval) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$
DECLARE
  age_micros bigint;
BEGIN
  IF p_id !~ '^[0-9a-f]{48}$' THEN
    RAISE EXCEPTION 'not a write id' USING ERRCODE = 'FG005';
  END IF;
  age_micros := fencegate.clock() - ('x' || substr(p_id, 1, 16))::bit(64)::bigint;
  IF abs(age_micros) > extract(epoch FROM p_longest) * 1000000 THEN
    RAISE EXCEPTION 'the write id is % s old, expected at most %', age_micros / 1000000, p_longest
      USING ERRCODE = 'FG005';
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION fencegate.require_equal(p_epoch bigint, p_token bigint) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$
BEGIN
  IF p_epoch > p_token THEN
    RAISE EXCEPTION 'token % is stale, the epoch is %', p_token, p_epoch
      USING ERRCODE = 'FG001', DETAIL = p_epoch::text;
  ELSIF p_epoch IS NULL OR p_epoch < p_token THEN
    RAISE EXCEPTION 'token % must be raised first', p_token USING ERRCODE = 'FG002';
  END IF;
END
$$;

-- Lets one write's transaction in, and keeps the epoch where it is until that transaction ends.
-- Answers the database's clock.
CREATE OR REPLACE FUNCTION fencegate.guard(p_resource text, p_token bigint, p_id text)
RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$
DECLARE
  found_epoch bigint;
BEGIN
  PERFORM fencegate.require_safe_transaction();
  PERFORM fencegate.require_young_id(p_id, interval '30 minutes');
  SELECT epoch INTO found_epoch FROM fencegate.epochs WHERE resource = p_resource;
  PERFORM fencegate.require_equal(found_epoch, p_token);
  PERFORM pg_advisory_xact_lock_shared(fencegate.lock_of(p_resource));
  SELECT epoch INTO found_epoch FROM fencegate.epochs WHERE resource = p_resource;
  PERFORM fencegate.require_equal(found_epoch, p_token);
  RETURN fencegate.clock();
END
$$;

-- Raises the epoch, in a transaction of its own. When that has committed, no write with an older
-- token can land any more.
CREATE OR REPLACE FUNCTION fencegate.guard_raise(p_resource text, p_token bigint, p_floor bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$
DECLARE
  found_epoch bigint;
BEGIN
  PERFORM fencegate.require_safe_transaction();
  SELECT epoch INTO found_epoch FROM fencegate.epochs WHERE resource = p_resource;
  IF coalesce(found_epoch, 0) >= coalesce(p_floor, 0) AND found_epoch = p_token THEN
    RETURN;
  END IF;
  IF coalesce(found_epoch, 0) >= coalesce(p_floor, 0)
      AND coalesce(found_epoch, 0) < p_token THEN
    PERFORM pg_advisory_xact_lock(fencegate.lock_of(p_resource));
    SELECT epoch INTO found_epoch FROM fencegate.epochs WHERE resource = p_resource;
  END IF;
  IF coalesce(found_epoch, 0) < coalesce(p_floor, 0) THEN
    RAISE EXCEPTION 'the epoch is %, expected at least %', coalesce(found_epoch, 0), p_floor
      USING ERRCODE = 'FG003', DETAIL = coalesce(found_epoch, 0)::text;
  END IF;
  IF found_epoch > p_token THEN
    PERFORM fencegate.require_equal(found_epoch, p_token);
  END IF;
  INSERT INTO fencegate.epochs AS kept (resource, epoch) VALUES (p_resource, p_token)
    ON CONFLICT (resource) DO UPDATE
      SET epoch = excluded.epoch, raised_at = clock_timestamp()
      WHERE kept.epoch < excluded.epoch;
END
$$;

-- Forgets the epoch, for an operator who changes over to tokens that are lower. Waits for the writes
-- that were let in under it.
CREATE OR REPLACE FUNCTION fencegate.reset_epoch(p_resource text) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$
BEGIN
  PERFORM fencegate.require_safe_transaction();
  PERFORM pg_advisory_xact_lock(fencegate.lock_of(p_resource));
  DELETE FROM fencegate.epochs WHERE resource = p_resource;
END
$$;

-- Claims a key for the running transaction. What is recorded already answers first, so that a
-- repeat gets its result even while another repeat is looking.
CREATE OR REPLACE FUNCTION fencegate.claim(p_resource text, p_caller text, p_key text,
  OUT state text, OUT token bigint, OUT fingerprint text, OUT result text, OUT at timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$
DECLARE
  h bigint := fencegate.lock_of_key(p_resource, p_caller, p_key);
BEGIN
  PERFORM fencegate.require_safe_transaction();
  SELECT w.state, w.token, w.fingerprint, w.result, w.at
    INTO state, token, fingerprint, result, at FROM fencegate.writes w
    WHERE w.resource = p_resource AND w.caller = p_caller AND w.idem_key = p_key;
  IF FOUND THEN
    RETURN;
  END IF;
  IF NOT pg_try_advisory_xact_lock((h >> 32)::int, ((h << 32) >> 32)::int) THEN
    state := 'in-flight';
    RETURN;
  END IF;
  SELECT w.state, w.token, w.fingerprint, w.result, w.at
    INTO state, token, fingerprint, result, at FROM fencegate.writes w
    WHERE w.resource = p_resource AND w.caller = p_caller AND w.idem_key = p_key;
  IF NOT FOUND THEN
    state := 'free';
  END IF;
END
$$;

-- Records the running transaction's write. The row of a write without a key is only needed to tell
-- what became of it: 2 h, four times the age at which an id is refused here.
CREATE OR REPLACE FUNCTION fencegate.record(p_id text, p_resource text, p_token bigint,
  p_caller text, p_key text, p_fingerprint text, p_result text, p_keep_millis bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$
BEGIN
  PERFORM fencegate.require_young_id(p_id, interval '30 minutes');
  INSERT INTO fencegate.writes
      (id, state, resource, token, caller, idem_key, fingerprint, result, keep_until)
    VALUES (p_id, 'applied', p_resource, p_token, p_caller, p_key, p_fingerprint, p_result,
      clock_timestamp()
        + greatest(coalesce(p_keep_millis, 0) * interval '1 millisecond', interval '2 hours'));
END
$$;

-- Makes sure that a write can not land any more where it has not: answers applied or cancelled. It
-- waits for the write's transaction where that is still open. A write whose row may have been
-- purged is not answered: 1 h is half of what rows are kept for.
CREATE OR REPLACE FUNCTION fencegate.cancel(p_id text) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$
DECLARE
  found_state text;
BEGIN
  PERFORM fencegate.require_safe_transaction();
  SELECT state INTO found_state FROM fencegate.writes WHERE id = p_id;
  IF FOUND THEN
    RETURN found_state;
  END IF;
  PERFORM fencegate.require_young_id(p_id, interval '1 hour');
  INSERT INTO fencegate.writes (id, state, keep_until)
    VALUES (p_id, 'cancelled', clock_timestamp() + interval '2 hours')
    ON CONFLICT (id) DO NOTHING;
  SELECT state INTO STRICT found_state FROM fencegate.writes WHERE id = p_id;
  RETURN found_state;
END
$$;

-- Closes a key's door: whatever is not applied by then never will be.
CREATE OR REPLACE FUNCTION fencegate.close_key(p_id text, p_resource text, p_caller text,
  p_key text, p_keep_millis bigint,
  OUT state text, OUT token bigint, OUT fingerprint text, OUT result text, OUT at timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$
DECLARE
  claimed record;
BEGIN
  claimed := fencegate.claim(p_resource, p_caller, p_key);
  state := claimed.state;
  token := claimed.token;
  fingerprint := claimed.fingerprint;
  result := claimed.result;
  at := claimed.at;
  IF state = 'free' THEN
    state := 'closed';
    at := clock_timestamp();
    INSERT INTO fencegate.writes (id, state, resource, caller, idem_key, at, keep_until)
      VALUES (p_id, 'closed', p_resource, p_caller, p_key, at,
        at + greatest(p_keep_millis * interval '1 millisecond', interval '2 hours'));
  END IF;
END
$$;

-- What is known of a key, without disturbing whoever works with it.
CREATE OR REPLACE FUNCTION fencegate.look_up(p_resource text, p_caller text, p_key text,
  OUT state text, OUT token bigint, OUT fingerprint text, OUT result text, OUT at timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$
DECLARE
  h bigint := fencegate.lock_of_key(p_resource, p_caller, p_key);
  held boolean;
BEGIN
  PERFORM fencegate.require_safe_transaction();
  SELECT EXISTS (SELECT FROM pg_locks l
      WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
        AND l.classid::bigint = ((h >> 32) & 4294967295)
        AND l.objid::bigint = (h & 4294967295)) INTO held;
  SELECT w.state, w.token, w.fingerprint, w.result, w.at
    INTO state, token, fingerprint, result, at FROM fencegate.writes w
    WHERE w.resource = p_resource AND w.caller = p_caller AND w.idem_key = p_key;
  IF NOT FOUND THEN
    state := CASE WHEN held THEN 'in-flight' ELSE 'free' END;
  END IF;
END
$$;

-- Forgets at most so many rows whose time is over; answers how many it forgot.
CREATE OR REPLACE FUNCTION fencegate.purge(p_most integer) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate, pg_temp
AS $$
DECLARE
  gone bigint;
BEGIN
  DELETE FROM fencegate.writes WHERE id IN (
    SELECT id FROM fencegate.writes WHERE keep_until < clock_timestamp()
      ORDER BY keep_until LIMIT p_most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END
$$;

REVOKE ALL ON ALL TABLES IN SCHEMA fencegate FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA fencegate FROM PUBLIC;

INSERT INTO fencegate.schema_version (version) VALUES (1) ON CONFLICT (only_row) DO NOTHING;
