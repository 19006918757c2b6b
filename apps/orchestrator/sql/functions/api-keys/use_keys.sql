-- Notes that keys of any tenants were used, to the minute. A key that was noted within this minute isn't written again,
-- and neither is one whose row another transaction has locked: a revocation or rotation holds it while it waits for the
-- kernel, and keys of other tenants don't wait for that. The next use of such a key is noted.
--
-- It runs as the owner, so that one statement serves all tenants. Policies let it see and change only the rows of the
-- ids that it sets, and it clears them afterwards. It changes `last_used_at` alone. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.use_keys(keys text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_minute bigint := orchestrator.now_ms() / 60000 * 60000;
BEGIN
  PERFORM set_config('writ.key_ids', array_to_string(keys, ','), true);
  WITH free AS (
    SELECT k.api_key_id FROM orchestrator.api_key AS k
    WHERE k.api_key_id = ANY (keys) AND (k.last_used_at IS NULL OR k.last_used_at < v_minute)
    ORDER BY k.api_key_id FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE orchestrator.api_key AS k SET last_used_at = v_minute FROM free AS f WHERE k.api_key_id = f.api_key_id;
  PERFORM set_config('writ.key_ids', '', true);
END $$;
GRANT EXECUTE ON FUNCTION orchestrator.use_keys(text[]) TO writ_orchestrator;
