-- Channels: where people are asked for approvals beside the console (ADR 0180), and the messages in them.

-- One conversation at a provider. The orchestrator inserts and changes it for a caller. It exists until the caller
-- deletes it.
CREATE TABLE orchestrator.channel (
  channel_id  text COLLATE "C" PRIMARY KEY,
  tenant_id   text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  name        text NOT NULL CHECK (name <> ''),   -- for people
  created_at  bigint DEFAULT orchestrator.now_ms() NOT NULL,
  created_by  text COLLATE "C" NOT NULL,          -- the API key that made it
  updated_at  bigint DEFAULT orchestrator.now_ms() NOT NULL,

  -- Where messages are sent.
  kind        text NOT NULL CHECK (kind IN ('slack', 'webhook', 'teams', 'email')),
  destination text NOT NULL CHECK (length(destination) BETWEEN 1 AND 320), -- of Slack: the id of the conversation
  api_url     text NOT NULL CHECK (length(api_url) <= 2048),               -- of Slack: its API; else empty
  settings    jsonb,                              -- of other kinds: where they send to; nothing of it is secret

  -- Whether messages are sent.
  state       text DEFAULT 'active' NOT NULL CHECK (state IN ('active', 'disabled')),
  last_error  text,                               -- why the last attempt failed; null: it succeeded, or none was made

  -- The credential that sends, of each kind: a bot's token, the key that signs, a URL with a signature, a password.
  -- Encrypted under the process's key and bound to this channel: nonce ‖ ciphertext ‖ tag.
  bot_token   bytea NOT NULL,

  CONSTRAINT channel_settings CHECK ((kind = 'slack') = (settings IS NULL))
);
-- Pages of a tenant's channels, newest first.
CREATE INDEX channel_listed ON orchestrator.channel (tenant_id, created_at DESC, channel_id DESC);
ALTER TABLE orchestrator.channel ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY channel_tenant ON orchestrator.channel TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For orchestrator.claim_messages_of_kinds, which runs as the owner.
CREATE POLICY channel_due ON orchestrator.channel FOR SELECT TO writ_owner USING (true);
-- The id of a channel, its tenant, its kind and its creator never change.
GRANT SELECT, INSERT, DELETE ON orchestrator.channel TO writ_orchestrator;
GRANT UPDATE (name, destination, api_url, settings, state, last_error, bot_token, updated_at)
  ON orchestrator.channel TO writ_orchestrator;

-- The message about one approval in one channel. A notice about the approval adds the row, or raises `wanted`. A replica
-- that claims it sends the message or changes the one that was sent, until `sent` has caught up.
-- INVARIANT (one message): an approval has one row in a channel, and one replica at a time attempts it.
CREATE TABLE orchestrator.channel_message (
  channel_id    text COLLATE "C" NOT NULL,
  approval_id   text COLLATE "C" NOT NULL,
  tenant_id     text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  created_at    bigint DEFAULT orchestrator.now_ms() NOT NULL,
  updated_at    bigint DEFAULT orchestrator.now_ms() NOT NULL, -- of the last notice or attempt

  -- How many changes of the approval were reported, and how many of them the message shows.
  wanted        integer DEFAULT 1 NOT NULL,
  sent          integer DEFAULT 0 NOT NULL,
  reference     text COLLATE "C" CHECK (length(reference) <= 512), -- of the message at the provider; null: not sent

  -- Its status. `failed`: given up, until the next change of the approval.
  state         text DEFAULT 'pending' NOT NULL CHECK (state IN ('pending', 'sent', 'failed')),
  attempts      integer DEFAULT 0 NOT NULL,  -- failed ones in a row
  next_at       bigint DEFAULT orchestrator.now_ms() NOT NULL, -- not attempted before
  last_error    text,                        -- why the last attempt failed; null: it succeeded, or none was made

  -- Until when the claim of the replica that attempts it lasts; 0: it is not claimed. The value also fences: an attempt
  -- is recorded only under the value that its claim was given.
  claimed_until bigint DEFAULT 0 NOT NULL,

  PRIMARY KEY (channel_id, approval_id),
  CONSTRAINT channel_message_channel FOREIGN KEY (channel_id) REFERENCES orchestrator.channel (channel_id)
    ON DELETE CASCADE
) WITH (fillfactor = 80); -- Rows change with every attempt: leaves room for new versions in the same page.
-- Messages that are due: orchestrator.claim_messages_of_kinds.
CREATE INDEX channel_message_due ON orchestrator.channel_message (next_at) WHERE state = 'pending';
-- Messages to delete: orchestrator.prune_channel_messages.
CREATE INDEX channel_message_old ON orchestrator.channel_message (updated_at) WHERE state <> 'pending';
ALTER TABLE orchestrator.channel_message ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY channel_message_tenant ON orchestrator.channel_message TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For the functions that claim and delete messages as the owner.
CREATE POLICY channel_message_due ON orchestrator.channel_message TO writ_owner USING (true);
-- The process deletes none: orchestrator.prune_channel_messages does, or the deletion of the channel.
GRANT SELECT, INSERT ON orchestrator.channel_message TO writ_orchestrator;
GRANT UPDATE (wanted, sent, reference, state, attempts, next_at, last_error, claimed_until, updated_at)
  ON orchestrator.channel_message TO writ_orchestrator;
