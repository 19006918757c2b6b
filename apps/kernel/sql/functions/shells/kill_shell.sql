-- Ends the shell of a session on request of an operator, with its records. Returns false where it had ended already.
-- The executor kills the shell when it next renews its lease, and the session's next call is informed.
-- p_records: as kernel.post_records reads them.
CREATE OR REPLACE FUNCTION kernel.kill_shell(p_tenant text, p_shell text, p_records jsonb) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE shell k SET ending = 'killed', updated_at = now_ms() WHERE k.shell_id = p_shell AND k.ending IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM post_records(p_tenant, p_records);
  RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION kernel.kill_shell(text, text, jsonb) TO writ_kernel;
