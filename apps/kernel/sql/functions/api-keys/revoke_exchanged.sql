-- Revokes the credentials that were exchanged for an API key and haven't ended, and marks their calls as
-- kernel.mark_calls_of_key does. Returns the ids of these calls.
--
-- A credential ends with its capability token, so one whose token has expired needs no row: no call is admitted under
-- that token. A key that exchanged for days has thousands of them. Calls are marked whether their token has expired or
-- not.
--
-- The caller holds the tenant's rules exclusively (kernel.change_rules), as for the key itself.
--
-- Locks: the operations, by id.
CREATE OR REPLACE FUNCTION kernel.revoke_exchanged(p_tenant text, p_key text, p_by text) RETURNS SETOF text
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t bigint := now_ms();
BEGIN
  INSERT INTO revoked_key (tenant_id, api_key_id, revoked_at, revoked_by)
    SELECT b.tenant_id, b.api_key_id, t, p_by
    FROM bound_key b JOIN token k ON k.capability_token_id = b.capability_token_id
    WHERE b.tenant_id = p_tenant AND b.exchanged_by = p_key AND (k.grant_json ->> 'expires_at')::bigint > t
    ON CONFLICT DO NOTHING;
  RETURN QUERY
    -- One branch for each partial index that has calls of these states.
    WITH theirs AS (
      SELECT o.operation_id, o.proposed_by FROM operation o WHERE o.tenant_id = p_tenant AND o.state = 'admitted'
      UNION ALL
      SELECT o.operation_id, o.proposed_by FROM operation o
      WHERE o.tenant_id = p_tenant AND o.state IN ('dispatched', 'performing')
      UNION ALL
      SELECT o.operation_id, o.proposed_by FROM approval a JOIN operation o ON o.operation_id = a.operation_id
      WHERE a.tenant_id = p_tenant AND a.state = 'pending' AND o.state = 'held'),
    locked AS (
      SELECT o.operation_id FROM operation o
      WHERE o.operation_id IN (
          SELECT x.operation_id FROM theirs x JOIN bound_key b
            ON b.tenant_id = p_tenant AND b.api_key_id = x.proposed_by AND b.exchanged_by = p_key)
        AND o.state IN ('admitted', 'dispatched', 'performing', 'held')
      ORDER BY o.operation_id FOR UPDATE)
    -- A cancellation that came first stays the reason.
    UPDATE operation o SET key_revoked = o.key_revoked OR NOT o.cancel_requested, cancel_requested = true, updated_at = t
    FROM locked l WHERE o.operation_id = l.operation_id
    RETURNING o.operation_id;
END $$;
GRANT EXECUTE ON FUNCTION kernel.revoke_exchanged(text, text, text) TO writ_kernel;
