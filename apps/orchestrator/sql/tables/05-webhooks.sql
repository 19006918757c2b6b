-- Webhooks of each tenant, and their deliveries.

-- One URL to which messages of a tenant are sent. The orchestrator inserts and changes it for a caller. It exists until
-- the caller deletes it.
CREATE TABLE orchestrator.webhook (
  webhook_id      text COLLATE "C" PRIMARY KEY,
  tenant_id       text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  name            text NOT NULL CHECK (name <> ''),   -- for people
  created_at      bigint DEFAULT orchestrator.now_ms() NOT NULL,
  created_by      text COLLATE "C" NOT NULL,          -- the API key that made it
  updated_at      bigint DEFAULT orchestrator.now_ms() NOT NULL,

  -- Which messages are sent, and to which URL.
  url             text NOT NULL,
  events          text[] NOT NULL CHECK (cardinality(events) > 0), -- kinds of messages, values of WEBHOOK_KINDS

  -- Whether messages are sent.
  state           text DEFAULT 'active' NOT NULL CHECK (state IN ('active', 'disabled')),
  -- `asked`: a caller disabled it; `gone`: its server answered 410; `failing`: no attempt has succeeded for five days.
  -- Null while it is active.
  disabled_reason text CHECK (disabled_reason IN ('asked', 'gone', 'failing')),
  failing_since   bigint,         -- since when every attempt has failed; null while attempts succeed

  -- The secret that signs messages. Encrypted under the process's key and bound to this webhook: nonce ‖ ciphertext ‖
  -- tag.
  secret          bytea NOT NULL,
  old_secret      bytea,          -- the previous secret: it signs messages too until `old_until`; null: none
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
-- The id of a webhook, its tenant and its creator never change.
GRANT SELECT, INSERT, DELETE ON orchestrator.webhook TO writ_orchestrator;
GRANT UPDATE (name, url, events, state, disabled_reason, failing_since, secret, old_secret, old_until, updated_at)
  ON orchestrator.webhook TO writ_orchestrator;

-- One message to one webhook. The orchestrator inserts it, and a replica that claims it attempts to deliver it, until
-- it has arrived or has failed for good. It is deleted with its webhook, or by orchestrator.prune_deliveries once it
-- has ended and is old enough.
CREATE TABLE orchestrator.delivery (
  delivery_id   text COLLATE "C" PRIMARY KEY,
  tenant_id     text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  webhook_id    text COLLATE "C" NOT NULL,
  created_at    bigint DEFAULT orchestrator.now_ms() NOT NULL,

  -- The message. The id of the kernel's notice, or one made for this message. It is the same in each attempt, so that a
  -- receiver can recognize duplicates.
  message_id    text COLLATE "C" NOT NULL,
  kind          text NOT NULL,               -- as in orchestrator.webhook.events, or a ping
  body          text NOT NULL,               -- exactly the bytes that are signed and sent

  -- Its status.
  state         text DEFAULT 'pending' NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts      integer DEFAULT 0 NOT NULL,  -- finished ones
  next_at       bigint DEFAULT orchestrator.now_ms() NOT NULL, -- not attempted before; unused once it has ended
  delivered_at  bigint,                      -- null until it arrives
  last_status   integer,                     -- HTTP status of the last attempt; null: no answer, or no attempt yet
  last_error    text,                        -- why the last attempt failed; null: it succeeded, or none was made

  -- Until when the claim of the replica that attempts it lasts; 0: it is not claimed. The value also fences: an attempt
  -- is recorded only under the value that its claim was given.
  claimed_until bigint DEFAULT 0 NOT NULL,

  CONSTRAINT delivery_webhook FOREIGN KEY (webhook_id) REFERENCES orchestrator.webhook (webhook_id) ON DELETE CASCADE
) WITH (fillfactor = 80); -- Rows change with every attempt: leaves room for new versions in the same page.
-- Deliveries that are due: orchestrator.claim_deliveries.
CREATE INDEX delivery_due ON orchestrator.delivery (next_at) WHERE state = 'pending';
-- Pages of a webhook's deliveries, newest first.
CREATE INDEX delivery_listed ON orchestrator.delivery (tenant_id, webhook_id, created_at DESC, delivery_id DESC);
-- Deliveries to delete: orchestrator.prune_deliveries.
CREATE INDEX delivery_old ON orchestrator.delivery (created_at) WHERE state <> 'pending';
-- INVARIANT (once): a message to a webhook has one row, however many replicas fetch it and how often.
CREATE UNIQUE INDEX delivery_once ON orchestrator.delivery (webhook_id, message_id);
ALTER TABLE orchestrator.delivery ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY delivery_tenant ON orchestrator.delivery TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For the functions that claim, count and delete deliveries as the owner.
CREATE POLICY delivery_due ON orchestrator.delivery TO writ_owner USING (true);
-- A message never changes. The process deletes none: orchestrator.prune_deliveries does, or the deletion of the
-- webhook.
GRANT SELECT, INSERT ON orchestrator.delivery TO writ_orchestrator;
GRANT UPDATE (state, attempts, next_at, claimed_until, last_status, last_error, delivered_at)
  ON orchestrator.delivery TO writ_orchestrator;
