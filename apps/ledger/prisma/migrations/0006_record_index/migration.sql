-- An index of the records, drawn from committed leaves behind the appends, to be searched by. It proves nothing: a row leads to its leaf by (log_id, leaf_index), and the
-- leaf is what was signed. Append-only as the log is, and every row of it is checked against its leaf by fsck.
CREATE TABLE ledger.record_index (
  log_id       text NOT NULL,
  leaf_index   bigint NOT NULL CHECK (leaf_index >= 0),
  tenant_id    text NOT NULL,
  record_id    text NOT NULL,
  kind         text NOT NULL,
  operation_id text,
  phase        text,
  recorded_at  bigint NOT NULL,
  -- false for a record of a version that isn't known here: then all below is empty
  is_drawn     boolean NOT NULL,
  agent_id     text,
  tool_id      text,
  session_id   text,
  verdict      text,
  tx_outcome   text,
  fault_code   text,
  risk_score   double precision,
  -- ids of what the record is about, as they are: lexemes, so that they are found by their beginnings too
  resources    tsvector NOT NULL,
  -- words of rule ids, of the fault's code, of the risk's basis and of the change's verb, and those of them whole that are several words
  words        tsvector NOT NULL,
  PRIMARY KEY (log_id, leaf_index)
) PARTITION BY HASH (log_id);

DO $$
BEGIN
  -- All of a log is in one partition, so that a question about a tenant asks one. The ledger's role can make no table, so their number is fixed.
  FOR i IN 0..7 LOOP
    EXECUTE format('CREATE TABLE ledger.record_index_%s PARTITION OF ledger.record_index FOR VALUES WITH (MODULUS 8, REMAINDER %s)', i, i);
    -- Granted to nobody: rows are reached through the whole table, whose policies and grants hold.
    EXECUTE format('ALTER TABLE ledger.record_index_%s ENABLE ROW LEVEL SECURITY', i);
    EXECUTE format('ALTER TABLE ledger.record_index_%s FORCE ROW LEVEL SECURITY', i);
    EXECUTE format('CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.record_index_%s FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change()', i);
  END LOOP;
END $$;

-- Each ends in the order of the pages, so that one is read off the index: what matches, from where the last page ended. Where a column is often empty, only the rest is kept.
CREATE INDEX record_index_by_time ON ledger.record_index (log_id, recorded_at, leaf_index);
CREATE INDEX record_index_by_agent ON ledger.record_index (log_id, agent_id, recorded_at, leaf_index) WHERE agent_id IS NOT NULL;
CREATE INDEX record_index_by_agent_tool ON ledger.record_index (log_id, agent_id, tool_id, recorded_at, leaf_index) WHERE agent_id IS NOT NULL AND tool_id IS NOT NULL;
CREATE INDEX record_index_by_tool ON ledger.record_index (log_id, tool_id, recorded_at, leaf_index) WHERE tool_id IS NOT NULL;
CREATE INDEX record_index_by_session ON ledger.record_index (log_id, session_id, recorded_at, leaf_index) WHERE session_id IS NOT NULL;
CREATE INDEX record_index_by_operation ON ledger.record_index (log_id, operation_id, recorded_at, leaf_index) WHERE operation_id IS NOT NULL;
CREATE INDEX record_index_by_kind ON ledger.record_index (log_id, kind, recorded_at, leaf_index);
CREATE INDEX record_index_by_verdict ON ledger.record_index (log_id, verdict, recorded_at, leaf_index) WHERE verdict IS NOT NULL;
CREATE INDEX record_index_by_outcome ON ledger.record_index (log_id, tx_outcome, recorded_at, leaf_index) WHERE tx_outcome IS NOT NULL;
-- A range is no order: what is rare is found by it and sorted, what is common by time.
CREATE INDEX record_index_by_risk ON ledger.record_index (log_id, risk_score, recorded_at, leaf_index) WHERE risk_score > 0;
CREATE INDEX record_index_by_resource ON ledger.record_index USING gin (resources);
CREATE INDEX record_index_by_word ON ledger.record_index USING gin (words);

