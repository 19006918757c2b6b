-- Marks all calls that an API key proposed and that wait, run or are held, so that they end. Returns their ids. A
-- marked call has `cancel_requested` and `key_revoked`; it never commits, begins no external effect and isn't retried.
-- Where a cancellation was requested before the key was revoked, `key_revoked` stays false.
--
-- The caller holds the tenant's rules exclusively (kernel.change_rules). So each call of the key is decided before the
-- revocation and marked here, or decided after it and refused (ADR 0097).
--
-- Locks: the operations, by id.
CREATE OR REPLACE FUNCTION kernel.mark_calls_of_key(p_tenant text, p_key text) RETURNS SETOF text
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t bigint := now_ms();
BEGIN
  RETURN QUERY
    -- One branch for each partial index that has calls of these states.
    WITH theirs AS (
      SELECT o.operation_id FROM operation o
      WHERE o.tenant_id = p_tenant AND o.proposed_by = p_key AND o.state = 'admitted'
      UNION ALL
      SELECT o.operation_id FROM operation o
      WHERE o.tenant_id = p_tenant AND o.proposed_by = p_key AND o.state IN ('dispatched', 'performing')
      UNION ALL
      SELECT o.operation_id FROM approval a JOIN operation o ON o.operation_id = a.operation_id
      WHERE a.tenant_id = p_tenant AND a.state = 'pending' AND o.proposed_by = p_key AND o.state = 'held'),
    locked AS (
      SELECT o.operation_id FROM operation o WHERE o.operation_id IN (SELECT x.operation_id FROM theirs x)
        AND o.state IN ('admitted', 'dispatched', 'performing', 'held')
      ORDER BY o.operation_id FOR UPDATE)
    -- A cancellation that came first stays the reason.
    UPDATE operation o SET key_revoked = o.key_revoked OR NOT o.cancel_requested, cancel_requested = true, updated_at = t
    FROM locked l WHERE o.operation_id = l.operation_id
    RETURNING o.operation_id;
END $$;
GRANT EXECUTE ON FUNCTION kernel.mark_calls_of_key(text, text) TO writ_kernel;
