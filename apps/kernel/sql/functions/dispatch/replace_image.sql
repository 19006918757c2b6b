-- kernel.replace_decision by its earlier name, for kernels of the previous version.
CREATE OR REPLACE FUNCTION kernel.replace_image(p jsonb, p_payload bytea, p_sig bytea) RETURNS jsonb
LANGUAGE sql SET search_path = kernel, pg_temp AS $$
  SELECT kernel.replace_decision(p, p_payload, p_sig)
$$;
GRANT EXECUTE ON FUNCTION kernel.replace_image(jsonb, bytea, bytea) TO writ_kernel;
