-- Returns what an erasure would find, looking at p_rows calls at most: {operations, unfinished, unfinished_id, looked}.
-- `operations` counts calls that it would erase, `unfinished` calls that haven't ended, `looked` all. `unfinished_id`
-- is the least id of those that haven't ended, or null.
--
-- p_erasure: the columns that select: {selector, operation_id, session_id, session_ids, subject, until}.
CREATE OR REPLACE FUNCTION kernel.erasure_plan(p_tenant text, p_erasure jsonb, p_rows integer) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (
    SELECT jsonb_build_object('operations', count(*) FILTER (WHERE is_over(o) AND o.erased IS NULL), 'unfinished', count(*) FILTER (WHERE NOT is_over(o)),
      'unfinished_id', min(o.operation_id) FILTER (WHERE NOT is_over(o)), 'looked', count(*))
    FROM calls_to_erase(jsonb_populate_record(NULL::erasure, p_erasure || jsonb_build_object('tenant_id', p_tenant, 'passed_at', 0, 'passed_id', '')), p_rows) o);
END $$;
GRANT EXECUTE ON FUNCTION kernel.erasure_plan(text, jsonb, integer) TO writ_kernel;
