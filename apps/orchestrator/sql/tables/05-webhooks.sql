-- Webhooks of each tenant, and the messages on their way to them.

-- One URL that a tenant has messages sent to. The orchestrator inserts and changes it for a caller. It lives until the
-- caller removes it.
CREATE TABLE orchestrator.webhook (
  webhook_id      text COLLATE "C" PRIMARY KEY,
  tenant_id       text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  name            text NOT NULL CHECK (name <> ''),   -- for people
  created_at      bigint DEFAULT orchestrator.now_ms() NOT NULL,
  created_by      text COLLATE "C" NOT NULL,          -- the API key that made it
  updated_at      bigint DEFAULT orchestrator.now_ms() NOT NULL,

  -- What goes where.
  url             text NOT NULL,
  events          text[] NOT NULL CHECK (cardinality(events) > 0), -- kinds of messages, words of WEBHOOK_KINDS

  -- Whether anything is sent.
  state           text DEFAULT 'active' NOT NULL CHECK (state IN ('active', 'disabled')),
  -- `asked`: a caller disabled it; `gone`: its server answered 410; `failing`: nothing has arrived for five days.
  -- Null while it is active.
  disabled_reason text CHECK (disabled_reason IN ('asked', 'gone', 'failing')),
  failing_since   bigint,         -- since when no attempt has arrived; null while they do

  -- What messages are signed with. Sealed under the process's key and bound to this webhook: nonce ‖ ciphertext ‖ tag.
  secret          bytea NOT NULL,
  old_secret      bytea,          -- the one before: messages are signed with it too until `old_until`; null: none
  old_until       bigint,

  CONSTRAINT webhook_disabled CHECK ((state = 'disabled') = (disabled_reason IS NOT NULL)),
  CONSTRAINT webhook_old_secret CHECK ((old_secret IS NULL) = (old_until IS NULL))
);
-- Pages of a tenant's webhooks, newest first.
CREATE INDEX webhook_listed ON orchestrator.webhook (tenant_id, created_at DESC, webhook_id DESC);
ALTER TABLE orchestrator.webhook ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY webhook_tenant ON orchestrator.webhook TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For orchestrator.claim_deliveries, which runs as the owner.
CREATE POLICY webhook_due ON orchestrator.webhook FOR SELECT TO writ_owner USING (true);
-- The id of a webhook, its tenant and who made it never change.
GRANT SELECT, INSERT, DELETE ON orchestrator.webhook TO writ_orchestrator;
GRANT UPDATE (name, url, events, state, disabled_reason, failing_since, secret, old_secret, old_until, updated_at)
  ON orchestrator.webhook TO writ_orchestrator;

-- One message to one webhook. The orchestrator inserts it, and a replica that claims it tries it, until it has arrived
-- or is given up. It goes with its webhook, or by orchestrator.prune_deliveries, if it has ended and is old enough.
CREATE TABLE orchestrator.delivery (
  delivery_id   text COLLATE "C" PRIMARY KEY,
  tenant_id     text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  webhook_id    text COLLATE "C" NOT NULL,
  created_at    bigint DEFAULT orchestrator.now_ms() NOT NULL,

  -- The message.
  -- The notice that it tells of, or an id of its own. It is the same in each attempt, so that a receiver can tell.
  message_id    text COLLATE "C" NOT NULL,
  kind          text NOT NULL,               -- as in orchestrator.webhook.events, or a ping
  body          text NOT NULL,               -- exactly the bytes that are signed and sent

  -- How it stands.
  state         text DEFAULT 'pending' NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts      integer DEFAULT 0 NOT NULL,  -- finished ones
  next_at       bigint DEFAULT orchestrator.now_ms() NOT NULL, -- nobody tries it before; unused once it has ended
  delivered_at  bigint,                      -- null until it arrives
  last_status   integer,                     -- HTTP status of the last attempt; null: no answer, or no attempt yet
  last_error    text,                        -- why the last attempt did not arrive; null: it did, or none was made

  -- Until when the claim of the replica that tries it lasts; 0: nobody does. The value also fences: an attempt is noted
  -- only under the value that its claim was given.
  claimed_until bigint DEFAULT 0 NOT NULL,

  CONSTRAINT delivery_webhook FOREIGN KEY (webhook_id) REFERENCES orchestrator.webhook (webhook_id) ON DELETE CASCADE
) WITH (fillfactor = 80); -- Rows change with every attempt: room for their new versions in the same page.
-- Deliveries that are due: orchestrator.claim_deliveries.
CREATE INDEX delivery_due ON orchestrator.delivery (next_at) WHERE state = 'pending';
-- Pages of a webhook's deliveries, newest first.
CREATE INDEX delivery_listed ON orchestrator.delivery (tenant_id, webhook_id, created_at DESC, delivery_id DESC);
-- Deliveries to forget: orchestrator.prune_deliveries.
CREATE INDEX delivery_old ON orchestrator.delivery (created_at) WHERE state <> 'pending';
-- INVARIANT (once): a message goes to a webhook by one row, however many replicas gather it and how often.
CREATE UNIQUE INDEX delivery_once ON orchestrator.delivery (webhook_id, message_id);
ALTER TABLE orchestrator.delivery ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY delivery_tenant ON orchestrator.delivery TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For the functions that claim, count and forget deliveries as the owner.
CREATE POLICY delivery_due ON orchestrator.delivery TO writ_owner USING (true);
-- A message never changes. The process removes none: orchestrator.prune_deliveries does, or the end of the webhook.
GRANT SELECT, INSERT ON orchestrator.delivery TO writ_orchestrator;
GRANT UPDATE (state, attempts, next_at, claimed_until, last_status, last_error, delivered_at)
  ON orchestrator.delivery TO writ_orchestrator;
