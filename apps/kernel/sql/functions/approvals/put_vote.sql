-- Writes a vote about an approval. The caller has locked the operation.
--
-- p: the columns of the vote and, where it approves, `seen` {asked, votes}: the round of the approval
-- (`approval.asked`) and the ids of the approving votes that it was counted with.
--
-- Raises WR001; the caller reads the held call and decides again:
--   delegation  the delegation that the vote uses is revoked, has expired, or is for others
--   approval    the approval is for something else by now
--   votes       other approving votes count by now
--   person      the person whose right it is, or who casts it, has an approving vote that counts
--
-- It also raises `groups` of the trigger kernel.assert_voter_in_group.
--
-- Locks: the delegations of this vote and of earlier ones, by id (FOR SHARE). A revocation of one waits until the votes
-- that use it are counted; a vote after the revocation sees it.
CREATE OR REPLACE FUNCTION kernel.put_vote(p_tenant text, p jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  n vote := jsonb_populate_record(NULL::vote, p);
  a approval;
BEGIN
  SELECT * INTO a FROM approval x WHERE x.approval_id = n.approval_id;
  -- A revocation of a delegation waits for this transaction, or it has committed and is seen below.
  PERFORM 1 FROM delegation d WHERE d.delegation_id = n.delegation_id OR d.delegation_id IN (SELECT v.delegation_id FROM vote v WHERE v.approval_id = n.approval_id) ORDER BY d.delegation_id FOR SHARE;
  IF n.delegation_id IS NOT NULL THEN
    PERFORM 1 FROM delegation d WHERE d.delegation_id = n.delegation_id AND d.from_principal = n.principal AND d.to_principal = n.cast_as AND d.role = n.role
      AND d.revoked_at IS NULL AND d.expires_at > now_ms();
    IF NOT FOUND THEN PERFORM decide_again('delegation'); END IF;
  END IF;
  IF n.says = 'approve' THEN
    IF a.asked IS DISTINCT FROM (p #>> '{seen,asked}')::integer THEN PERFORM decide_again('approval'); END IF;
    IF ARRAY(SELECT v.vote_id FROM vote v WHERE v.approval_id = n.approval_id AND v.says = 'approve' AND vote_counts(v, a) ORDER BY v.vote_id)
      IS DISTINCT FROM ARRAY(SELECT x FROM jsonb_array_elements_text(p #> '{seen,votes}') AS x ORDER BY x) THEN PERFORM decide_again('votes'); END IF;
    PERFORM 1 FROM vote v WHERE v.approval_id = n.approval_id AND v.says = 'approve' AND vote_counts(v, a) AND (v.principal = n.principal OR v.cast_as = n.cast_as);
    IF FOUND THEN PERFORM decide_again('person'); END IF;
  END IF;
  INSERT INTO vote (vote_id, tenant_id, approval_id, asked, says, principal, role, cast_by, cast_as, delegation_id, effect_digest, comment, record_id)
  VALUES (n.vote_id, p_tenant, n.approval_id, a.asked, n.says, n.principal, n.role, n.cast_by, n.cast_as, n.delegation_id, a.effect_digest, n.comment, n.record_id);
END $$;
GRANT EXECUTE ON FUNCTION kernel.put_vote(text, jsonb) TO writ_kernel;
