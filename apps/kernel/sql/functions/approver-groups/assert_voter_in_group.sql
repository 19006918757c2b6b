-- Trigger of kernel.vote. Refuses (WR001 `groups`) an approving vote about an approval that is reserved for groups, unless
-- the person whose right it is and the one who casts it are both members of one of them. It holds for every version of
-- the kernel that runs.
--
-- Locks: the groups, by name (FOR SHARE). Whoever changes one waits until this transaction ends, or has committed and is
-- seen here.
CREATE OR REPLACE FUNCTION kernel.assert_voter_in_group() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v_groups text[];
BEGIN
  SELECT groups_of_approval(a) INTO v_groups FROM approval a WHERE a.approval_id = NEW.approval_id;
  IF v_groups IS NULL THEN RETURN NEW; END IF;
  PERFORM 1 FROM approver_group g WHERE g.tenant_id = NEW.tenant_id AND g.name = ANY (v_groups) ORDER BY g.name FOR SHARE;
  IF NOT shared_groups(NEW.tenant_id, ARRAY[NEW.principal, NEW.cast_as], NEW.created_at) && v_groups THEN PERFORM decide_again('groups'); END IF;
  RETURN NEW;
END $$;
GRANT EXECUTE ON FUNCTION kernel.assert_voter_in_group() TO writ_kernel;
