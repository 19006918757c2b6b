-- Names of members stay theirs, and keys of the version before are their members' (ADR 0149). A sweep takes offboardings
-- in turn (ADR 0150). Groups of a session end with the claim that they are from.
ALTER TABLE orchestrator.offboarding ADD COLUMN tried_at bigint;
GRANT UPDATE (tried_at) ON orchestrator.offboarding TO writ_orchestrator;

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

-- The names that members have today.
ALTER TABLE orchestrator.member NO FORCE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.member_name NO FORCE ROW LEVEL SECURITY;
INSERT INTO orchestrator.member_name (tenant_id, person_id, member_id, since)
  SELECT m.tenant_id, m.person_id, m.member_id, m.created_at FROM orchestrator.member AS m WHERE m.person_id IS NOT NULL;
ALTER TABLE orchestrator.member FORCE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.member_name FORCE ROW LEVEL SECURITY;

-- Trigger of orchestrator.member. Notes the name (the pseudonym) that a member has from now on, and refuses (23505) one that
-- is or was another member's. It holds for every version of the orchestrator that runs.
CREATE OR REPLACE FUNCTION orchestrator.keep_member_name() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO orchestrator.member_name (tenant_id, person_id, member_id)
    VALUES (NEW.tenant_id, NEW.person_id, NEW.member_id) ON CONFLICT DO NOTHING;
  PERFORM FROM orchestrator.member_name AS n
    WHERE n.tenant_id = NEW.tenant_id AND n.person_id = NEW.person_id AND n.member_id <> NEW.member_id;
  IF FOUND THEN RAISE unique_violation USING MESSAGE = 'the name is or was of another member'; END IF;
  RETURN NEW;
END $$;

-- Trigger of orchestrator.api_key. A new key that names no member, and whose principal is that of a member's keys, is the
-- member's. An orchestrator of the version before makes such keys; they are refused while the member isn't active.
CREATE OR REPLACE FUNCTION orchestrator.name_member_of_key() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  SELECT k.member_id INTO NEW.member_id
    FROM orchestrator.api_key AS k JOIN orchestrator.member AS m ON m.member_id = k.member_id
    WHERE k.tenant_id = NEW.tenant_id AND k.principal = NEW.principal LIMIT 1;
  RETURN NEW;
END $$;

-- Trigger of orchestrator.credential. A new credential that names no member is the one's whose subject it is of. An
-- orchestrator of the version before makes such credentials; they are refused while the member isn't active.
CREATE OR REPLACE FUNCTION orchestrator.name_member_of_credential() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE orchestrator.api_key AS k SET member_id = i.member_id FROM orchestrator.member_identity AS i
    WHERE k.api_key_id = NEW.api_key_id AND k.member_id IS NULL
      AND i.tenant_id = NEW.tenant_id AND i.subject_hash = NEW.subject_hash;
  RETURN NEW;
END $$;

-- After a name of a member is written: it is kept, and refused where it is another one's.
CREATE TRIGGER member_named AFTER INSERT OR UPDATE OF person_id ON orchestrator.member
  FOR EACH ROW WHEN (new.person_id IS NOT NULL)
  EXECUTE FUNCTION orchestrator.keep_member_name();

-- Before a key is made: finds whose it is, where its maker doesn't say.
CREATE TRIGGER key_of_member BEFORE INSERT ON orchestrator.api_key
  FOR EACH ROW WHEN (new.member_id IS NULL AND new.principal IS NOT NULL)
  EXECUTE FUNCTION orchestrator.name_member_of_key();

-- After a credential is made: finds whose it is, where its maker doesn't say.
CREATE TRIGGER credential_of_member AFTER INSERT ON orchestrator.credential
  FOR EACH ROW EXECUTE FUNCTION orchestrator.name_member_of_credential();

ALTER TABLE orchestrator.identity_provider ADD COLUMN groups_since bigint DEFAULT 0 NOT NULL;

-- Trigger of orchestrator.identity_provider. Notes when the claim that lists groups changes: groups that sessions have from
-- another claim count no more.
CREATE OR REPLACE FUNCTION orchestrator.note_groups_claim() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.groups_since := orchestrator.now_ms();
  RETURN NEW;
END $$;

-- Before another claim lists groups than before: notes when. Until the first one no session has groups.
CREATE TRIGGER groups_claim_changed BEFORE UPDATE OF groups_claim ON orchestrator.identity_provider
  FOR EACH ROW WHEN (old.groups_claim IS NOT NULL AND old.groups_claim IS DISTINCT FROM new.groups_claim)
  EXECUTE FUNCTION orchestrator.note_groups_claim();
