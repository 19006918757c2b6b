-- Returns the groups whose members may approve: those that the policy names, and those that it was escalated to. Null:
-- the approval is reserved for none.
CREATE OR REPLACE FUNCTION kernel.groups_of_approval(a kernel.approval) RETURNS text[]
LANGUAGE sql IMMUTABLE SET search_path = kernel, pg_temp AS $$
  SELECT CASE WHEN a.demands IS NULL THEN NULL ELSE
    a.escalated_to || ARRAY(SELECT jsonb_array_elements_text(d -> 'any_of') FROM jsonb_array_elements(a.demands) AS d) END;
$$;
GRANT EXECUTE ON FUNCTION kernel.groups_of_approval(kernel.approval) TO writ_kernel;
