-- Returns whether a vote counts: it stands (kernel.vote_stands), and where the approval is reserved for groups, the person
-- whose right it is and the one who cast it are members of one of them, and were all the time since.
CREATE OR REPLACE FUNCTION kernel.vote_counts(v kernel.vote, a kernel.approval) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN vote_stands(v, a.asked) AND (v.says = 'deny' OR a.demands IS NULL
    OR shared_groups(v.tenant_id, ARRAY[v.principal, v.cast_as], v.created_at) && groups_of_approval(a));
END $$;
GRANT EXECUTE ON FUNCTION kernel.vote_counts(kernel.vote, kernel.approval) TO writ_kernel;
