-- Returns the text of the SELECT that ledger.find_records runs. Only that function calls it; no role has a grant on it.
-- All values are quoted with format(%L), so nothing of p_filter becomes SQL.
--
-- p_filter is an object; a member that is absent filters nothing:
--   agent_id, tool_id, session_id, operation_id, kind, verdict, tx_outcome   the column must have this value
--   risk_min, risk_max        bounds of the score, both included
--   since, until              bounds of recorded_at in milliseconds; `until` itself is excluded
--   resource                  an id that the record is about; with resource_prefix true, the beginning of one
--   texts                     an array of {words, whole}: all must be found. `words` is a phrase, and `whole` the same
--                             text in lower case as one lexeme
-- Other parameters are those of ledger.find_records.
CREATE OR REPLACE FUNCTION ledger.records_statement(p_tenant text, p_log text, p_size bigint, p_filter jsonb, p_newest boolean, p_after_at bigint, p_after_index bigint, p_limit integer)
RETURNS text LANGUAGE plpgsql STABLE SET search_path = ledger, pg_temp AS $$
DECLARE
  conditions text := format('log_id = %L AND tenant_id = %L AND leaf_index < %s', p_log, p_tenant, p_size);
  direction text := CASE WHEN p_newest THEN 'DESC' ELSE 'ASC' END;
  name text;
  part jsonb;
BEGIN
  FOREACH name IN ARRAY ARRAY['agent_id', 'tool_id', 'session_id', 'operation_id', 'kind', 'verdict', 'tx_outcome'] LOOP
    IF p_filter ? name THEN conditions := conditions || format(' AND %I = %L', name, p_filter->>name); END IF;
  END LOOP;
  IF p_filter ? 'risk_min' THEN conditions := conditions || format(' AND risk_score >= %L::double precision', p_filter->>'risk_min'); END IF;
  IF p_filter ? 'risk_max' THEN conditions := conditions || format(' AND risk_score <= %L::double precision', p_filter->>'risk_max'); END IF;
  IF p_filter ? 'since' THEN conditions := conditions || format(' AND recorded_at >= %L::bigint', p_filter->>'since'); END IF;
  IF p_filter ? 'until' THEN conditions := conditions || format(' AND recorded_at < %L::bigint', p_filter->>'until'); END IF;
  IF p_filter ? 'resource' THEN
    conditions := conditions || format(' AND resources @@ %L::tsquery', lexeme(p_filter->>'resource') || CASE WHEN (p_filter->>'resource_prefix')::boolean THEN ':*' ELSE '' END);
  END IF;
  FOR part IN SELECT jsonb_array_elements(coalesce(p_filter->'texts', '[]')) LOOP
    -- The search has the whole text as well, because its statistics exist. The planner estimates a phrase as if its
    -- words were independent, and would read all rows of a common one.
    conditions := conditions || format(' AND words @@ (phraseto_tsquery(''simple'', %L) || %L::tsquery)', part->>'words', lexeme(part->>'whole'));
  END LOOP;
  IF p_after_at IS NOT NULL THEN
    conditions := conditions || format(' AND (recorded_at, leaf_index) %s (%s, %s)', CASE WHEN p_newest THEN '<' ELSE '>' END, p_after_at, p_after_index);
  END IF;
  RETURN format('SELECT leaf_index, recorded_at, record_id, kind, phase, operation_id, agent_id, tool_id, session_id, verdict, tx_outcome, fault_code, risk_score, is_drawn'
    ' FROM ledger.record_index WHERE %s ORDER BY recorded_at %s, leaf_index %s LIMIT %s', conditions, direction, direction, p_limit);
END $$;
