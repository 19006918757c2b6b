-- Requests that asked to leave, as the gate announces them while an attempt runs: what there is of its list if nobody reports it.
ALTER TABLE kernel.payload ADD COLUMN announced bytea[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN kernel.payload.announced IS 'pieces of the lists of attempts, each encrypted: RFC 8785 JSON of {attempt, seq, from, items}; empty once the call has its list';

-- What the list of a call was made of isn't kept beside it.
CREATE FUNCTION kernel.forget_announced() RETURNS trigger LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  NEW.announced := '{}';
  RETURN NEW;
END $$;
CREATE TRIGGER forget_announced BEFORE UPDATE OF requests ON kernel.payload
  FOR EACH ROW WHEN (NEW.requests IS NOT NULL AND NEW.announced <> '{}') EXECUTE FUNCTION kernel.forget_announced();

-- As kernel.renew, with a piece of the list of requests: both are durable, or neither. Of the pieces of a call there are as many at most as an executor
-- that keeps to its bounds can send; with more nothing is written.
CREATE FUNCTION kernel.renew_announced(
  p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_lease_ms bigint, p_effect boolean, p_announced bytea, p_pieces_max integer
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
GRANT EXECUTE ON FUNCTION kernel.renew_announced TO writ_kernel;
