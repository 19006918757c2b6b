-- Returns whether a vote counts: it was cast in the current round of its approval (p_asked), the delegation that it used,
-- if any, isn't revoked, and neither the person whose vote it is nor the one who cast it is offboarded or suspended. A
-- delegation that has expired since the vote was valid when it was used.
--
-- A vote counts no more once a later approving one of the same person was cast, whether or not that one counts: of two
-- persons who acted on one right, one was suspended while the other voted. INVARIANT (one person, one vote): the former
-- one stays uncounted when the suspension ends.
CREATE OR REPLACE FUNCTION kernel.vote_stands(v kernel.vote, p_asked integer) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN v.asked = p_asked AND NOT EXISTS (SELECT 1 FROM delegation d WHERE d.delegation_id = v.delegation_id AND d.revoked_at IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM offboarded_person o WHERE o.tenant_id = v.tenant_id AND o.principal IN (v.principal, v.cast_as))
    AND NOT EXISTS (SELECT 1 FROM suspended_person s WHERE s.tenant_id = v.tenant_id AND s.principal IN (v.principal, v.cast_as))
    AND NOT EXISTS (SELECT 1 FROM vote l WHERE l.approval_id = v.approval_id AND l.asked = v.asked AND l.says = 'approve'
      AND (l.principal = v.principal OR l.cast_as = v.cast_as) AND (l.created_at, l.vote_id) > (v.created_at, v.vote_id));
END $$;
GRANT EXECUTE ON FUNCTION kernel.vote_stands(kernel.vote, integer) TO writ_kernel;
