-- Returns the schema that the extension pgvector is installed in, or null where it isn't. The functions of this folder
-- name its types by that schema, because no process has others than Writ's in its search path.
CREATE OR REPLACE FUNCTION info_store.vector_home() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT n.nspname::text FROM pg_catalog.pg_extension AS x JOIN pg_catalog.pg_namespace AS n ON n.oid = x.extnamespace WHERE x.extname = 'vector'
$$;
GRANT EXECUTE ON FUNCTION info_store.vector_home() TO writ_executor;
