-- Writes an approving vote that doesn't complete the quorum. The call stays held. Returns the row of the operation.
--
-- p holds:
--   operation_id
--   approval  {approval_id, quorum, autonomy_mode, demands}: what the re-evaluation now requires; without demands they
--             stay
--   vote      as kernel.put_vote takes it
--   records   as kernel.post_records takes them
--
-- Raises WR001 `operation` where the call isn't held any more, `approval` where the approval is decided or has expired,
-- and those of kernel.put_vote. The caller reads the held call and decides again, five times at most.
--
-- Locks: the operation, the approval, then delegations.
CREATE OR REPLACE FUNCTION kernel.cast_vote(p_tenant text, p jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE operation o SET updated_at = now_ms() WHERE o.operation_id = p ->> 'operation_id' AND o.state = 'held' RETURNING o.* INTO op;
  IF NOT FOUND THEN PERFORM decide_again('operation'); END IF;
  UPDATE approval a SET quorum = (p #>> '{approval,quorum}')::integer, autonomy_mode = p #>> '{approval,autonomy_mode}',
    demands = coalesce(nullif(p #> '{approval,demands}', 'null'), a.demands)
    WHERE a.approval_id = p #>> '{approval,approval_id}' AND a.state = 'pending' AND a.expires_at > now_ms();
  IF NOT FOUND THEN PERFORM decide_again('approval'); END IF;
  PERFORM put_vote(p_tenant, p -> 'vote');
  PERFORM post_records(p_tenant, p -> 'records');
  RETURN to_jsonb(op);
END $$;
GRANT EXECUTE ON FUNCTION kernel.cast_vote(text, jsonb) TO writ_kernel;
