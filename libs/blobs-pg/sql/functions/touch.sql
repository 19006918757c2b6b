-- Writes the present into `touched_at` of those contents that are there and were touched more than an hour ago. Younger
-- times stay, so that contents in constant use are not written each time. Returns nothing. blobs.put and blobs.sizes
-- call it, with the tenant set.
--
-- Rows are locked in the order of `hashes`. Callers of blobs.put sort them, so that two puts never wait for each other
-- in a circle. Rows are updated where they were found (ctid). A sweep that is taking one either waits, or is done
-- before and the content is gone.
CREATE OR REPLACE FUNCTION blobs.touch(tenant text, hashes bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE blobs.blob AS b SET touched_at = now()
  WHERE b.ctid = ANY (ARRAY(
    SELECT f.place FROM generate_series(1, octet_length(hashes), 32) AS at
    CROSS JOIN LATERAL (SELECT o.ctid AS place FROM blobs.blob AS o
      WHERE o.tenant_id = tenant AND o.sha256 = substring(hashes FROM at FOR 32) AND o.touched_at < now() - interval '1 hour'
      LIMIT 1 FOR UPDATE) AS f));
END $$;
GRANT EXECUTE ON FUNCTION blobs.touch(text, bytea) TO writ_executor, writ_kernel, writ_orchestrator;
