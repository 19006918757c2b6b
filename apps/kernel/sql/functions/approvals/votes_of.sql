-- Returns the votes of an approval as an array, oldest first: the columns of each, and `stands` (kernel.vote_stands).
CREATE OR REPLACE FUNCTION kernel.votes_of(a kernel.approval) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(to_jsonb(v) || jsonb_build_object('stands', vote_stands(v, a.asked)) ORDER BY v.created_at, v.vote_id), '[]')
          FROM vote v WHERE v.approval_id = a.approval_id);
END $$;
GRANT EXECUTE ON FUNCTION kernel.votes_of(kernel.approval) TO writ_kernel;
