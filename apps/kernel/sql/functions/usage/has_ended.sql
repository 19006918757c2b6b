-- Returns whether a call in the state has ended. An ambiguous one has, whatever a person finds out about it later.
CREATE OR REPLACE FUNCTION kernel.has_ended(p_state text) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT p_state IN ('refused', 'committed', 'rolled_back', 'no_op', 'ambiguous') $$;
GRANT EXECUTE ON FUNCTION kernel.has_ended(text) TO writ_kernel;
