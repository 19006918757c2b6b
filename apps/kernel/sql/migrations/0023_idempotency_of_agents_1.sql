-- A key names one call of its agent (ADR 0153). A constant default rewrites no row. The next files do the rest, each in
-- a transaction of its own, so that none holds a lock for longer than it needs. They read all tenants' rows as the
-- owner, and the last one forces row-level security again.
ALTER TABLE kernel.idempotency
  ADD COLUMN tool_scoped boolean NOT NULL DEFAULT false,
  NO FORCE ROW LEVEL SECURITY;
