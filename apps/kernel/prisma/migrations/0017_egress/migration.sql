-- The way out: every request that asked to leave stands in the call's payload, where it may be erased; its record names how many there were and their hash.
ALTER TABLE kernel.payload ADD COLUMN requests bytea;
COMMENT ON COLUMN kernel.payload.requests IS 'RFC 8785 JSON of the requests of the attempt that ended the call, encrypted';
