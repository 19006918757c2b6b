-- Returns a held call with its approval, for the person who decides about it; null where the approval isn't there.
-- kernel.facts_of_call returns the rest.
--
-- Returns:
--   now, approval, operation
--   args, args_ref  the sealed arguments (base64), or where they are stored
--   staged          the sealed effect of a run that waits for its approval (base64), or null
--   preview         the row of the call's preview, or null
--   votes           as kernel.votes_of returns them
--   policy_author   who activated the policy that the call was decided under, or null
CREATE OR REPLACE FUNCTION kernel.held_call(p_tenant text, p_approval text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (
    SELECT jsonb_build_object('now', now_ms(), 'approval', to_jsonb(a), 'operation', to_jsonb(o),
      'args', encode(y.args, 'base64'), 'args_ref', y.args_ref, 'staged', encode(y.staged, 'base64'),
      'preview', (SELECT to_jsonb(v) FROM preview v WHERE v.operation_id = o.operation_id), 'votes', votes_of(a),
      'policy_author', (SELECT x.activated_as FROM policy_activation x WHERE x.policy_hash = o.policy_hash ORDER BY x.seq DESC LIMIT 1))
    FROM approval a JOIN operation o ON o.operation_id = a.operation_id JOIN payload y ON y.operation_id = a.operation_id
    WHERE a.approval_id = p_approval);
END $$;
GRANT EXECUTE ON FUNCTION kernel.held_call(text, text) TO writ_kernel;
