-- Returns the votes of an approval as an array, oldest first: the columns of each; `stands` (kernel.vote_counts); and
-- `groups`, those that the person whose right it is and the one who cast it are both members of since the vote.
CREATE OR REPLACE FUNCTION kernel.votes_of(a kernel.approval) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(to_jsonb(v) || jsonb_build_object('stands', vote_counts(v, a), 'groups', shared_groups(v.tenant_id, ARRAY[v.principal, v.cast_as], v.created_at)) ORDER BY v.created_at, v.vote_id), '[]')
          FROM vote v WHERE v.approval_id = a.approval_id);
END $$;
GRANT EXECUTE ON FUNCTION kernel.votes_of(kernel.approval) TO writ_kernel;
