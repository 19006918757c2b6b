-- Returns the tenant of this transaction, which row-level security confines the role writ_kernel to. Null or empty
-- where none is set, and then that role sees no rows. Functions set it with set_config. The
-- role writ_kernel_worker works across tenants: it finds what is due, dispatches and sends records, with grants per
-- table.
CREATE OR REPLACE FUNCTION kernel.tenant() RETURNS text LANGUAGE sql STABLE
  AS $$ SELECT current_setting('writ.tenant_id', true) $$;
GRANT EXECUTE ON FUNCTION kernel.tenant() TO writ_kernel, writ_kernel_worker;
