-- Sign-in of people in a browser (ADR 0144).
ALTER TABLE orchestrator.identity_provider
  ADD COLUMN sign_in_client_id text COLLATE "C" CHECK (sign_in_client_id <> '');
GRANT UPDATE (sign_in_client_id) ON orchestrator.identity_provider TO writ_orchestrator;

-- A person who signed in in a browser at an identity provider of the tenant. The browser alone holds the secret of the
-- session: it is in no table, and without it nobody can read how the person is called.
CREATE TABLE orchestrator.browser_session (
  session_hash bytea PRIMARY KEY CHECK (octet_length(session_hash) = 32), -- SHA-256 of the secret
  tenant_id    text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  provider_id  text COLLATE "C" NOT NULL REFERENCES orchestrator.identity_provider,
  subject_hash bytea NOT NULL CHECK (octet_length(subject_hash) = 32), -- keyed hash of issuer and `sub`
  shown        text COLLATE "C" NOT NULL CHECK (length(shown) <= 4096), -- how pages call the person, encrypted
  created_at   bigint DEFAULT orchestrator.now_ms() NOT NULL,
  expires_at   bigint NOT NULL
);
-- Which sessions of the tenant are over?
CREATE INDEX browser_session_over ON orchestrator.browser_session (tenant_id, expires_at);
-- Which sessions end with a subject?
CREATE INDEX browser_session_of_subject ON orchestrator.browser_session (tenant_id, subject_hash);
ALTER TABLE orchestrator.browser_session ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY browser_session_tenant ON orchestrator.browser_session TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- A session begins and ends; it never changes.
GRANT SELECT, INSERT, DELETE ON orchestrator.browser_session TO writ_orchestrator;
