-- Trigger of kernel.vote. Refuses (WR001 `offboarded`) an approving vote of a person who left, cast by them or under their
-- right. A vote that decides holds the tenant's rules, so an offboarding comes wholly before it or wholly after. It holds
-- for every version of the kernel that runs.
CREATE OR REPLACE FUNCTION kernel.refuse_vote_of_offboarded() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  -- The tenant stays that of the transaction: a trigger comes before the row's policies.
  PERFORM 1 FROM offboarded_person o WHERE o.tenant_id = NEW.tenant_id AND o.principal IN (NEW.principal, NEW.cast_as);
  IF FOUND THEN PERFORM decide_again('offboarded'); END IF;
  RETURN NEW;
END $$;
GRANT EXECUTE ON FUNCTION kernel.refuse_vote_of_offboarded() TO writ_kernel;
