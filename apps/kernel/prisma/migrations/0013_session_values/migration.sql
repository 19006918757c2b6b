-- What a person says beyond one yes or no: another call in the place of the held one, a yes for the session, a value.

-- The call that goes on in the place of one whose arguments were edited. Known before that one is proposed, so that an edit that is asked for again,
-- because its answer was lost, names the same call whoever remembers it.
ALTER TABLE kernel.approval ADD COLUMN superseded_by text;
ALTER TABLE kernel.approval ADD CONSTRAINT superseded_named CHECK (superseded_by IS NULL OR state = 'superseded');

-- A yes for the session is a child token of the call's own, and this says what counts as approved under it (`SessionApproval` of libs/contract). Set when
-- the token is made, as all of a token but its revocation.
ALTER TABLE kernel.token ADD COLUMN session_approval jsonb;
CREATE INDEX token_of_session ON kernel.token (parent_id, (session_approval ->> 'session_id')) WHERE session_approval IS NOT NULL;
ALTER TABLE kernel.approval ADD COLUMN session_token_id text;
ALTER TABLE kernel.approval ADD CONSTRAINT session_approved CHECK (session_token_id IS NULL OR state = 'approved');

-- Makes the token of a yes for the session, in the transaction that closes its approval: whoever calls holds the tenant's rules and asserts the chain
-- above. p: the columns. Its accounts are new rows, which nobody waits for.
CREATE FUNCTION kernel.put_session_token(p_tenant text, p jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE t token;
BEGIN
  t := jsonb_populate_record(NULL::token, p);
  INSERT INTO token (capability_token_id, tenant_id, agent_id, parent_id, chain, workspace_id, grant_json, issuer, created_at, session_approval)
  VALUES (t.capability_token_id, p_tenant, t.agent_id, t.parent_id, t.chain, t.workspace_id, t.grant_json, t.issuer, t.created_at, t.session_approval);
  INSERT INTO budget (capability_token_id, dimension, tenant_id, bound)
  SELECT t.capability_token_id, b.key, p_tenant, b.value::bigint FROM jsonb_each_text(t.grant_json -> 'budgets') b;
END $$;

-- Tokens under which a call that needs a person may count as approved: made of the token that it names, or that one itself, for its agent and session.
-- Newest first, with what hides the arguments that were approved. What of them fits, and that none is revoked when the call is written, others decide.
CREATE FUNCTION kernel.session_approvals(p_tenant text, p_agent text, p_token text, p_session text, p_rows integer) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT coalesce(jsonb_agg(x.found), '[]') FROM (
    SELECT jsonb_build_object('capability_token_id', t.capability_token_id, 'approval', t.session_approval, 'tools', t.grant_json -> 'tools',
      'args', encode(y.args, 'base64'), 'args_ref', y.args_ref) AS found
    FROM token t LEFT JOIN payload y ON y.operation_id = t.session_approval ->> 'operation_id'
    WHERE t.session_approval ->> 'session_id' = p_session AND t.session_approval IS NOT NULL AND t.agent_id = p_agent
      AND (t.parent_id = p_token OR t.capability_token_id = p_token)
      AND t.revoked_at IS NULL AND (t.grant_json ->> 'expires_at')::bigint > now_ms()
    ORDER BY t.created_at DESC, t.capability_token_id DESC LIMIT p_rows) x);
END $$;

GRANT EXECUTE ON FUNCTION kernel.put_session_token, kernel.session_approvals TO writ_kernel;
