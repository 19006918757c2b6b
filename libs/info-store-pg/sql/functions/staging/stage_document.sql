-- Stages one document of a change that is not sealed: its new version, or its removal. chunks: how many
-- info_store.stage_chunks brings. The tables refuse rows of a sealed or discarded change (42501). Sets the tenant, and
-- runs with the rights of its caller.
CREATE OR REPLACE FUNCTION info_store.stage_document(tenant text, store bigint, change text, document text, is_removal boolean, source text, metadata jsonb, chunks integer)
RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  INSERT INTO info_store.document_version (tenant_id, change_id, document_id, store_key, is_removal, source, metadata, chunks)
  VALUES (tenant, change, document, store, stage_document.is_removal, stage_document.source, stage_document.metadata, stage_document.chunks);
END $$;
GRANT EXECUTE ON FUNCTION info_store.stage_document(text, bigint, text, text, boolean, text, jsonb, integer) TO writ_executor;
