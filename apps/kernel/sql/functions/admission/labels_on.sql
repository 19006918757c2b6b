-- Returns the labels of a session and of a workspace as a sorted array of text, each label once.
CREATE OR REPLACE FUNCTION kernel.labels_on(p_tenant text, p_session text, p_workspace text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(DISTINCT l.label), '[]') FROM label l
    WHERE l.tenant_id = p_tenant AND ((l.scope = 'session' AND l.id = p_session) OR (l.scope = 'workspace' AND l.id = p_workspace)));
END $$;
GRANT EXECUTE ON FUNCTION kernel.labels_on(text, text, text) TO writ_kernel;
