-- Group commit of admissions (ADR 0081).

-- Admits calls of several tenants, each as kernel.admit would, in the order given, and all of them in this transaction. Answers with an array of as many elements: the row of a call that was admitted, and
-- null for one of which nothing was written, be it that its facts moved, that it can't be, or that something of it is locked: whoever asks writes it by itself then, and is told why.
-- Each has a block of its own, so what one has locked or written before it fails is gone, and the others stand. None waits long for what its tenant has locked: the others would.
CREATE FUNCTION kernel.admit_each(p_tenants text[], p text[], p_args bytea[], p_salts bytea[], p_fingerprints bytea[]) RETURNS json
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
GRANT EXECUTE ON FUNCTION kernel.admit_each TO writ_kernel;
