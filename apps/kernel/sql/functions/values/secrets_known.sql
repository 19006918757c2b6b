-- Returns those of p_names, as an array, that are available to a call as secrets (kernel.value_known).
CREATE OR REPLACE FUNCTION kernel.secrets_known(p_tenant text, p_agent text, p_session text, p_names text[])
RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(n.name), '[]') FROM unnest(p_names) AS n(name) WHERE value_known(p_tenant, p_agent, p_session, n.name, true));
END $$;
GRANT EXECUTE ON FUNCTION kernel.secrets_known(text, text, text, text[]) TO writ_kernel;
