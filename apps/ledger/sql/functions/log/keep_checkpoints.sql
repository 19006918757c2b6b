-- Stores signed checkpoints of committed roots: log, size, tenant and note, one row for each element of the arrays.
-- An existing checkpoint stays unchanged, since two replicas write the same note. Returns nothing.
--
-- Raises foreign_key_violation (23503) for a root that is not committed. The caller reports the error. A note that is
-- not stored only has to be signed again, with the same bytes, at the next request.
--
-- Plans go by primary keys and without compiling, see ledger.open_batch.
CREATE OR REPLACE FUNCTION ledger.keep_checkpoints(p_logs text[], p_sizes bigint[], p_tenants text[], p_notes text[]) RETURNS void LANGUAGE plpgsql
SET search_path = ledger, pg_temp SET enable_bitmapscan = off SET enable_seqscan = off SET jit = off AS $$
BEGIN
  PERFORM set_config('writ.tenant_ids', array_to_string(p_tenants, ','), true);
  INSERT INTO checkpoint (log_id, tree_size, tenant_id, note)
    SELECT * FROM unnest(p_logs, p_sizes, p_tenants, p_notes) ON CONFLICT DO NOTHING;
END $$;
GRANT EXECUTE ON FUNCTION ledger.keep_checkpoints(text[], bigint[], text[], text[]) TO writ_ledger;
