-- SPDX-License-Identifier: Apache-2.0
-- Fencegate's ledger of epochs in a PostgreSQL besides the coordinator, version 1. Safe to run again.
--
-- To install it by hand, run this as its future owner and let the gateways' role in:
--   GRANT USAGE ON SCHEMA fencegate_ledger TO gateway_role;
--   GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA fencegate_ledger TO gateway_role;
-- The gateways need no rights to the tables here, and no right to create anything.
--
-- Every function is one transaction that its caller commits by itself, and may be called again
-- after a lost answer. Raising is one statement, so two raises of a resource wait for each other
-- and the lower one finds the higher. What is kept is never lowered but by forget_epoch().

CREATE SCHEMA IF NOT EXISTS fencegate_ledger;
REVOKE ALL ON SCHEMA fencegate_ledger FROM PUBLIC;

-- The identity is drawn when the ledger is made. The coordinator remembers it, and no gateway takes
-- another ledger for this one. A copy or a restored backup has the same: what it lacks is made good
-- by the coordinator's own record of epochs.
CREATE TABLE IF NOT EXISTS fencegate_ledger.about (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version integer NOT NULL,
  identity text NOT NULL
);

-- The highest token that was accepted for a resource, where tokens of that kind come from, and the
-- highest that the resource's downstream has confirmed.
CREATE TABLE IF NOT EXISTS fencegate_ledger.epochs (
  resource text COLLATE "C" PRIMARY KEY,
  epoch bigint NOT NULL CHECK (epoch >= 1),
  source text NOT NULL CHECK (source IN ('lock', 'break', 'external', 'etcd-election')),
  confirmed bigint CHECK (confirmed >= 1),
  raised_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- SQLSTATEs of refusals: FL001 this transaction proves nothing, FL002 what is kept cannot be read.

CREATE OR REPLACE FUNCTION fencegate_ledger.about(OUT version integer, OUT identity text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, fencegate_ledger, pg_temp
AS $$ SELECT a.version, a.identity FROM fencegate_ledger.about a $$;

-- Tokens are compared within one order only; a break's number is one of the lock service's.
CREATE OR REPLACE FUNCTION fencegate_ledger.order_of(p_source text) RETURNS text
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path = pg_catalog, fencegate_ledger, pg_temp
AS $$ SELECT CASE p_source WHEN 'break' THEN 'lock' ELSE p_source END $$;

-- One snapshot per statement, on the server that takes writes, and a commit that is on disk before
-- it is answered (a stronger setting is left alone). Answers which ledger this is.
CREATE OR REPLACE FUNCTION fencegate_ledger.require_safe_transaction() RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate_ledger, pg_temp
AS $$
DECLARE
  found_identity text;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'the isolation level is %, expected read committed',
      current_setting('transaction_isolation') USING ERRCODE = 'FL001';
  END IF;
  IF pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' THEN
    RAISE EXCEPTION 'this server takes no writes: is it a replica?' USING ERRCODE = 'FL001';
  END IF;
  IF current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  SELECT a.identity INTO STRICT found_identity FROM fencegate_ledger.about a;
  RETURN found_identity;
END
$$;

-- What is kept of a resource; FL002 where that is not all there.
CREATE OR REPLACE FUNCTION fencegate_ledger.read_epoch(p_resource text,
  OUT o_found boolean, OUT o_epoch bigint, OUT o_source text, OUT o_confirmed bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate_ledger, pg_temp
AS $$
BEGIN
  SELECT k.epoch, k.source, k.confirmed INTO o_epoch, o_source, o_confirmed
    FROM fencegate_ledger.epochs k WHERE k.resource = p_resource;
  o_found := FOUND;
  IF o_found AND (o_epoch IS NULL OR o_epoch < 1 OR o_source IS NULL
      OR o_source NOT IN ('lock', 'break', 'external', 'etcd-election') OR o_confirmed < 1) THEN
    RAISE EXCEPTION 'the epoch of a resource cannot be read: epoch %, source %, confirmed %',
      o_epoch, o_source, o_confirmed USING ERRCODE = 'FL002';
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION fencegate_ledger.look(p_resource text,
  OUT o_ledger text, OUT o_found boolean, OUT o_epoch bigint, OUT o_source text,
  OUT o_confirmed bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate_ledger, pg_temp
AS $$
BEGIN
  o_ledger := fencegate_ledger.require_safe_transaction();
  SELECT r.o_found, r.o_epoch, r.o_source, r.o_confirmed
    INTO o_found, o_epoch, o_source, o_confirmed FROM fencegate_ledger.read_epoch(p_resource) r;
END
$$;

-- Raises the epoch where it is absent, or lower and of the same order. Answers 'raised' where it is
-- the token now, 'higher' or 'other-source' where it stayed, and what it is.
CREATE OR REPLACE FUNCTION fencegate_ledger.raise_epoch(p_resource text, p_token bigint,
  p_source text, OUT o_ledger text, OUT o_verdict text, OUT o_epoch bigint, OUT o_source text,
  OUT o_confirmed bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate_ledger, pg_temp
AS $$
BEGIN
  o_ledger := fencegate_ledger.require_safe_transaction();
  SELECT r.o_epoch, r.o_source, r.o_confirmed
    INTO o_epoch, o_source, o_confirmed FROM fencegate_ledger.read_epoch(p_resource) r;
  IF o_epoch IS NULL OR o_epoch < p_token OR (o_epoch = p_token AND o_source = 'break') THEN
    INSERT INTO fencegate_ledger.epochs AS kept (resource, epoch, source)
      VALUES (p_resource, p_token, p_source)
      ON CONFLICT (resource) DO UPDATE
        SET epoch = excluded.epoch, source = excluded.source, raised_at = clock_timestamp()
        WHERE fencegate_ledger.order_of(kept.source) = fencegate_ledger.order_of(excluded.source)
          AND (kept.epoch < excluded.epoch
            OR (kept.epoch = excluded.epoch AND kept.source = 'break'));
    SELECT r.o_epoch, r.o_source, r.o_confirmed
      INTO o_epoch, o_source, o_confirmed FROM fencegate_ledger.read_epoch(p_resource) r;
  END IF;
  o_verdict := CASE
    WHEN fencegate_ledger.order_of(o_source) <> fencegate_ledger.order_of(p_source)
      THEN 'other-source'
    WHEN o_epoch > p_token THEN 'higher'
    WHEN o_epoch = p_token THEN 'raised' END;
END
$$;

-- Records that the downstream accepted a token that is not above the epoch. Answers the highest such
-- token, nothing where there is none.
CREATE OR REPLACE FUNCTION fencegate_ledger.confirm(p_resource text, p_token bigint,
  OUT o_ledger text, OUT o_confirmed bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate_ledger, pg_temp
AS $$
BEGIN
  o_ledger := fencegate_ledger.require_safe_transaction();
  UPDATE fencegate_ledger.epochs k SET confirmed = p_token
    WHERE k.resource = p_resource AND k.epoch >= p_token
      AND (k.confirmed IS NULL OR k.confirmed < p_token);
  SELECT r.o_confirmed INTO o_confirmed FROM fencegate_ledger.read_epoch(p_resource) r;
END
$$;

-- Forgets what the downstream has confirmed, for a resource that moves to another downstream. The
-- epoch stays.
CREATE OR REPLACE FUNCTION fencegate_ledger.forget_confirmed(p_resource text,
  OUT o_ledger text, OUT o_gone boolean)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate_ledger, pg_temp
AS $$
BEGIN
  o_ledger := fencegate_ledger.require_safe_transaction();
  UPDATE fencegate_ledger.epochs k SET confirmed = NULL WHERE k.resource = p_resource;
  o_gone := true;
END
$$;

-- Forgets a resource whose epoch is exactly this, for an operator who changes over to tokens of
-- another source. Answers whether nothing is kept of it any more.
CREATE OR REPLACE FUNCTION fencegate_ledger.forget_epoch(p_resource text, p_epoch bigint,
  p_source text, OUT o_ledger text, OUT o_gone boolean)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, fencegate_ledger, pg_temp
AS $$
BEGIN
  o_ledger := fencegate_ledger.require_safe_transaction();
  DELETE FROM fencegate_ledger.epochs k
    WHERE k.resource = p_resource AND k.epoch = p_epoch AND k.source = p_source;
  o_gone := NOT EXISTS (SELECT FROM fencegate_ledger.epochs k WHERE k.resource = p_resource);
END
$$;

REVOKE ALL ON ALL TABLES IN SCHEMA fencegate_ledger FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA fencegate_ledger FROM PUBLIC;

INSERT INTO fencegate_ledger.about (version, identity)
  SELECT 1, gen_random_uuid()::text WHERE NOT EXISTS (SELECT FROM fencegate_ledger.about);
