-- Returns the freeze in force on exactly this scope and subject that a person or the platform placed, or a row of nulls.
-- A freeze that an agent placed is beside it: the agent may lift it, and what a person placed must outlast that.
CREATE OR REPLACE FUNCTION kernel.standing_freeze(p_tenant text, p_scope text, p_subject text) RETURNS kernel.freeze
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE f kernel.freeze;
BEGIN
  SELECT * INTO f FROM kernel.freeze x
  WHERE x.tenant_id = p_tenant AND x.scope = p_scope AND x.subject = p_subject AND x.placed_by NOT LIKE 'agt\_%' AND x.lifted_at IS NULL AND coalesce(x.expires_at > now_ms(), true)
  ORDER BY x.created_at LIMIT 1;
  RETURN f;
END $$;
GRANT EXECUTE ON FUNCTION kernel.standing_freeze(text, text, text) TO writ_kernel;
