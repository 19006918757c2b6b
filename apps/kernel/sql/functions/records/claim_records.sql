-- Claims records in the outbox that were not sent for p_older_ms, for p_claim_ms milliseconds, and returns them.
-- The oldest p_rows are claimed; the rows of the reply have no order. A younger record belongs to the replica that
-- wrote it. One that is not dropped in time (kernel.drop_records) is claimed again; the ledger discards duplicates.
-- Runs as the worker role. Rows that another sender has locked are skipped.
CREATE OR REPLACE FUNCTION kernel.claim_records(p_older_ms bigint, p_claim_ms bigint, p_rows integer)
RETURNS TABLE (record_id text, tenant_id text, payload bytea, keyid text, sig bytea)
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t bigint := now_ms();
BEGIN
  RETURN QUERY
    WITH due AS (
      SELECT o.record_id FROM outbox o WHERE o.created_at < t - p_older_ms AND o.claimed_until < t
      ORDER BY o.created_at, o.record_id LIMIT p_rows FOR UPDATE SKIP LOCKED)
    UPDATE outbox x SET claimed_until = t + p_claim_ms FROM due WHERE x.record_id = due.record_id
    RETURNING x.record_id, x.tenant_id, x.payload, x.keyid, x.sig;
END $$;
GRANT EXECUTE ON FUNCTION kernel.claim_records(bigint, bigint, integer) TO writ_kernel_worker;
