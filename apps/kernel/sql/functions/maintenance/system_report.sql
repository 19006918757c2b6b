-- Returns what the database says about the installation: {now, version, connections_max, settings, outbox, migrations}.
--   settings    of pg_settings, those that a COMMIT needs to survive a power cut: {name: setting}
--   outbox      {rows, oldest_at}: records of all tenants that wait for the ledger, counted to p_rows_max + 1
--   migrations  as kernel.applied_migrations
-- Called as the worker's role.
CREATE OR REPLACE FUNCTION kernel.system_report(p_rows_max integer) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN jsonb_build_object(
    'now', now_ms(),
    'version', current_setting('server_version'),
    'connections_max', current_setting('max_connections')::integer,
    'settings', (SELECT jsonb_object_agg(s.name, s.setting) FROM pg_settings s WHERE s.name IN ('fsync', 'full_page_writes', 'synchronous_commit')),
    'outbox', jsonb_build_object(
      'rows', (SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT p_rows_max + 1) x),
      'oldest_at', (SELECT min(x.created_at) FROM outbox x)),
    'migrations', applied_migrations());
END $$;
GRANT EXECUTE ON FUNCTION kernel.system_report(integer) TO writ_kernel_worker;
