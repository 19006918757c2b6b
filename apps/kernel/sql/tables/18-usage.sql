-- Usage of a tenant by day: sums of its calls. A background task adds the calls of an earlier time to the sums. A read
-- adds the later ones, so it is exact at each moment. The sums hold no content, and no erasure changes them.
--
-- Row-level security binds writ_kernel to the tenant of its transaction; FORCE binds the owner, too. Times are
-- milliseconds since the epoch, by the clock of this database. Days are of UTC.

-- A row is the number of the calls of one day that are alike. kernel.roll_up_usage adds to it.
CREATE TABLE kernel.usage_day (
  tenant_id  text NOT NULL,
  day_at     bigint NOT NULL, -- when the day begins, in ms since the epoch; of the first decision of the call
  agent_id   text NOT NULL,
  person     text NOT NULL, -- who proposed it, as API keys name persons, or the id of a key without one
  api_key_id text NOT NULL, -- the key that proposed it
  tool_id    text NOT NULL,
  outcome    text NOT NULL, -- the state in which it ended
  calls      bigint NOT NULL CHECK (calls > 0),

  PRIMARY KEY (tenant_id, day_at, agent_id, person, api_key_id, tool_id, outcome)
) WITH (fillfactor = 80); -- The rows of a day change all day: leaves room for new versions.

ALTER TABLE kernel.usage_day ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.usage_day FORCE ROW LEVEL SECURITY;
-- A transaction reaches sums of its own tenant only. The worker sums nothing, so it has no grant.
CREATE POLICY one_tenant ON kernel.usage_day TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT ON kernel.usage_day TO writ_kernel;
-- Sums grow.
GRANT UPDATE (calls) ON kernel.usage_day TO writ_kernel;

-- A row says up to when the calls of a tenant are in the sums, or in kernel.usage_open.
-- INVARIANT (counted once): sums and mark change in one transaction, which locks this row.
CREATE TABLE kernel.usage_mark (
  tenant_id text PRIMARY KEY REFERENCES kernel.tenant,
  until_at  bigint DEFAULT 0 NOT NULL -- every call that was decided first before this moment, in ms since the epoch
);

ALTER TABLE kernel.usage_mark ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.usage_mark FORCE ROW LEVEL SECURITY;
-- A transaction reaches the mark of its own tenant only.
CREATE POLICY one_tenant ON kernel.usage_mark TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT ON kernel.usage_mark TO writ_kernel;
GRANT UPDATE (until_at) ON kernel.usage_mark TO writ_kernel;

-- A row is a call before the mark that had not ended when the mark passed it: most wait for a person.
CREATE TABLE kernel.usage_open (
  tenant_id    text NOT NULL,
  operation_id text NOT NULL,

  PRIMARY KEY (tenant_id, operation_id)
);

ALTER TABLE kernel.usage_open ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.usage_open FORCE ROW LEVEL SECURITY;
-- A transaction reaches calls of its own tenant only.
CREATE POLICY one_tenant ON kernel.usage_open TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- A call that has ended goes to the sums.
GRANT SELECT, INSERT, DELETE ON kernel.usage_open TO writ_kernel;
