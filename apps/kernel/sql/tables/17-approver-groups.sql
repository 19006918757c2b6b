-- Approver groups: persons for whom policies reserve approvals (ADR 0164).
-- All times are milliseconds since the epoch by this database's clock (kernel.now_ms).

-- A row is a named group. Administrators put and remove it. Policies and approvals name it; an unknown one has nobody.
-- INVARIANT (counted as it is): whoever changes or removes a group locks its row, and a vote holds it shared until it is
-- committed (kernel.lock_groups_of). So a member is removed before a vote is counted, or after it.
CREATE TABLE kernel.approver_group (
  tenant_id   text NOT NULL REFERENCES kernel.tenant, -- the tenant
  name        text NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9_.-]{0,63}$'), -- what policies call it
  description text NOT NULL, -- what it is for; empty: nothing is said
  created_at  bigint NOT NULL DEFAULT kernel.now_ms(), -- in ms since the epoch
  created_by  text NOT NULL, -- the API key
  changed_at  bigint NOT NULL DEFAULT kernel.now_ms(), -- when it was put last, in ms since the epoch
  changed_by  text NOT NULL, -- the API key that put it last
  PRIMARY KEY (tenant_id, name)
);
ALTER TABLE kernel.approver_group ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.approver_group FORCE ROW LEVEL SECURITY;
-- The kernel sees and writes the tenant of its transaction only; the worker has no access.
CREATE POLICY one_tenant ON kernel.approver_group TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- Administrators put and remove groups.
GRANT SELECT, INSERT, DELETE ON kernel.approver_group TO writ_kernel;
GRANT UPDATE (description, changed_at, changed_by) ON kernel.approver_group TO writ_kernel;

-- A row is a person in a group. It comes and goes under the lock of the group's row.
CREATE TABLE kernel.approver_group_member (
  tenant_id  text NOT NULL, -- the tenant
  group_name text NOT NULL, -- the group
  principal  text NOT NULL, -- the person: a name, or the id of a key without one, as in kernel.vote
  added_at   bigint NOT NULL DEFAULT kernel.now_ms(), -- in ms since the epoch
  added_by   text NOT NULL, -- the API key
  PRIMARY KEY (tenant_id, group_name, principal),
  FOREIGN KEY (tenant_id, group_name) REFERENCES kernel.approver_group (tenant_id, name)
);
-- the groups of a person
CREATE INDEX approver_group_of_person ON kernel.approver_group_member (tenant_id, principal);
ALTER TABLE kernel.approver_group_member ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.approver_group_member FORCE ROW LEVEL SECURITY;
-- The kernel sees and writes the tenant of its transaction only; the worker has no access.
CREATE POLICY one_tenant ON kernel.approver_group_member TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- Administrators add and remove persons.
GRANT SELECT, INSERT, DELETE ON kernel.approver_group_member TO writ_kernel;
