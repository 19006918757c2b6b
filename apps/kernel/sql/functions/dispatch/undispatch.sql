-- Takes a permit back that couldn't be published or was not redeemed: the call is `admitted` again. Returns false
-- where the attempt isn't `dispatched` any more. Called as the worker's role. Where the permit did arrive, its attempt
-- is fenced.
CREATE OR REPLACE FUNCTION kernel.undispatch(p_operation text, p_attempt integer) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  UPDATE operation SET state = 'admitted', permit_until = NULL, updated_at = now_ms()
    WHERE operation_id = p_operation AND attempt = p_attempt AND state = 'dispatched';
  RETURN FOUND;
END $$;
GRANT EXECUTE ON FUNCTION kernel.undispatch(text, integer) TO writ_kernel_worker;
