-- Removes up to `most` documents of a tenant that nothing shows any more, with their chunks: versions that were replaced,
-- those of discarded changes and of removed stores. Unpublished changes that began before `before` are discarded first:
-- the caller MUST know that no operation will publish them. Returns how many it removed; the caller calls it until there
-- are none.
--
-- Locks: changes and versions; those that others have locked are left for the next call. Sets the tenant, and runs with
-- the rights of its caller.
CREATE OR REPLACE FUNCTION info_store.sweep(tenant text, before timestamptz, most integer) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE removed integer;
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  UPDATE info_store.change AS c SET is_discarded = true WHERE c.tenant_id = tenant AND c.change_id IN (
    SELECT o.change_id FROM info_store.change AS o WHERE o.tenant_id = tenant AND o.created_at < before AND o.published_version IS NULL AND NOT o.is_discarded
    ORDER BY o.created_at LIMIT most FOR UPDATE SKIP LOCKED);
  WITH named AS (
    (SELECT v.change_id, v.document_id FROM info_store.document_version AS v WHERE v.tenant_id = tenant AND v.superseded LIMIT most)
    UNION
    (SELECT v.change_id, v.document_id FROM info_store.change AS c JOIN info_store.document_version AS v ON v.tenant_id = tenant AND v.change_id = c.change_id
      WHERE c.tenant_id = tenant AND c.is_discarded LIMIT most)
    UNION
    (SELECT v.change_id, v.document_id FROM info_store.store AS s JOIN info_store.document_version AS v ON v.tenant_id = tenant AND v.store_key = s.store_key
      WHERE s.tenant_id = tenant AND s.removed_at IS NOT NULL LIMIT most)),
  old AS (
    SELECT v.change_id, v.document_id, v.store_key FROM info_store.document_version AS v
    WHERE v.tenant_id = tenant AND (v.change_id, v.document_id) IN (SELECT n.change_id, n.document_id FROM named AS n)
    LIMIT most FOR UPDATE SKIP LOCKED),
  chunks AS (
    DELETE FROM info_store.chunk AS c USING old WHERE c.tenant_id = tenant AND c.change_id = old.change_id AND c.document_id = old.document_id),
  heads AS (
    DELETE FROM info_store.document AS d USING old WHERE d.tenant_id = tenant AND d.store_key = old.store_key AND d.document_id = old.document_id AND d.change_id = old.change_id),
  versions AS (
    DELETE FROM info_store.document_version AS v USING old WHERE v.tenant_id = tenant AND v.change_id = old.change_id AND v.document_id = old.document_id
    RETURNING 1)
  SELECT count(*) INTO removed FROM versions;
  -- Changes and stores of which nothing is left. A published change is kept as long as one of its documents shows:
  -- info_store.forget_changes finds them by it. And it is kept as long as its operation may ask again.
  DELETE FROM info_store.change AS c WHERE c.tenant_id = tenant AND c.change_id IN (
    SELECT o.change_id FROM info_store.change AS o WHERE o.tenant_id = tenant AND (o.is_discarded OR o.published_version IS NOT NULL AND o.created_at < before)
      AND NOT EXISTS (SELECT FROM info_store.document_version AS v WHERE v.tenant_id = tenant AND v.change_id = o.change_id)
    ORDER BY o.created_at LIMIT most FOR UPDATE SKIP LOCKED);
  DELETE FROM info_store.store AS s WHERE s.tenant_id = tenant AND s.removed_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM info_store.document_version AS v WHERE v.tenant_id = tenant AND v.store_key = s.store_key);
  RETURN removed;
END $$;
GRANT EXECUTE ON FUNCTION info_store.sweep(text, timestamp with time zone, integer) TO writ_kernel;
