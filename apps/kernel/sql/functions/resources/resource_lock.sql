-- Returns the key of the advisory lock of a resource. A resource that does not exist has no row, so its name is locked.
-- A call that relies on a version takes it shared (kernel.versions_hold); setting a version takes it exclusively.
CREATE OR REPLACE FUNCTION kernel.resource_lock(p_tenant text, p_ref text) RETURNS bigint
LANGUAGE sql IMMUTABLE SET search_path = kernel, pg_temp
  AS $$ SELECT hashtextextended('writ.resource.' || p_tenant || '.' || p_ref, 0) $$;
GRANT EXECUTE ON FUNCTION kernel.resource_lock(text, text) TO writ_kernel;
