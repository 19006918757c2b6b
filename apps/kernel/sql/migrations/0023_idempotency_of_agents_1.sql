-- A key names one call of its agent (ADR 0153). A constant default rewrites no row. The rest is in the next file, so that
-- its lock lets others read. That file reads all tenants' rows as the owner, and forces row-level security again.
ALTER TABLE kernel.idempotency
  ADD COLUMN tool_scoped boolean NOT NULL DEFAULT false,
  NO FORCE ROW LEVEL SECURITY;
