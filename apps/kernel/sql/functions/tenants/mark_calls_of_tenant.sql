-- Marks all calls of a tenant that wait, run or are held, so that they end, as kernel.mark_calls_of_key marks those of a
-- key. Returns their ids and the API keys that proposed them. It reads the open calls once, whoever proposed them.
--
-- The caller holds the tenant's rules exclusively (kernel.change_rules).
--
-- Locks: the operations, by id.
CREATE OR REPLACE FUNCTION kernel.mark_calls_of_tenant(p_tenant text)
RETURNS TABLE (operation_id text, proposed_by text)
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t bigint := now_ms();
BEGIN
  RETURN QUERY
    -- One branch for each partial index that has calls of these states.
    WITH open AS (
      SELECT o.operation_id FROM operation o WHERE o.tenant_id = p_tenant AND o.state = 'admitted'
      UNION ALL
      SELECT o.operation_id FROM operation o WHERE o.tenant_id = p_tenant AND o.state IN ('dispatched', 'performing')
      UNION ALL
      SELECT o.operation_id FROM approval a JOIN operation o ON o.operation_id = a.operation_id
      WHERE a.tenant_id = p_tenant AND a.state = 'pending' AND o.state = 'held'),
    locked AS (
      SELECT o.operation_id FROM operation o WHERE o.operation_id IN (SELECT x.operation_id FROM open x)
        AND o.state IN ('admitted', 'dispatched', 'performing', 'held')
      ORDER BY o.operation_id FOR UPDATE)
    -- A cancellation that came first stays the reason.
    UPDATE operation o SET key_revoked = o.key_revoked OR NOT o.cancel_requested, cancel_requested = true, updated_at = t
    FROM locked l WHERE o.operation_id = l.operation_id
    RETURNING o.operation_id, o.proposed_by;
END $$;
GRANT EXECUTE ON FUNCTION kernel.mark_calls_of_tenant(text) TO writ_kernel;
