-- Removes what changes of these operations put into stores: documents that show one of their versions are gone, and no
-- older version of them shows again. Replaced versions are gone already. Unpublished changes are discarded. Returns how
-- many documents it removed. info_store.sweep takes the rows. What the changes removed stays removed.
--
-- Callers MUST name operations that are over: nobody publishes a change of them any more.
--
-- Locks: changes, then stores in the order of their keys, then rows of documents. Sets the tenant, and runs with the
-- rights of its caller, also in an open transaction.
CREATE OR REPLACE FUNCTION info_store.forget_changes(tenant text, operations text[]) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE target bigint; removed integer := 0; gone integer; gone_chunks bigint;
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  UPDATE info_store.change AS c SET is_discarded = true
    WHERE c.tenant_id = tenant AND c.operation_id = ANY (operations) AND c.published_version IS NULL AND NOT c.is_discarded;
  FOR target IN SELECT DISTINCT c.store_key FROM info_store.change AS c
    WHERE c.tenant_id = tenant AND c.operation_id = ANY (operations) AND c.published_version IS NOT NULL ORDER BY c.store_key
  LOOP
    PERFORM FROM info_store.store AS s WHERE s.tenant_id = tenant AND s.store_key = target FOR UPDATE;
    WITH put AS (
      SELECT v.change_id, v.document_id, v.chunks FROM info_store.change AS c
      JOIN info_store.document_version AS v ON v.tenant_id = tenant AND v.change_id = c.change_id
      WHERE c.tenant_id = tenant AND c.operation_id = ANY (operations) AND c.store_key = target AND c.published_version IS NOT NULL AND NOT v.superseded),
    marked AS (
      UPDATE info_store.document_version AS v SET superseded = true FROM put WHERE v.tenant_id = tenant AND v.change_id = put.change_id AND v.document_id = put.document_id),
    heads AS (
      DELETE FROM info_store.document AS d USING put
      WHERE d.tenant_id = tenant AND d.store_key = target AND d.document_id = put.document_id AND d.change_id = put.change_id RETURNING put.chunks)
    SELECT count(*), coalesce(sum(h.chunks), 0) INTO gone, gone_chunks FROM heads AS h;
    -- Another version, so that nobody searches vectors that are cached of this one.
    IF gone > 0 THEN
      UPDATE info_store.store AS s SET version = s.version + 1, documents = s.documents - gone, chunks = s.chunks - gone_chunks
        WHERE s.tenant_id = tenant AND s.store_key = target;
    END IF;
    removed := removed + gone;
  END LOOP;
  RETURN removed;
END $$;
GRANT EXECUTE ON FUNCTION info_store.forget_changes(text, text[]) TO writ_kernel;
