-- Deletes sign-in sessions and devices that ask for one, of all tenants, once they are over: at most p_rows of each,
-- those that are over longest first. Returns how many. Every replica calls it each minute, so that the pseudonyms,
-- addresses and encrypted names in these rows go, whether anybody of the tenant signs in again or not.
--
-- It runs as the owner, because it reads rows of all tenants. The policies sign_in_session_over and
-- device_authorization_over let it see only rows that are over. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.prune_sign_ins(p_rows integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
  WITH old_sessions AS (SELECT s.sign_in_id FROM sign_in_session s WHERE s.expires_at <= (SELECT now_ms())
    ORDER BY s.expires_at LIMIT p_rows FOR UPDATE SKIP LOCKED),
  old_devices AS (SELECT d.device_hash FROM device_authorization d WHERE d.expires_at <= (SELECT now_ms())
    ORDER BY d.expires_at LIMIT p_rows FOR UPDATE SKIP LOCKED),
  sessions AS (DELETE FROM sign_in_session s USING old_sessions o WHERE s.sign_in_id = o.sign_in_id RETURNING 1),
  devices AS (DELETE FROM device_authorization d USING old_devices o WHERE d.device_hash = o.device_hash RETURNING 1)
  SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM devices)
$$;
GRANT EXECUTE ON FUNCTION orchestrator.prune_sign_ins(integer) TO writ_orchestrator;
