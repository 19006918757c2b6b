-- Row-level security of the log is judged against the tenants that a transaction names, read once a statement and looked up for each row. ledger.visible
-- took the list apart for every row anew, so that a batch of as many rows as tenants cost the square of their number.

CREATE FUNCTION ledger.named_tenants() RETURNS SETOF text LANGUAGE sql STABLE
  AS $$ SELECT t FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',') || current_setting('writ.tenant_id', true)) AS named(t) WHERE t <> '' $$;
GRANT EXECUTE ON FUNCTION ledger.named_tenants TO writ_ledger;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['leaf', 'tile', 'root', 'checkpoint'] LOOP
    EXECUTE format('ALTER POLICY named_tenants ON ledger.%I USING (tenant_id IN (SELECT ledger.named_tenants())) WITH CHECK (tenant_id IN (SELECT ledger.named_tenants()))', t);
  END LOOP;
END $$;
