-- Deletes records from the outbox that the ledger has confirmed. Runs as the worker role.
-- COMMIT does not wait for the disk: a deletion that a crash undoes only sends the record once more.
CREATE OR REPLACE FUNCTION kernel.drop_records(p_records text[]) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM outbox WHERE record_id = ANY (p_records);
END $$;
GRANT EXECUTE ON FUNCTION kernel.drop_records(text[]) TO writ_kernel_worker;
