-- Persons who left, whose votes count no more (ADR 0150).
-- A person who left. Votes by the person, and votes under a right that the person lent or was lent, count for no approval
-- (kernel.vote_stands). The name is the one that keys carry, as in kernel.vote and kernel.delegation.
CREATE TABLE kernel.offboarded_person (
  tenant_id     text NOT NULL,
  principal     text NOT NULL,
  offboarded_at bigint NOT NULL DEFAULT kernel.now_ms(), -- in ms since the epoch
  offboarded_by text NOT NULL, -- the API key

  PRIMARY KEY (tenant_id, principal)
);
ALTER TABLE kernel.offboarded_person ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.offboarded_person FORCE ROW LEVEL SECURITY;
-- A transaction reaches persons of its own tenant only. The worker counts no votes, so it has no grant.
CREATE POLICY one_tenant ON kernel.offboarded_person TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- Offboarding is for good, so there is no UPDATE and no DELETE.
GRANT SELECT, INSERT ON kernel.offboarded_person TO writ_kernel;

-- Returns whether any of these persons has left. Called as the tenant's role; it sets the tenant.
CREATE OR REPLACE FUNCTION kernel.are_offboarded(p_tenant text, p_principals text[]) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN EXISTS (SELECT FROM offboarded_person o WHERE o.tenant_id = p_tenant AND o.principal = ANY (p_principals));
END $$;
GRANT EXECUTE ON FUNCTION kernel.are_offboarded(text, text[]) TO writ_kernel;

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

CREATE TRIGGER vote_of_offboarded BEFORE INSERT ON kernel.vote
  FOR EACH ROW WHEN (new.says = 'approve')
  EXECUTE FUNCTION kernel.refuse_vote_of_offboarded();
