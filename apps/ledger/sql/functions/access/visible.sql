-- Returns whether the transaction names a tenant, in writ.tenant_id or in writ.tenant_ids. No policy, function or
-- process calls it: the policies read the list once a statement, while this would take the list apart for each row.
CREATE OR REPLACE FUNCTION ledger.visible(p_tenant text) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT p_tenant = current_setting('writ.tenant_id', true)
            OR p_tenant = ANY (string_to_array(current_setting('writ.tenant_ids', true), ',')) $$;
GRANT EXECUTE ON FUNCTION ledger.visible(text) TO writ_ledger;
