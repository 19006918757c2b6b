-- Records why a shell ended. Returns false where it had ended already or is another executor's: the first reason stays.
-- p_ending: `lost`, `diverged`, `idle`, `closed` or `killed`.
CREATE OR REPLACE FUNCTION kernel.end_shell(p_tenant text, p_executor text, p_shell text, p_ending text) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE shell k SET ending = p_ending, updated_at = now_ms() WHERE k.shell_id = p_shell AND k.executor_id = p_executor AND k.ending IS NULL;
  RETURN FOUND;
END $$;
GRANT EXECUTE ON FUNCTION kernel.end_shell(text, text, text, text) TO writ_kernel;
