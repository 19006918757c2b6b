-- Makes sure that the key which seals the content of a call exists, and keeps it in place until COMMIT.
-- Called by kernel.admit before it inserts the payload.
-- p_sealed: the key, wrapped under the tenant's data key, where this admission may be the first that uses it.
-- Null where the caller knows that the row exists.
--
-- A key admits calls for one day. A person who is active for years therefore has many keys, and an erasure can delete
-- each key together with its last call.
--
-- Raises WR005 where the key is gone or retired (isKeyRetired): the kernel drops the key from its cache, makes a new
-- one and decides again.
-- Lock: a shared advisory lock per key; kernel.forget_payload_keys takes the same lock exclusively.
CREATE OR REPLACE FUNCTION kernel.hold_payload_key(p_tenant text, p_key text, p_sealed bytea) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF p_sealed IS NOT NULL THEN
    INSERT INTO payload_key (key_id, tenant_id, sealed, until) VALUES (p_key, p_tenant, p_sealed, now_ms() + 86400000) ON CONFLICT DO NOTHING;
  END IF;
  -- An advisory lock, because a row lock would write the row with each call of the same person.
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('writ.payload-key.' || p_key, 0));
  PERFORM 1 FROM payload_key k WHERE k.key_id = p_key AND k.until > now_ms();
  IF NOT FOUND THEN RAISE EXCEPTION 'the facts moved: payload_key' USING ERRCODE = 'WR005'; END IF;
END $$;
GRANT EXECUTE ON FUNCTION kernel.hold_payload_key(text, text, bytea) TO writ_kernel;
