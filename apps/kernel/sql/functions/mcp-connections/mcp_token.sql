-- Returns the tokens of the person behind an API key at an MCP server, as far as they can be used now: {status}, and with
-- the status `ready` {connection_id, subject: hex, sealed: base64}, or null where the server takes no rights of persons.
-- Without a key: those of the connection that lists the tools of the server.
--
-- The status is
--   ready         the access token is valid for 30 seconds more at least, or a quarter of its life where that is less; or
--                 it came less than 10 seconds ago, however short it is
--   waits         it is about to be renewed; asking again soon helps
--   unavailable   it could not be renewed lately, or nobody did so in 45 seconds
--   no_connection, no_person    as kernel.mcp_consent has them
--
-- A token that ends within two minutes is made due, or in the second half of its life where that is shorter, so that calls
-- hardly ever wait. INVARIANT (single flight): work is asked for once, however many calls need it. INVARIANT (bounded):
-- it is asked for no sooner than 10 seconds after the last renewal, so that an authorization server of short tokens is
-- asked now and then, and a call uses the one that came. After a try that failed, calls ask for the next one after a
-- minute.
CREATE OR REPLACE FUNCTION kernel.mcp_token(p_tenant text, p_key text, p_resource text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t       bigint := now_ms();
  subject bytea;
  c       mcp_connection;
  expired boolean;
  fresh   boolean;
  life    bigint; -- of the access token, when it came
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  IF p_key IS NOT NULL THEN
    SELECT s.subject_hash INTO subject FROM credential_subject s WHERE s.tenant_id = p_tenant AND s.api_key_id = p_key;
    IF NOT FOUND THEN RETURN jsonb_build_object('status', 'no_person'); END IF;
  END IF;
  SELECT * INTO c FROM mcp_connection m
    WHERE m.tenant_id = p_tenant AND m.resource_id = p_resource AND m.state = 'connected'
      AND CASE WHEN p_key IS NULL THEN m.lists ELSE m.subject_hash = subject END;
  IF NOT FOUND OR (NOT c.renewable AND c.access_expires_at <= t) THEN
    RETURN jsonb_build_object('status', 'no_connection');
  END IF;
  life := c.access_expires_at - c.renewed_at;
  fresh := c.renewed_at > t - 10000;
  expired := c.renewable AND NOT fresh AND c.access_expires_at < t + least(30000, life / 4);
  IF c.renewable AND NOT fresh AND c.access_expires_at < t + least(120000, life / 2) AND c.work IS NULL AND (c.failures = 0 OR c.tried_at < t - 60000) THEN
    UPDATE mcp_connection m SET work = 'refresh', due_at = t, asked_at = t
      WHERE m.connection_id = c.connection_id AND m.state = 'connected' AND m.work IS NULL;
    -- Another call may have asked for it, or the connection may have ended.
    SELECT * INTO c FROM mcp_connection m WHERE m.connection_id = c.connection_id AND m.state = 'connected';
    IF NOT FOUND THEN RETURN jsonb_build_object('status', 'no_connection'); END IF;
    life := c.access_expires_at - c.renewed_at;
    expired := c.renewed_at <= t - 10000 AND c.access_expires_at < t + least(30000, life / 4);
  END IF;
  IF expired THEN
    RETURN jsonb_build_object('status', CASE
      WHEN c.work IS NULL OR c.asked_at < t - 45000 THEN 'unavailable'
      -- The pause after a try that failed.
      WHEN c.failures > 0 AND c.due_at > t AND c.claim_until IS NULL THEN 'unavailable'
      ELSE 'waits' END);
  END IF;
  IF c.used_at IS NULL OR c.used_at < t - 60000 THEN
    UPDATE mcp_connection m SET used_at = t WHERE m.connection_id = c.connection_id AND m.state = 'connected';
  END IF;
  RETURN jsonb_build_object('status', 'ready', 'connection_id', c.connection_id, 'subject', encode(c.subject_hash, 'hex'),
    'sealed', encode(c.sealed, 'base64'));
END $$;
GRANT EXECUTE ON FUNCTION kernel.mcp_token(text, text, text) TO writ_kernel;
