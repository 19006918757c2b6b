-- `touched_at` lags by up to an hour, so what was touched within three hours may have been spoken of within two.
ALTER POLICY blob_take ON blobs.blob
  USING (tenant_id = current_setting('writ.tenant_id', true) AND touched_at < now() - interval '3 hours');
ALTER POLICY chunk_take ON blobs.chunk
  USING (tenant_id = current_setting('writ.tenant_id', true) AND touched_at < now() - interval '3 hours');
