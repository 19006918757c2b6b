-- Returns the key of the advisory lock of an external version. What has no version has no row, so its name is locked.
-- A call that relies on a version takes it shared (kernel.external_versions_hold); setting a version takes it exclusively.
CREATE OR REPLACE FUNCTION kernel.external_version_lock(p_tenant text, p_ref text) RETURNS bigint
LANGUAGE sql IMMUTABLE SET search_path = kernel, pg_temp
  AS $$ SELECT hashtextextended('writ.external_version.' || p_tenant || '.' || p_ref, 0) $$;
GRANT EXECUTE ON FUNCTION kernel.external_version_lock(text, text) TO writ_kernel;
