-- Persons who are suspended, whose votes count no more meanwhile (ADR 0174).
-- A person who is suspended. Until that ends, votes by the person, and votes under a right that the person lent or was
-- lent, count for no approval (kernel.vote_stands). The name is the one that keys carry, as in kernel.vote.
CREATE TABLE kernel.suspended_person (
  tenant_id    text NOT NULL,
  principal    text NOT NULL,
  member_id    text NOT NULL, -- `mbr_…`: whose names end to be suspended together
  suspended_at bigint NOT NULL DEFAULT kernel.now_ms(), -- in ms since the epoch
  suspended_by text NOT NULL, -- the API key

  PRIMARY KEY (tenant_id, principal, member_id)
);
-- Which names does the member have that is suspended no more?
CREATE INDEX suspended_person_of_member ON kernel.suspended_person (tenant_id, member_id);
ALTER TABLE kernel.suspended_person ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.suspended_person FORCE ROW LEVEL SECURITY;
-- A transaction reaches persons of its own tenant only. The worker counts no votes, so it has no grant.
CREATE POLICY one_tenant ON kernel.suspended_person TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- A suspension begins and ends. Nobody changes whose it is.
GRANT SELECT, INSERT, DELETE ON kernel.suspended_person TO writ_kernel;

-- Returns whether any of these persons is suspended. Called as the tenant's role; it sets the tenant.
CREATE OR REPLACE FUNCTION kernel.are_suspended(p_tenant text, p_principals text[]) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN EXISTS (SELECT FROM suspended_person s WHERE s.tenant_id = p_tenant AND s.principal = ANY (p_principals));
END $$;
GRANT EXECUTE ON FUNCTION kernel.are_suspended(text, text[]) TO writ_kernel;

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

CREATE TRIGGER vote_of_suspended BEFORE INSERT ON kernel.vote
  FOR EACH ROW WHEN (new.says = 'approve')
  EXECUTE FUNCTION kernel.refuse_vote_of_suspended();
