-- Returns what those of the given calls that are held wait for: [{operation_id, autonomy_mode, quorum, demands,
-- escalated_to, votes}], with `votes` as kernel.votes_of returns them. Lists of operations show how many approvals are missing.
CREATE OR REPLACE FUNCTION kernel.votes_on(p_tenant text, p_operations text[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object('operation_id', o.operation_id, 'autonomy_mode', a.autonomy_mode, 'quorum', a.quorum, 'demands', a.demands,
      'escalated_to', a.escalated_to, 'votes', votes_of(a))), '[]')
    FROM operation o JOIN approval a ON a.approval_id = o.approval_id WHERE o.operation_id = ANY (p_operations) AND o.state = 'held');
END $$;
GRANT EXECUTE ON FUNCTION kernel.votes_on(text, text[]) TO writ_kernel;
