-- The tenants that a transaction names stand in the policies themselves: a function in SQL that returns rows is parsed and planned anew by each statement that asks it, and every statement on
-- the log does.
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['leaf', 'tile', 'root', 'checkpoint', 'cosignature', 'record_index'] LOOP
    EXECUTE format($policy$ALTER POLICY named_tenants ON ledger.%1$I USING (tenant_id IN (%2$s)) WITH CHECK (tenant_id IN (%2$s))$policy$, t,
      $named$SELECT n FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',') || current_setting('writ.tenant_id', true)) AS named(n) WHERE n <> ''$named$);
  END LOOP;
END $$;
