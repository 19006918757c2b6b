-- Returns a page of a tenant's records from the index, ordered by time and then by leaf index.
--
-- p_size: only leaves before this index exist for the caller. p_filter: see ledger.records_statement. p_newest: newest
-- first. p_after_at, p_after_index: time and index of the last record of the page before; null for the first page.
--
-- It runs as the owner, past row-level security of the caller. Under a policy no index answers `@@`, because that
-- operator is not leakproof, and each word would cost a walk over all records. So it makes the policy's
-- check itself:
-- INVARIANT (named tenant): the tenant must be one that the transaction names, in writ.tenant_id or writ.tenant_ids.
-- It raises insufficient_privilege (42501) otherwise; for the caller that is a bug.
--
-- Without compiling and without parallel workers: a page takes less time than either, and one reader gets one core.
CREATE OR REPLACE FUNCTION ledger.find_records(p_tenant text, p_log text, p_size bigint, p_filter jsonb, p_newest boolean, p_after_at bigint, p_after_index bigint, p_limit integer)
RETURNS TABLE (leaf_index bigint, recorded_at bigint, record_id text, kind text, phase text, operation_id text, agent_id text, tool_id text, session_id text, verdict text,
  tx_outcome text, fault_code text, risk_score double precision, is_drawn boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = ledger, pg_temp SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
BEGIN
  IF p_tenant IS NULL OR p_tenant NOT IN (SELECT ledger.named_tenants()) THEN
    RAISE EXCEPTION 'the transaction names another tenant' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN QUERY EXECUTE ledger.records_statement(p_tenant, p_log, p_size, p_filter, p_newest, p_after_at, p_after_index, p_limit);
END $$;
GRANT EXECUTE ON FUNCTION ledger.find_records(text, text, bigint, jsonb, boolean, bigint, bigint, integer) TO writ_ledger;
