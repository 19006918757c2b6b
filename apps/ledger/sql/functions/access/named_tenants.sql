-- Returns the tenants that the transaction names, in writ.tenant_ids (a list, separated by commas) and in
-- writ.tenant_id. ledger.find_records calls it. The policies of the tables contain the same expression: Postgres plans
-- a set-returning SQL function anew for each statement, and every statement on the log needs the list.
CREATE OR REPLACE FUNCTION ledger.named_tenants() RETURNS SETOF text LANGUAGE sql STABLE
  AS $$ SELECT t FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',') || current_setting('writ.tenant_id', true)) AS named(t) WHERE t <> '' $$;
GRANT EXECUTE ON FUNCTION ledger.named_tenants() TO writ_ledger;
