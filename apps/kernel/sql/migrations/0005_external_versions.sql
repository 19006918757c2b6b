-- Versions of things outside have a name of their own: a resource is what agents are granted. Their ids get another
-- prefix, and no record names one. Calls that wait name the new kind in their preconditions.
DO $$
BEGIN
  IF to_regclass('kernel.external_version') IS NOT NULL THEN RETURN; END IF;
  ALTER TABLE kernel.resource RENAME TO external_version;
  ALTER TABLE kernel.external_version RENAME COLUMN resource_id TO external_version_id;
  ALTER TABLE kernel.external_version RENAME CONSTRAINT resource_pkey TO external_version_pkey;
  ALTER TABLE kernel.external_version RENAME CONSTRAINT resource_resource_id_key TO external_version_external_version_id_key;
  ALTER TABLE kernel.external_version RENAME CONSTRAINT resource_tenant_id_fkey TO external_version_tenant_id_fkey;
  ALTER TABLE kernel.external_version RENAME CONSTRAINT resource_version_check TO external_version_version_check;
  ALTER INDEX kernel.resource_by_tenant RENAME TO external_version_by_tenant;
END $$;
-- Row-level security binds the owner, too: it sees all tenants for these two statements.
ALTER TABLE kernel.external_version NO FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.operation NO FORCE ROW LEVEL SECURITY;
UPDATE kernel.external_version SET external_version_id = 'xvr_' || substr(external_version_id, 5)
  WHERE external_version_id LIKE 'res\_%';
UPDATE kernel.operation o SET precondition_refs = (
    SELECT jsonb_agg(CASE WHEN x.ref->>'kind' = 'resource' THEN x.ref || '{"kind":"external_version"}' ELSE x.ref END ORDER BY x.ord)
    FROM jsonb_array_elements(o.precondition_refs) WITH ORDINALITY AS x(ref, ord))
  WHERE o.precondition_refs @> '[{"kind":"resource"}]';
ALTER TABLE kernel.external_version FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.operation FORCE ROW LEVEL SECURITY;
DROP FUNCTION IF EXISTS kernel.resource_lock(text, text);
DROP FUNCTION IF EXISTS kernel.resource_versions(text, text[]);
DROP FUNCTION IF EXISTS kernel.versions_hold(text, jsonb);
DELETE FROM kernel.applied_function WHERE name IN ('resource_lock', 'resource_versions', 'versions_hold');
