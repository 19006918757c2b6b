-- Returns the freeze in force that covers a call, the widest first (`all`, `tenant`, `tool`, `agent`), or null. A
-- freeze of an agent covers its own calls and all calls under a token whose chain has one of its tokens: those that it
-- delegated.
CREATE OR REPLACE FUNCTION kernel.freeze_on(p_tenant text, p_agent text, p_tool text, p_token text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  -- Mostly there is no freeze at all, and this check is cheaper.
  IF NOT EXISTS (SELECT 1 FROM kernel.freeze f WHERE f.tenant_id IN (p_tenant, '*') AND f.lifted_at IS NULL) THEN RETURN NULL; END IF;
  RETURN (
    SELECT to_jsonb(f) FROM kernel.freeze f
    WHERE f.tenant_id IN (p_tenant, '*') AND f.lifted_at IS NULL AND coalesce(f.expires_at > now_ms(), true)
      AND CASE f.scope
        WHEN 'tool' THEN f.subject = p_tool
        WHEN 'agent' THEN f.subject = p_agent OR EXISTS (
          SELECT 1 FROM token l JOIN token k ON k.capability_token_id = ANY (l.chain) WHERE l.capability_token_id = p_token AND k.agent_id = f.subject)
        ELSE true END
    ORDER BY array_position(ARRAY['all', 'tenant', 'tool', 'agent'], f.scope), f.created_at LIMIT 1);
END $$;
GRANT EXECUTE ON FUNCTION kernel.freeze_on(text, text, text, text) TO writ_kernel, writ_kernel_worker;