-- How often a word is there decides between its index and the order of time. One that isn't in the statistics is taken for half as frequent as the rarest that is: by a small sample
-- one in two thousand, and one that is far rarer was looked for in every record.
ALTER TABLE ledger.record_index ALTER COLUMN words SET STATISTICS 1000, ALTER COLUMN resources SET STATISTICS 1000;

ALTER TABLE ledger.record_index ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.record_index FORCE ROW LEVEL SECURITY;
CREATE POLICY named_tenants ON ledger.record_index TO writ_ledger
  USING (tenant_id IN (SELECT ledger.named_tenants())) WITH CHECK (tenant_id IN (SELECT ledger.named_tenants()));
-- For find_records alone, which asks for one tenant: nobody logs in as the owner.
CREATE POLICY finder ON ledger.record_index FOR SELECT TO writ_owner USING (true);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger.record_index FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.record_index FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
GRANT SELECT, INSERT ON ledger.record_index TO writ_ledger;

-- A text as one lexeme of a query, whatever characters it has.
CREATE FUNCTION ledger.lexeme(p_text text) RETURNS text LANGUAGE sql IMMUTABLE
  AS $$ SELECT '''' || replace(replace(p_text, '\', '\\'), '''', '''''') || '''' $$;

-- The statement of a page. p_filter has a member for each column that must equal it, and risk_min, risk_max, since, until (milliseconds; until is not within), resource,
-- resource_prefix, and texts, all of which must be found: an array of {words, whole}. The page begins after (p_after_at, p_after_index), null for the first, and knows nothing from leaf p_size on.
CREATE FUNCTION ledger.records_statement(p_tenant text, p_log text, p_size bigint, p_filter jsonb, p_newest boolean, p_after_at bigint, p_after_index bigint, p_limit integer)
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
    -- The whole is looked for as well since it is counted: a phrase is estimated as if its words had nothing to do with each other, and a common one read from end to end.
    conditions := conditions || format(' AND words @@ (phraseto_tsquery(''simple'', %L) || %L::tsquery)', part->>'words', lexeme(part->>'whole'));
  END LOOP;
  IF p_after_at IS NOT NULL THEN
    conditions := conditions || format(' AND (recorded_at, leaf_index) %s (%s, %s)', CASE WHEN p_newest THEN '<' ELSE '>' END, p_after_at, p_after_index);
  END IF;
  RETURN format('SELECT leaf_index, recorded_at, record_id, kind, phase, operation_id, agent_id, tool_id, session_id, verdict, tx_outcome, fault_code, risk_score, is_drawn'
    ' FROM ledger.record_index WHERE %s ORDER BY recorded_at %s, leaf_index %s LIMIT %s', conditions, direction, direction, p_limit);
END $$;

-- A page of a tenant's records. As the owner, since under row-level security no index answers `@@`: it isn't leakproof. So it asks itself what the policy would: the tenant
-- must be one that the transaction names. Without compiling and without helpers: a page takes less time than either, and one reader one core.
CREATE FUNCTION ledger.find_records(p_tenant text, p_log text, p_size bigint, p_filter jsonb, p_newest boolean, p_after_at bigint, p_after_index bigint, p_limit integer)
RETURNS TABLE (leaf_index bigint, recorded_at bigint, record_id text, kind text, phase text, operation_id text, agent_id text, tool_id text, session_id text, verdict text,
  tx_outcome text, fault_code text, risk_score double precision, is_drawn boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = ledger, pg_temp SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
BEGIN
  IF p_tenant IS NULL OR p_tenant NOT IN (SELECT ledger.named_tenants()) THEN
    RAISE EXCEPTION 'the transaction names another tenant' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN QUERY EXECUTE ledger.records_statement(p_tenant, p_log, p_size, p_filter, p_newest, p_after_at, p_after_index, p_limit);
END $$;

REVOKE ALL ON FUNCTION ledger.lexeme, ledger.records_statement, ledger.find_records FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.find_records TO writ_ledger;
