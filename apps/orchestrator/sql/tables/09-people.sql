-- Members: the people and service accounts of a tenant (ADR 0149).

-- One member. A person becomes one by signing in, or an administrator makes one by the person's name.
-- INVARIANT (no names at rest): who a person is stays a pseudonym here. Their name and their subject are encrypted under
-- a key of the deployment.
CREATE TABLE orchestrator.member (
  member_id  text COLLATE "C" PRIMARY KEY,
  tenant_id  text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  kind       text NOT NULL CHECK (kind IN ('person', 'service')),
  person_id  text COLLATE "C", -- of a person: the pseudonym
  sealed     text COLLATE "C" CHECK (length(sealed) <= 8192), -- of a person: name, issuer and subject, encrypted
  name       text CHECK (name <> ''), -- of a service account

  -- What it may do. A role is added to those that scopes and groups give.
  role       text CHECK (role IN ('admin', 'operator', 'agent', 'auditor')), -- null: what scopes and groups give
  state      text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended', 'offboarded')),
  -- whether the kernel is still to be told that votes of the member count no more, or count again
  votes_unsettled boolean NOT NULL DEFAULT false,

  created_at bigint DEFAULT orchestrator.now_ms() NOT NULL,
  created_by text COLLATE "C" NOT NULL, -- the API key, or the identity provider where the person signed in
  changed_at bigint DEFAULT orchestrator.now_ms() NOT NULL,
  changed_by text COLLATE "C" NOT NULL,

  CONSTRAINT member_person CHECK ((kind = 'person') = (person_id IS NOT NULL)),
  CONSTRAINT member_service CHECK ((kind = 'service') = (name IS NOT NULL))
);
-- One member for each person.
CREATE UNIQUE INDEX member_of_person ON orchestrator.member (tenant_id, person_id) WHERE person_id IS NOT NULL;
-- One service account of a name that is not offboarded.
CREATE UNIQUE INDEX member_named ON orchestrator.member (tenant_id, name)
  WHERE name IS NOT NULL AND state <> 'offboarded';
-- Pages of a tenant's members, newest first.
CREATE INDEX member_listed ON orchestrator.member (tenant_id, created_at DESC, member_id DESC);
-- orchestrator.unsettled_votes finds members of whom the kernel is still to be told.
CREATE INDEX member_unsettled ON orchestrator.member (changed_at) WHERE votes_unsettled;
ALTER TABLE orchestrator.member ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY member_tenant ON orchestrator.member TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For orchestrator.authenticate_caller and orchestrator.renew_runs: whose keys are refused?
CREATE POLICY member_refused ON orchestrator.member FOR SELECT TO writ_owner USING (state <> 'active');
-- For orchestrator.renew_runs: whose runs end?
CREATE POLICY api_key_refused ON orchestrator.api_key FOR SELECT TO writ_owner
  USING (EXISTS (SELECT FROM orchestrator.member AS m WHERE m.member_id = api_key.member_id AND m.state <> 'active'));
-- For orchestrator.unsettled_votes, which runs as the owner.
CREATE POLICY member_votes_unsettled ON orchestrator.member FOR SELECT TO writ_owner USING (votes_unsettled);
-- A forgotten person's member is removed.
GRANT SELECT, INSERT, DELETE, UPDATE (person_id, sealed, role, state, votes_unsettled, changed_at, changed_by)
  ON orchestrator.member TO writ_orchestrator;

-- Whose member a subject of an issuer is.
CREATE TABLE orchestrator.member_identity (
  tenant_id    text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  subject_hash bytea NOT NULL CHECK (octet_length(subject_hash) = 32), -- keyed hash of issuer and `sub`
  member_id    text COLLATE "C" NOT NULL REFERENCES orchestrator.member,
  provider_id  text COLLATE "C" NOT NULL REFERENCES orchestrator.identity_provider, -- where it came from first
  created_at   bigint DEFAULT orchestrator.now_ms() NOT NULL,
  PRIMARY KEY (tenant_id, subject_hash)
);
-- Which subjects does a member have?
CREATE INDEX member_identity_of_member ON orchestrator.member_identity (member_id);
ALTER TABLE orchestrator.member_identity ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY member_identity_tenant ON orchestrator.member_identity TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
GRANT SELECT, INSERT, DELETE ON orchestrator.member_identity TO writ_orchestrator;

-- A name that a member has or had: the pseudonym of it. INVARIANT (a name stays): it is nobody else's, until the member is
-- forgotten. A trigger of orchestrator.member writes it.
CREATE TABLE orchestrator.member_name (
  tenant_id text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  person_id text COLLATE "C" NOT NULL,
  member_id text COLLATE "C" NOT NULL REFERENCES orchestrator.member ON DELETE CASCADE,
  since     bigint DEFAULT orchestrator.now_ms() NOT NULL,
  PRIMARY KEY (tenant_id, person_id)
);
-- Which names does a member have?
CREATE INDEX member_name_of_member ON orchestrator.member_name (member_id);
ALTER TABLE orchestrator.member_name ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY member_name_tenant ON orchestrator.member_name TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- A forgotten name is removed.
GRANT SELECT, INSERT, DELETE ON orchestrator.member_name TO writ_orchestrator;

-- An offboarding that is under way, or has ended. A sweep completes what a replica that stopped has begun.
CREATE TABLE orchestrator.offboarding (
  member_id text COLLATE "C" PRIMARY KEY REFERENCES orchestrator.member,
  tenant_id text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  begun_at  bigint DEFAULT orchestrator.now_ms() NOT NULL,
  begun_by  text COLLATE "C" NOT NULL, -- the API key, on whose behalf the steps are made
  ended_at  bigint, -- when a pass that began late enough had nothing left to do; null: it goes on
  tried_at  bigint  -- when a sweep last began a pass; null: none did
);
-- orchestrator.open_offboardings finds those that go on.
CREATE INDEX offboarding_open ON orchestrator.offboarding (begun_at) WHERE ended_at IS NULL;
ALTER TABLE orchestrator.offboarding ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY offboarding_tenant ON orchestrator.offboarding TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For orchestrator.open_offboardings, which runs as the owner.
CREATE POLICY offboarding_going_on ON orchestrator.offboarding FOR SELECT TO writ_owner USING (ended_at IS NULL);
GRANT SELECT, INSERT, DELETE, UPDATE (ended_at, tried_at) ON orchestrator.offboarding TO writ_orchestrator;
