-- Admits several calls in one transaction, each as kernel.admit does, in the given order (group commit, ADR 0081).
-- Returns an array with an element for each call: the row of its operation, or null where nothing was written for it.
--
-- The parameters are arrays of those of kernel.admit, with p as text.
--
-- A null hides the error: a fact has changed, the operation id is taken, or a row is locked. The caller then admits
-- that call alone with kernel.admit, which raises the reason. Each call is admitted in a subtransaction, so one that
-- fails releases its locks and leaves the others as they are. The lock timeout is short, since a call that waits makes
-- the whole group wait.
--
-- Locks: those of kernel.admit for each call, kept until COMMIT. The caller sorts the calls by tenant, and it passes of
-- each tenant only calls of one token. So two groups take their locks in the same order.
CREATE OR REPLACE FUNCTION kernel.admit_each(
  p_tenants text[], p text[], p_args bytea[], p_salts bytea[], p_fingerprints bytea[]
) RETURNS json
LANGUAGE plpgsql SET search_path = kernel, pg_temp SET lock_timeout = '5ms' AS $$
DECLARE
  written text[] := '{}';
  one text;
BEGIN
  FOR i IN 1 .. cardinality(p_tenants) LOOP
    BEGIN
      one := admit(p_tenants[i], p[i]::jsonb, p_args[i], p_salts[i], p_fingerprints[i])::text;
    EXCEPTION WHEN OTHERS THEN
      one := 'null';
    END;
    written := written || one;
  END LOOP;
  RETURN '[' || array_to_string(written, ',') || ']';
END $$;
GRANT EXECUTE ON FUNCTION kernel.admit_each(text[], text[], bytea[], bytea[], bytea[]) TO writ_kernel;
