-- Deletes notices that their consumer has stored. Runs as the worker role.
-- COMMIT does not wait for the disk: a deletion that a crash undoes only delivers the notice once more.
CREATE OR REPLACE FUNCTION kernel.drop_notices(p_notices text[]) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM notice WHERE notice_id = ANY (p_notices);
END $$;
GRANT EXECUTE ON FUNCTION kernel.drop_notices(text[]) TO writ_kernel_worker;
