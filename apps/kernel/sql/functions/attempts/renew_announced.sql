-- Renews a lease as kernel.renew does, and stores a piece of the list of requests that the attempt sends outside. Both
-- are durable, or neither. Returns what kernel.renew returns.
--
-- p_announced: the sealed piece. p_pieces_max: how many pieces of a call are stored at most. An executor that keeps to
-- its bounds never sends more.
--
-- Raises program_limit_exceeded (54000) where there are that many pieces already, or the content of the call was
-- erased. The caller doesn't handle it: the request fails.
CREATE OR REPLACE FUNCTION kernel.renew_announced(
  p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_lease_ms bigint,
  p_effect boolean, p_announced bytea, p_pieces_max integer
) RETURNS TABLE (lease_until bigint, stop boolean) LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE
  renewed record;
BEGIN
  SELECT r.lease_until, r.stop INTO renewed FROM renew(p_tenant, p_operation, p_attempt, p_executor, p_nonce, p_lease_ms, p_effect) r;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE payload y SET announced = array_append(y.announced, p_announced)
    WHERE y.operation_id = p_operation AND y.erased_at IS NULL AND cardinality(y.announced) < p_pieces_max;
  IF NOT FOUND THEN RAISE EXCEPTION 'no more requests of operation % can be announced', p_operation USING ERRCODE = 'program_limit_exceeded'; END IF;
  RETURN QUERY SELECT renewed.lease_until, renewed.stop;
END $$;
GRANT EXECUTE ON FUNCTION kernel.renew_announced(text, text, integer, text, text, bigint, boolean, bytea, integer)
  TO writ_kernel;
