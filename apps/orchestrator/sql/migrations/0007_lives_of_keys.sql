-- Keys that end, that may do only a part of what their role may, and whose secret is exchanged for a new one (ADR 0151).
ALTER TABLE orchestrator.api_key
  ADD COLUMN expires_at bigint,
  ADD COLUMN scopes text[] NOT NULL DEFAULT '{}',
  ADD COLUMN last_used_at bigint,
  ADD COLUMN rotated_at bigint,
  ADD COLUMN former_until bigint,
  ADD COLUMN bound_token text COLLATE "C",
  ADD CONSTRAINT api_key_rotated CHECK ((rotated_at IS NULL) = (former_until IS NULL)),
  ADD CONSTRAINT api_key_bound CHECK (bound_token IS NULL
    OR (role = 'agent' AND expires_at IS NOT NULL AND cardinality(scopes) > 0));
CREATE POLICY api_key_named ON orchestrator.api_key FOR SELECT TO writ_owner
  USING (api_key_id = ANY (string_to_array(current_setting('writ.key_ids', true), ',')));
CREATE POLICY api_key_used ON orchestrator.api_key FOR UPDATE TO writ_owner
  USING (api_key_id = ANY (string_to_array(current_setting('writ.key_ids', true), ',')));
GRANT UPDATE (key_hash, expires_at, rotated_at, former_until) ON orchestrator.api_key TO writ_orchestrator;

CREATE TABLE orchestrator.former_secret (
  secret_hash bytea PRIMARY KEY CHECK (octet_length(secret_hash) = 32),
  tenant_id   text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  api_key_id  text COLLATE "C" NOT NULL REFERENCES orchestrator.api_key,
  ends_at     bigint NOT NULL
);
CREATE INDEX former_secret_of_key ON orchestrator.former_secret (api_key_id);
ALTER TABLE orchestrator.former_secret ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY former_secret_tenant ON orchestrator.former_secret TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
CREATE POLICY former_secret_of_hash ON orchestrator.former_secret FOR SELECT TO writ_owner
  USING (secret_hash = decode(current_setting('writ.key_hash', true), 'hex'));
GRANT SELECT, INSERT, UPDATE (ends_at) ON orchestrator.former_secret TO writ_orchestrator;
