-- Sums of calls by day (ADR 0163).
ALTER TABLE kernel.tenant ADD COLUMN summed_at bigint;
CREATE INDEX tenant_summed ON kernel.tenant (coalesce(summed_at, 0));
GRANT SELECT (summed_at) ON kernel.tenant TO writ_kernel_worker;
GRANT UPDATE (summed_at) ON kernel.tenant TO writ_kernel_worker;
CREATE TABLE kernel.usage_day (
  tenant_id  text NOT NULL,
  day_at     bigint NOT NULL,
  agent_id   text NOT NULL,
  person     text NOT NULL,
  api_key_id text NOT NULL,
  tool_id    text NOT NULL,
  outcome    text NOT NULL,
  calls      bigint NOT NULL CHECK (calls > 0),
  PRIMARY KEY (tenant_id, day_at, agent_id, person, api_key_id, tool_id, outcome)
) WITH (fillfactor = 80);
ALTER TABLE kernel.usage_day ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.usage_day FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.usage_day TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT ON kernel.usage_day TO writ_kernel;
GRANT UPDATE (calls) ON kernel.usage_day TO writ_kernel;
CREATE TABLE kernel.usage_mark (
  tenant_id text PRIMARY KEY REFERENCES kernel.tenant,
  until_at  bigint DEFAULT 0 NOT NULL
);
ALTER TABLE kernel.usage_mark ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.usage_mark FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.usage_mark TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT ON kernel.usage_mark TO writ_kernel;
GRANT UPDATE (until_at) ON kernel.usage_mark TO writ_kernel;
CREATE TABLE kernel.usage_open (
  tenant_id    text NOT NULL,
  operation_id text NOT NULL,
  PRIMARY KEY (tenant_id, operation_id)
);
ALTER TABLE kernel.usage_open ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.usage_open FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.usage_open TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT, DELETE ON kernel.usage_open TO writ_kernel;
