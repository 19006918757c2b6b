-- Trigger of kernel.vote. Refuses (WR001 `suspended`) an approving vote of a person who is suspended, cast by them or under
-- their right. A vote that decides holds the tenant's rules, so a suspension comes wholly before it or wholly after. It
-- holds for every version of the kernel that runs.
CREATE OR REPLACE FUNCTION kernel.refuse_vote_of_suspended() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  -- The tenant stays that of the transaction: a trigger comes before the row's policies.
  PERFORM 1 FROM suspended_person s WHERE s.tenant_id = NEW.tenant_id AND s.principal IN (NEW.principal, NEW.cast_as);
  IF FOUND THEN PERFORM decide_again('suspended'); END IF;
  RETURN NEW;
END $$;
GRANT EXECUTE ON FUNCTION kernel.refuse_vote_of_suspended() TO writ_kernel;
