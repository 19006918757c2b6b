-- Inserts the token of a session grant: a person approved further calls of the kind within a session.
-- p: columns of the token; its budgets are those of grant_json.
-- Called by kernel.close_approval. Its callers hold the tenant's rules and assert the token chain above.
-- Its budget rows are new, so nobody waits for them.
CREATE OR REPLACE FUNCTION kernel.put_session_token(p_tenant text, p jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE t token;
BEGIN
  t := jsonb_populate_record(NULL::token, p);
  INSERT INTO token (capability_token_id, tenant_id, agent_id, parent_id, chain, workspace_id, grant_json, issuer, created_at, session_approval)
  VALUES (t.capability_token_id, p_tenant, t.agent_id, t.parent_id, t.chain, t.workspace_id, t.grant_json, t.issuer, t.created_at, t.session_approval);
  INSERT INTO budget (capability_token_id, dimension, tenant_id, bound)
  SELECT t.capability_token_id, b.key, p_tenant, b.value::bigint FROM jsonb_each_text(t.grant_json -> 'budgets') b;
END $$;
GRANT EXECUTE ON FUNCTION kernel.put_session_token(text, jsonb) TO writ_kernel;
