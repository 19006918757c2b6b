-- Channels of other kinds than Slack (ADR 0182).
ALTER TABLE orchestrator.channel ADD COLUMN settings jsonb;
ALTER TABLE orchestrator.channel DROP CONSTRAINT channel_kind_check;
ALTER TABLE orchestrator.channel
  ADD CONSTRAINT channel_kind_check CHECK (kind IN ('slack', 'webhook', 'teams', 'email')),
  ADD CONSTRAINT channel_settings CHECK ((kind = 'slack') = (settings IS NULL));
GRANT UPDATE (settings) ON orchestrator.channel TO writ_orchestrator;
