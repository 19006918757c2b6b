-- Sign-in sessions: people who signed in at an identity provider of the tenant, and who call the API as themselves
-- (ADR 0148).

-- One session: of a browser, or of a program that a person approved in a browser. Whoever holds the secret of the
-- session calls the API as its person. What the person may do is looked up for each request.
-- INVARIANT (no secrets at rest): a row holds hashes of secrets. Who the person is at the issuer is encrypted under a
-- key that the holder of the session alone has.
CREATE TABLE orchestrator.sign_in_session (
  sign_in_id    text COLLATE "C" PRIMARY KEY,
  tenant_id     text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  kind          text NOT NULL CHECK (kind IN ('browser', 'device')),
  client        text, -- how the program of a device calls itself
  approved_by   text COLLATE "C", -- the session of the browser in which a device was approved

  -- Whose it is, and what it may do.
  provider_id   text COLLATE "C" NOT NULL REFERENCES orchestrator.identity_provider,
  subject_hash  bytea NOT NULL CHECK (octet_length(subject_hash) = 32), -- keyed hash of issuer and `sub`
  person_id     text COLLATE "C" NOT NULL, -- the pseudonym
  credential_id text COLLATE "C" NOT NULL REFERENCES orchestrator.api_key, -- the actor in records of the session
  scopes        text[] NOT NULL, -- scopes that the issuer gave, of those that the registration maps to roles
  groups        text[] NOT NULL DEFAULT '{}', -- groups that the issuer named at the sign-in, of those that it maps
  sealed        text COLLATE "C" NOT NULL CHECK (length(sealed) <= 4096), -- issuer, `sub` and names, encrypted

  -- Its secret, which is replaced from time to time. A secret that is none of these was replaced long ago.
  secret_hash   bytea NOT NULL CHECK (octet_length(secret_hash) = 32), -- SHA-256 of the secret in use
  next_hash     bytea CHECK (octet_length(next_hash) = 32),   -- of the secret that was handed out, until it is used
  before_hash   bytea CHECK (octet_length(before_hash) = 32), -- of the one before
  before_until  bigint, -- how long the one before is good
  rotated_at    bigint DEFAULT orchestrator.now_ms() NOT NULL, -- since when the secret in use is in use

  -- Its lifetime.
  created_at    bigint DEFAULT orchestrator.now_ms() NOT NULL,
  signed_in_at  bigint DEFAULT orchestrator.now_ms() NOT NULL, -- when the browser came back from the identity provider
  authenticated_at bigint, -- when the person proved there who they are; null: it doesn't say, or a program's session
  seen_at       bigint DEFAULT orchestrator.now_ms() NOT NULL, -- the last request, more or less
  expires_at    bigint NOT NULL,
  ended_at      bigint, -- null: the session goes on, unless it is idle for too long or expires
  ended_by      text COLLATE "C", -- the API key, or `reuse` where a secret was used that had been replaced

  CONSTRAINT sign_in_session_device CHECK ((kind = 'device') = (client IS NOT NULL)),
  CONSTRAINT sign_in_session_before CHECK ((before_hash IS NULL) = (before_until IS NULL)),
  CONSTRAINT sign_in_session_ended CHECK ((ended_at IS NULL) = (ended_by IS NULL))
);
-- Pages of a tenant's sessions, newest first.
CREATE INDEX sign_in_session_listed ON orchestrator.sign_in_session (tenant_id, created_at DESC, sign_in_id DESC);
-- orchestrator.prune_sign_ins finds those that are over.
CREATE INDEX sign_in_session_over ON orchestrator.sign_in_session (expires_at);
-- Which sessions does a subject have?
CREATE INDEX sign_in_session_of_subject ON orchestrator.sign_in_session (tenant_id, subject_hash);
-- Which sessions of devices end with a session?
CREATE INDEX sign_in_session_approved ON orchestrator.sign_in_session (tenant_id, approved_by)
  WHERE approved_by IS NOT NULL;
ALTER TABLE orchestrator.sign_in_session ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY sign_in_session_tenant ON orchestrator.sign_in_session TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For orchestrator.prune_sign_ins, which runs as the owner.
CREATE POLICY sign_in_session_over ON orchestrator.sign_in_session TO writ_owner
  USING (expires_at <= (SELECT orchestrator.now_ms()));
-- Whose a session is, and what it may do, never changes.
GRANT SELECT, INSERT, DELETE,
  UPDATE (secret_hash, next_hash, before_hash, before_until, rotated_at, seen_at, ended_at, ended_by)
  ON orchestrator.sign_in_session TO writ_orchestrator;

-- A program that asks to be signed in, and that a person may approve in a browser (RFC 8628). Anybody can ask, so a row
-- gives nobody anything until it is approved, and it ends after minutes.
-- INVARIANT (no codes at rest): a row holds hashes of the codes.
CREATE TABLE orchestrator.device_authorization (
  device_hash    bytea PRIMARY KEY CHECK (octet_length(device_hash) = 32), -- SHA-256 of the code of the device
  tenant_id      text COLLATE "C" NOT NULL CHECK (tenant_id <> ''), -- whose people may approve it
  user_code_hash bytea NOT NULL CHECK (octet_length(user_code_hash) = 32), -- keyed hash of the code that a person compares
  client         text NOT NULL CHECK (client <> ''), -- how the program calls itself
  address        text COLLATE "C" NOT NULL, -- where the request came from, for the person
  state          text NOT NULL DEFAULT 'asked' CHECK (state IN ('asked', 'approved', 'denied', 'used')),
  approval       text COLLATE "C" CHECK (length(approval) <= 8192), -- who approved it, encrypted
  person_id      text COLLATE "C", -- the pseudonym of whoever approved it, until the device has its session
  created_at     bigint DEFAULT orchestrator.now_ms() NOT NULL,
  expires_at     bigint NOT NULL,
  polled_at      bigint, -- when the device asked last
  interval_ms    bigint NOT NULL, -- how long it must wait until it asks again

  CONSTRAINT device_authorization_approval
    CHECK ((state = 'approved') = (approval IS NOT NULL) AND (approval IS NULL) = (person_id IS NULL))
);
-- Finds the device of a code; no two of a tenant have the same.
CREATE UNIQUE INDEX device_authorization_code ON orchestrator.device_authorization (tenant_id, user_code_hash);
-- orchestrator.prune_sign_ins finds those that are over.
CREATE INDEX device_authorization_over ON orchestrator.device_authorization (expires_at);
ALTER TABLE orchestrator.device_authorization ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY device_authorization_tenant ON orchestrator.device_authorization TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For orchestrator.prune_sign_ins, which runs as the owner.
CREATE POLICY device_authorization_over ON orchestrator.device_authorization TO writ_owner
  USING (expires_at <= (SELECT orchestrator.now_ms()));
GRANT SELECT, INSERT, DELETE, UPDATE (state, approval, person_id, polled_at, interval_ms)
  ON orchestrator.device_authorization TO writ_orchestrator;
