-- Makes a staged change visible, in the transaction that commits its call: all of it, or nothing. Returns the store's id
-- and the version from which on it is visible. A change that is published already returns the same again.
--
-- It writes one head for each document of the change, of which there are 256 at most, and reads no chunk. Of two changes
-- of a document, the one that is published last shows.
--
-- Raises info_store_change_unknown (WR031) where the tenant has no such change, or it is not sealed, or discarded;
-- info_store_change_differs (WR032) where it has another operation or digest; info_store_unknown (WR033) where its store
-- was removed.
--
-- Locks: the change, its store, then rows of its documents, in this order. Changes of one store wait for each other.
-- Sets the tenant, and runs with the rights of its caller.
CREATE OR REPLACE FUNCTION info_store.publish(tenant text, operation text, change text, expected bytea)
RETURNS TABLE (store_id text, version bigint) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE staged info_store.change; target info_store.store; item record; shown text; old_chunks integer; more_documents bigint := 0; more_chunks bigint := 0;
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  SELECT * INTO staged FROM info_store.change AS c WHERE c.tenant_id = tenant AND c.change_id = change FOR UPDATE;
  IF NOT FOUND OR staged.sealed_at IS NULL OR staged.is_discarded THEN
    RAISE EXCEPTION 'there is no such staged change' USING ERRCODE = 'WR031';
  END IF;
  IF staged.operation_id IS DISTINCT FROM operation OR staged.digest IS DISTINCT FROM expected THEN
    RAISE EXCEPTION 'the change has another operation or digest' USING ERRCODE = 'WR032';
  END IF;
  SELECT * INTO target FROM info_store.store AS s WHERE s.tenant_id = tenant AND s.store_key = staged.store_key AND s.removed_at IS NULL FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'the store is gone' USING ERRCODE = 'WR033'; END IF;
  IF staged.published_version IS NOT NULL THEN
    RETURN QUERY SELECT target.store_id, staged.published_version;
    RETURN;
  END IF;
  -- One document after another, each by its primary key. Statements over all of them would get plans that read all
  -- documents of the tenant, see blobs.get.
  FOR item IN SELECT v.document_id, v.is_removal, v.chunks FROM info_store.document_version AS v
    WHERE v.tenant_id = tenant AND v.change_id = change ORDER BY v.document_id
  LOOP
    SELECT d.change_id INTO shown FROM info_store.document AS d
      WHERE d.tenant_id = tenant AND d.store_key = staged.store_key AND d.document_id = item.document_id;
    IF FOUND THEN
      UPDATE info_store.document_version AS v SET superseded = true
        WHERE v.tenant_id = tenant AND v.change_id = shown AND v.document_id = item.document_id RETURNING v.chunks INTO old_chunks;
      more_documents := more_documents - 1;
      more_chunks := more_chunks - old_chunks;
    END IF;
    IF item.is_removal THEN
      -- A removal never shows.
      UPDATE info_store.document_version AS v SET superseded = true
        WHERE v.tenant_id = tenant AND v.change_id = change AND v.document_id = item.document_id;
      DELETE FROM info_store.document AS d
        WHERE d.tenant_id = tenant AND d.store_key = staged.store_key AND d.document_id = item.document_id;
    ELSE
      INSERT INTO info_store.document AS d (tenant_id, store_key, document_id, change_id)
        VALUES (tenant, staged.store_key, item.document_id, change)
        ON CONFLICT ON CONSTRAINT document_pkey DO UPDATE SET change_id = excluded.change_id;
      more_documents := more_documents + 1;
      more_chunks := more_chunks + item.chunks;
    END IF;
  END LOOP;
  UPDATE info_store.store AS s SET version = s.version + 1, documents = s.documents + more_documents, chunks = s.chunks + more_chunks
    WHERE s.tenant_id = tenant AND s.store_key = staged.store_key;
  UPDATE info_store.change AS c SET published_version = target.version + 1 WHERE c.tenant_id = tenant AND c.change_id = change;
  RETURN QUERY SELECT target.store_id, target.version + 1;
END $$;
GRANT EXECUTE ON FUNCTION info_store.publish(text, text, text, bytea) TO writ_kernel;
