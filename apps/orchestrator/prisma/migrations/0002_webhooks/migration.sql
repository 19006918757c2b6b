-- Webhooks of each tenant, and what is on its way to them. A delivery is one message to one webhook: it waits here until it has arrived or was given
-- up, whichever replica tries it. Times are milliseconds since the epoch by this database's clock.

CREATE FUNCTION orchestrator.now_ms() RETURNS bigint LANGUAGE sql VOLATILE
  AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

CREATE TABLE orchestrator.webhook (
  webhook_id      text COLLATE "C" NOT NULL,
  tenant_id       text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  name            text NOT NULL CHECK (name <> ''),
  url             text NOT NULL,
  events          text[] NOT NULL CHECK (cardinality(events) > 0),
  state           text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'disabled')),
  disabled_reason text CHECK (disabled_reason IN ('asked', 'gone', 'failing')),
  -- since when no attempt has arrived; null while they do
  failing_since   bigint,
  -- under the process's key: nonce ‖ ciphertext ‖ tag
  secret          bytea NOT NULL,
  -- the one before, signed with as well until then
  old_secret      bytea,
  old_until       bigint,
  created_at      bigint NOT NULL DEFAULT orchestrator.now_ms(),
  created_by      text COLLATE "C" NOT NULL,
  updated_at      bigint NOT NULL DEFAULT orchestrator.now_ms(),
  CONSTRAINT webhook_pkey PRIMARY KEY (webhook_id),
  CONSTRAINT webhook_disabled CHECK ((state = 'disabled') = (disabled_reason IS NOT NULL)),
  CONSTRAINT webhook_old_secret CHECK ((old_secret IS NULL) = (old_until IS NULL))
);
CREATE INDEX webhook_listed ON orchestrator.webhook (tenant_id, created_at DESC, webhook_id DESC);

CREATE TABLE orchestrator.delivery (
  delivery_id   text COLLATE "C" NOT NULL,
  tenant_id     text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  webhook_id    text COLLATE "C" NOT NULL,
  -- the notice that it tells of, or an id of its own: the same however often it is tried, so that a receiver can tell
  message_id    text COLLATE "C" NOT NULL,
  kind          text NOT NULL,
  -- the bytes that are signed and sent
  body          text NOT NULL,
  state         text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts      integer NOT NULL DEFAULT 0,
  next_at       bigint NOT NULL DEFAULT orchestrator.now_ms(),
  claimed_until bigint NOT NULL DEFAULT 0,
  last_status   integer,
  last_error    text,
  created_at    bigint NOT NULL DEFAULT orchestrator.now_ms(),
  delivered_at  bigint,
  CONSTRAINT delivery_pkey PRIMARY KEY (delivery_id),
  CONSTRAINT delivery_webhook FOREIGN KEY (webhook_id) REFERENCES orchestrator.webhook ON DELETE CASCADE
) WITH (fillfactor = 80);
-- INVARIANT (once): a message goes to a webhook by one row, whoever and how many gather it.
CREATE UNIQUE INDEX delivery_once ON orchestrator.delivery (webhook_id, message_id);
CREATE INDEX delivery_listed ON orchestrator.delivery (tenant_id, webhook_id, created_at DESC, delivery_id DESC);
CREATE INDEX delivery_due ON orchestrator.delivery (next_at) WHERE state = 'pending';
CREATE INDEX delivery_old ON orchestrator.delivery (created_at) WHERE state <> 'pending';

ALTER TABLE orchestrator.webhook ENABLE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.webhook FORCE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.delivery ENABLE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.delivery FORCE ROW LEVEL SECURITY;
CREATE POLICY webhook_tenant ON orchestrator.webhook TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true)) WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
CREATE POLICY delivery_tenant ON orchestrator.delivery TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true)) WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For the functions below, which run as the owner: forced row-level security binds it too, and nobody logs in as it.
CREATE POLICY webhook_due ON orchestrator.webhook FOR SELECT TO writ_owner USING (true);
CREATE POLICY delivery_due ON orchestrator.delivery TO writ_owner USING (true);

GRANT EXECUTE ON FUNCTION orchestrator.now_ms() TO writ_orchestrator;
GRANT SELECT, INSERT, DELETE ON orchestrator.webhook TO writ_orchestrator;
GRANT UPDATE (name, url, events, state, disabled_reason, failing_since, secret, old_secret, old_until, updated_at) ON orchestrator.webhook TO writ_orchestrator;
GRANT SELECT, INSERT ON orchestrator.delivery TO writ_orchestrator;
GRANT UPDATE (state, attempts, next_at, claimed_until, last_status, last_error, delivered_at) ON orchestrator.delivery TO writ_orchestrator;

-- Claims deliveries that are due, of all tenants: the one question about them that no tenant asks, and it is answered with ids alone. A tenant has
-- p_tenant_max under way at most, so that webhooks which hang hold up nobody else's. `claim` fences: who comes back after it ran out has no say.
CREATE FUNCTION orchestrator.claim_deliveries(p_rows integer, p_tenant_max integer, p_claim_ms bigint)
RETURNS TABLE (tenant_id text, delivery_id text, claim bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t bigint := now_ms();
BEGIN
  RETURN QUERY
    WITH busy AS (SELECT d.tenant_id, count(*) AS n FROM delivery d WHERE d.state = 'pending' AND d.claimed_until >= t GROUP BY d.tenant_id),
    due AS (
      SELECT d.delivery_id, d.tenant_id, d.next_at, row_number() OVER (PARTITION BY d.tenant_id ORDER BY d.next_at, d.delivery_id) AS place
      FROM delivery d JOIN webhook w ON w.webhook_id = d.webhook_id
      WHERE d.state = 'pending' AND d.next_at <= t AND d.claimed_until < t AND w.state = 'active'),
    fair AS (
      SELECT due.delivery_id FROM due LEFT JOIN busy ON busy.tenant_id = due.tenant_id
      WHERE due.place <= p_tenant_max - coalesce(busy.n, 0) ORDER BY due.place, due.next_at LIMIT p_rows),
    held AS (
      SELECT d.delivery_id FROM delivery d WHERE d.delivery_id IN (SELECT f.delivery_id FROM fair f) AND d.state = 'pending' AND d.claimed_until < t
      FOR UPDATE SKIP LOCKED)
    UPDATE delivery d SET claimed_until = t + p_claim_ms FROM held WHERE d.delivery_id = held.delivery_id
    RETURNING d.tenant_id, d.delivery_id, d.claimed_until;
END $$;

-- Forgets deliveries that ended so long ago that nobody asks for them. Returns how many.
CREATE FUNCTION orchestrator.prune_deliveries(p_older_ms bigint, p_rows integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
  WITH old AS (SELECT d.delivery_id FROM delivery d WHERE d.state <> 'pending' AND d.created_at < now_ms() - p_older_ms ORDER BY d.created_at LIMIT p_rows),
  gone AS (DELETE FROM delivery d USING old WHERE d.delivery_id = old.delivery_id RETURNING 1)
  SELECT count(*) FROM gone
$$;

REVOKE ALL ON FUNCTION orchestrator.claim_deliveries, orchestrator.prune_deliveries FROM PUBLIC;
GRANT EXECUTE ON FUNCTION orchestrator.claim_deliveries, orchestrator.prune_deliveries TO writ_orchestrator;
