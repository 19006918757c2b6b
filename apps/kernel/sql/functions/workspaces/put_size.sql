-- Stores the size of a workspace that the kernel counted at the head with p_seq. Returns false, having written nothing,
-- where the head has moved since or the size is known already. Whoever needs the size counts again.
CREATE OR REPLACE FUNCTION kernel.put_size(
  p_tenant text, p_workspace text, p_seq bigint, p_files bigint, p_bytes bigint
) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE workspace w SET files = p_files, bytes = p_bytes, sized_seq = p_seq WHERE w.workspace_id = p_workspace AND w.head_seq = p_seq AND w.files IS NULL;
  RETURN FOUND;
END $$;
GRANT EXECUTE ON FUNCTION kernel.put_size(text, text, bigint, bigint, bigint) TO writ_kernel;
