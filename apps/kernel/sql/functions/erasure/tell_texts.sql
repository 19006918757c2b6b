-- Notes that the orchestrator is about to erase texts of an erasure, within the caller's transaction. Nothing is
-- erased before this is durable. Returns the row of the erasure; the caller then writes the record p_record in the same
-- transaction. Returns null where nothing was written: the round was noted before, isn't the next one, or no
-- texts were ordered.
--
-- p_round: counts from 1. p_sessions, p_runs: how many are erased in this round.
CREATE OR REPLACE FUNCTION kernel.tell_texts(
  p_tenant text, p_erasure text, p_round integer, p_sessions integer, p_runs integer, p_record text
) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE e erasure;
BEGIN
  UPDATE erasure x SET texts = 'told', texts_rounds = p_round, sessions = x.sessions + p_sessions, runs = x.runs + p_runs, records = x.records + 1, record_id = p_record
    WHERE x.tenant_id = p_tenant AND x.erasure_id = p_erasure AND x.texts IN ('ordered', 'told') AND x.texts_rounds = p_round - 1
    RETURNING * INTO e;
  RETURN CASE WHEN FOUND THEN to_jsonb(e) END;
END $$;
GRANT EXECUTE ON FUNCTION kernel.tell_texts(text, text, integer, integer, integer, text) TO writ_kernel;
