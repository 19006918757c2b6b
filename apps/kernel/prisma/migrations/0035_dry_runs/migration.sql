-- A dry run that found something: what the call would do, as far as that is known without running it, is its result. Decided as any call is, by kernel.admit, in the same transaction.
CREATE FUNCTION kernel.admit_dry_run(p_tenant text, p jsonb, p_args bytea, p_salt bytea, p_fingerprint bytea, p_result bytea, p_result_hash text) RETURNS json
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  o operation;
BEGIN
  PERFORM admit(p_tenant, p, p_args, p_salt, p_fingerprint);
  UPDATE payload SET result = p_result WHERE operation_id = p#>>'{operation,operation_id}';
  UPDATE operation SET result_hash = p_result_hash WHERE operation_id = p#>>'{operation,operation_id}' AND state = 'no_op' RETURNING * INTO STRICT o;
  RETURN to_json(o);
END $$;

GRANT EXECUTE ON FUNCTION kernel.admit_dry_run TO writ_kernel;
