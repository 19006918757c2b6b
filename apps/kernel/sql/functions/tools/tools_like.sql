-- Returns the names of the tenant's tools that match one of the patterns: a name, `family.*` or `*`.
-- Removed tools are among them, because their past calls count, too (kernel.session_history).
CREATE OR REPLACE FUNCTION kernel.tools_like(p_tenant text, p_patterns text[]) RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(t.tool_id), '{}') FROM tool t
          WHERE t.tenant_id = p_tenant AND EXISTS (
            SELECT 1 FROM unnest(p_patterns) AS p(pattern)
            WHERE p.pattern = '*' OR p.pattern = t.tool_id OR (right(p.pattern, 2) = '.*' AND starts_with(t.tool_id, left(p.pattern, -1)))));
END $$;
GRANT EXECUTE ON FUNCTION kernel.tools_like(text, text[]) TO writ_kernel;
