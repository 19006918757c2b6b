-- What devices of each tenant have recorded lately: a ring buffer for each device. The orchestrator stores what devices
-- upload, the executor reads it for calls, and the kernel removes it.
--
-- INVARIANT (own tenant): row-level security shows and accepts rows of that tenant alone that writ.tenant_id names.
-- The setting is null or empty where a transaction has not set it, and no row has such a tenant.
-- INVARIANT (bounded): whoever inserts frames of a device locks its row first (audio.append), and removes the oldest in
-- the same transaction until `bytes` is within the limit of the device. `bytes` is the sum over its segments.
-- INVARIANT (sealed): samples lie here sealed, under a key of the device that only the kernel makes. Whoever reads these
-- tables, or a copy of them, hears nothing.
-- INVARIANT (open first): the kernel opens a device (audio.open) and removes it (audio.forget). Frames of a device that
-- is not open are refused, so that none come back after a removal.
-- INVARIANT (numbers rise): a device's numbers are stored in rising order, and none twice.

-- A device that may send. It lives until the device is removed (audio.forget).
CREATE TABLE audio.ingest_device (
  tenant_id        text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  device_id        text COLLATE "C" NOT NULL CHECK (device_id <> ''), -- the id of the resource
  next_seq         bigint NOT NULL CHECK (next_seq >= 0),             -- lower numbers were sent already, or are lost
  bytes            bigint NOT NULL CHECK (bytes >= 0),                -- of the samples of its segments
  -- End of the newest frame that retention has removed, in milliseconds since 1970; 0 if it has removed none.
  removed_until_ms bigint NOT NULL CHECK (removed_until_ms >= 0),
  keep_ms          bigint NOT NULL CHECK (keep_ms > 0), -- how long the kernel keeps its frames
  CONSTRAINT ingest_device_pkey PRIMARY KEY (tenant_id, device_id)
);
ALTER TABLE audio.ingest_device ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY ingest_device_own ON audio.ingest_device
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- The kernel's worker finds devices of all tenants whose frames may be too old, and sees no more of them.
CREATE POLICY ingest_device_worker ON audio.ingest_device FOR SELECT TO writ_kernel_worker USING (true);
GRANT SELECT (tenant_id, device_id, bytes, keep_ms) ON audio.ingest_device TO writ_kernel_worker;
GRANT SELECT, UPDATE (next_seq, bytes, removed_until_ms) ON audio.ingest_device TO writ_orchestrator;
GRANT SELECT ON audio.ingest_device TO writ_executor;
GRANT SELECT, INSERT, UPDATE (bytes, removed_until_ms, keep_ms), DELETE ON audio.ingest_device TO writ_kernel;

-- A frame of a device. The orchestrator stores it (audio.append); retention removes it, there or in audio.expire.
CREATE TABLE audio.ingest_segment (
  tenant_id text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  device_id text COLLATE "C" NOT NULL,
  seq       bigint NOT NULL CHECK (seq >= 0),
  start_ms  bigint NOT NULL CHECK (start_ms >= 0), -- time of its first sample, in milliseconds since 1970
  end_ms    bigint NOT NULL,                       -- time after its last sample, rounded up
  -- nonce ‖ ciphertext ‖ tag of its samples: 28 bytes more than these, which have 16 bits each (mono, 16 kHz).
  sealed    bytea NOT NULL CHECK (octet_length(sealed) BETWEEN 348 AND 320028),
  CONSTRAINT ingest_segment_pkey PRIMARY KEY (tenant_id, device_id, seq),
  CONSTRAINT ingest_segment_of_device FOREIGN KEY (tenant_id, device_id)
    REFERENCES audio.ingest_device (tenant_id, device_id) ON DELETE CASCADE,
  CONSTRAINT ingest_segment_times CHECK (end_ms > start_ms)
);
-- What is sealed doesn't compress, and is written while a device waits.
ALTER TABLE audio.ingest_segment ALTER COLUMN sealed SET STORAGE EXTERNAL;
-- Windows, and what is too old.
CREATE INDEX ingest_segment_by_end ON audio.ingest_segment (tenant_id, device_id, end_ms);
ALTER TABLE audio.ingest_segment ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY ingest_segment_own ON audio.ingest_segment
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- A frame never changes. The orchestrator removes what is beyond a device's retention, in audio.append.
GRANT SELECT, INSERT, DELETE ON audio.ingest_segment TO writ_orchestrator;
GRANT SELECT ON audio.ingest_segment TO writ_executor;
GRANT SELECT, DELETE ON audio.ingest_segment TO writ_kernel;
