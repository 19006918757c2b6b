-- Returns the freezes of the tenant and of the deployment, newest first, p_rows at most, after the place (p_created_at,
-- p_id): {now, freezes}. With p_standing only those in force.
CREATE OR REPLACE FUNCTION kernel.list_freezes(
  p_tenant text, p_created_at bigint, p_id text, p_standing boolean, p_rows integer
) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN jsonb_build_object('now', now_ms(), 'freezes', coalesce((
    SELECT jsonb_agg(to_jsonb(x) ORDER BY x.created_at DESC, x.freeze_id DESC) FROM (
      SELECT * FROM kernel.freeze y WHERE (y.created_at, y.freeze_id) < (p_created_at, p_id)
        AND (NOT p_standing OR y.lifted_at IS NULL AND coalesce(y.expires_at > now_ms(), true))
      ORDER BY y.created_at DESC, y.freeze_id DESC LIMIT p_rows) x), '[]'));
END $$;
GRANT EXECUTE ON FUNCTION kernel.list_freezes(text, bigint, text, boolean, integer) TO writ_kernel;
