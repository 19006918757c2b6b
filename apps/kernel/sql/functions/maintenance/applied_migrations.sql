-- Returns the migrations of this schema that were applied, oldest first: [{schema, name, applied_at}]. It runs as the
-- owner, since no other role reads the table of migrations, which libs/database keeps. Called as the worker's role.
CREATE OR REPLACE FUNCTION kernel.applied_migrations() RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('schema', 'kernel', 'name', m.name,
    'applied_at', (extract(epoch FROM m.applied_at) * 1000)::bigint) ORDER BY m.name), '[]')
  FROM kernel.applied_migration m
$$;
GRANT EXECUTE ON FUNCTION kernel.applied_migrations() TO writ_kernel_worker;
