-- Inserts signed records into the outbox, from which the kernel sends them to the ledger.
-- It is called in the transaction that the records are about, so that neither is durable without the other.
-- p_records: [{record_id, payload, keyid, sig}], payload and sig as base64.
CREATE OR REPLACE FUNCTION kernel.post_records(p_tenant text, p_records jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  r jsonb;
BEGIN
  FOR i IN 0 .. jsonb_array_length(p_records) - 1 LOOP
    r := p_records -> i;
    INSERT INTO outbox (record_id, tenant_id, payload, keyid, sig)
    VALUES (r ->> 'record_id', p_tenant, decode(r ->> 'payload', 'base64'), r ->> 'keyid', decode(r ->> 'sig', 'base64'));
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION kernel.post_records(text, jsonb) TO writ_kernel;
