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
