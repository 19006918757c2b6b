-- Trigger of kernel.approval, at the end of the transaction that approves it. Refuses (WR001 `groups`) unless enough of
-- the persons that the approval is reserved for have approved it, as they are members since they voted: for each demand so many of
-- its groups, and as many in all as the quorum says. It holds for every version of the kernel that runs.
--
-- The last vote of the transaction has locked the groups (kernel.assert_voter_in_group).
CREATE OR REPLACE FUNCTION kernel.assert_groups_approved() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  a approval;
BEGIN
  SELECT * INTO a FROM approval x WHERE x.approval_id = NEW.approval_id;
  IF (SELECT count(*) FROM vote v WHERE v.approval_id = a.approval_id AND v.says = 'approve' AND vote_counts(v, a)) < a.quorum THEN
    PERFORM decide_again('groups');
  END IF;
  PERFORM 1 FROM jsonb_to_recordset(a.demands) AS d(any_of jsonb, count integer)
  WHERE d.count > (
    SELECT count(*) FROM vote v
    WHERE v.approval_id = a.approval_id AND v.says = 'approve' AND vote_counts(v, a)
      AND shared_groups(v.tenant_id, ARRAY[v.principal, v.cast_as], v.created_at)
        && (a.escalated_to || ARRAY(SELECT jsonb_array_elements_text(d.any_of))));
  IF FOUND THEN PERFORM decide_again('groups'); END IF;
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.assert_groups_approved() TO writ_kernel;
