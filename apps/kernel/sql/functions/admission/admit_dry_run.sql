-- Admits a dry run as kernel.admit does, and stores what its tool foresees as the result of the call. Returns the row
-- of the operation, which is `no_op`.
--
-- The first five parameters are those of kernel.admit. p_result: the foreseen result, sealed. p_result_hash: its
-- digest.
--
-- Raises what kernel.admit does. Raises P0002 where the decision isn't `no_op`: the caller has a bug
-- then.
CREATE OR REPLACE FUNCTION kernel.admit_dry_run(
  p_tenant text, p jsonb, p_args bytea, p_salt bytea, p_fingerprint bytea, p_result bytea, p_result_hash text
) RETURNS json
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  o operation;
BEGIN
  PERFORM admit(p_tenant, p, p_args, p_salt, p_fingerprint);
  UPDATE payload SET result = p_result WHERE operation_id = p#>>'{operation,operation_id}';
  UPDATE operation SET result_hash = p_result_hash WHERE operation_id = p#>>'{operation,operation_id}' AND state = 'no_op' RETURNING * INTO STRICT o;
  RETURN to_json(o);
END $$;
GRANT EXECUTE ON FUNCTION kernel.admit_dry_run(text, jsonb, bytea, bytea, bytea, bytea, text) TO writ_kernel;
