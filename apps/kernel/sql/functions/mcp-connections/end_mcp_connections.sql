-- Ends those of the connections that aren't over, and returns them. One that was connected has its tokens revoked at the
-- authorization server; of any other nothing is kept. INVARIANT (fenced): an executor that works for one of them reports
-- in vain, and no call gets a token of it once this is committed. That executor still has a place of the tenant's until
-- its lease is over.
--
-- Lock: the connections, by id.
CREATE OR REPLACE FUNCTION kernel.end_mcp_connections(p_tenant text, p_connections text[], p_problem jsonb)
RETURNS SETOF text
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE t bigint := now_ms();
BEGIN
  RETURN QUERY
    WITH locked AS (
      SELECT c.connection_id FROM mcp_connection c
      WHERE c.tenant_id = p_tenant AND c.connection_id = ANY (p_connections) AND c.state NOT IN ('failed', 'ended')
      ORDER BY c.connection_id FOR UPDATE)
    UPDATE mcp_connection c SET
      state = CASE c.state WHEN 'connected' THEN 'ended' ELSE 'failed' END,
      problem = p_problem, ended_at = t, lists = false, state_hash = NULL,
      sealed = CASE c.state WHEN 'connected' THEN c.sealed END,
      work = CASE c.state WHEN 'connected' THEN 'revoke' END,
      due_at = CASE c.state WHEN 'connected' THEN t END,
      fenced_until = greatest(c.fenced_until, c.claim_until),
      claim = c.claim + 1, claim_until = NULL, failures = 0
    FROM locked l WHERE c.connection_id = l.connection_id
    RETURNING c.connection_id;
END $$;
GRANT EXECUTE ON FUNCTION kernel.end_mcp_connections(text, text[], jsonb) TO writ_kernel;
