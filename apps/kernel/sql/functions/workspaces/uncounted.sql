-- Returns workspaces of the tenant whose size is unknown: [{workspace_id, snapshot_id, seq}]. With p_workspace, only
-- that one. The kernel counts each and stores the size with kernel.put_size.
CREATE OR REPLACE FUNCTION kernel.uncounted(p_tenant text, p_workspace text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('workspace_id', w.workspace_id, 'snapshot_id', w.head_snapshot_id, 'seq', w.head_seq)), '[]')
    FROM workspace w WHERE w.tenant_id = p_tenant AND w.files IS NULL AND (p_workspace IS NULL OR w.workspace_id = p_workspace));
END $$;
GRANT EXECUTE ON FUNCTION kernel.uncounted(text, text) TO writ_kernel;
