-- Samples are sealed, and the kernel opens devices (ADR 0127). No released version stored any: there was no route.
DROP FUNCTION audio.segments(text, text, bigint, bigint, bigint);
DROP FUNCTION audio.extent(text, text, bigint);
TRUNCATE audio.ingest_device, audio.ingest_segment;
ALTER TABLE audio.ingest_segment DROP COLUMN pcm;
ALTER TABLE audio.ingest_segment ADD COLUMN sealed bytea NOT NULL CHECK (octet_length(sealed) BETWEEN 348 AND 320028);
ALTER TABLE audio.ingest_segment ALTER COLUMN sealed SET STORAGE EXTERNAL;
ALTER TABLE audio.ingest_device ADD COLUMN keep_ms bigint NOT NULL CHECK (keep_ms > 0);
GRANT UPDATE (keep_ms) ON audio.ingest_device TO writ_kernel;
CREATE POLICY ingest_device_worker ON audio.ingest_device FOR SELECT TO writ_kernel_worker USING (true);
GRANT SELECT (tenant_id, device_id, bytes, keep_ms) ON audio.ingest_device TO writ_kernel_worker;
REVOKE INSERT ON audio.ingest_device FROM writ_orchestrator;
GRANT INSERT ON audio.ingest_device TO writ_kernel;
