-- Extends the lease of a shell. Returns false where the shell must end: its lease ran out, it was ended, its token
-- chain is no longer valid, or a freeze covers its calls. The executor then kills it.
-- p_tool: the tool whose calls run in shells, for freezes of that tool. Lock: the shell's row.
CREATE OR REPLACE FUNCTION kernel.renew_shell(
  p_tenant text, p_executor text, p_shell text, p_lease_ms bigint, p_tool text
) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  s shell;
  t bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT * INTO s FROM shell k WHERE k.shell_id = p_shell AND k.executor_id = p_executor AND k.ending IS NULL FOR UPDATE;
  t := now_ms();
  IF NOT FOUND OR s.lease_until < t OR chain_fault(s.capability_token_id, t) IS NOT NULL
     OR freeze_on(p_tenant, (SELECT k.agent_id FROM token k WHERE k.capability_token_id = s.capability_token_id), p_tool, s.capability_token_id) IS NOT NULL THEN
    RETURN false;
  END IF;
  UPDATE shell k SET lease_until = t + p_lease_ms, updated_at = t WHERE k.shell_id = p_shell;
  RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION kernel.renew_shell(text, text, text, bigint, text) TO writ_kernel;
