-- Invitations: people whom an administrator asks to become members (ADR 0171).

-- One invitation. Whoever holds its code, and whom an identity provider vouches for as the one who is invited, becomes a
-- member with its role. It is good once, and until its end.
-- INVARIANT (no codes at rest): a row holds the hash of the code.
-- INVARIANT (no names at rest): whom it is for is a keyed hash here, and encrypted for administrators.
CREATE TABLE orchestrator.invitation (
  invitation_id text COLLATE "C" PRIMARY KEY,
  tenant_id     text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  code_hash     bytea NOT NULL CHECK (octet_length(code_hash) = 32), -- SHA-256 of the code

  -- Who may accept it, and what it gives.
  address_hash  bytea CHECK (octet_length(address_hash) = 32), -- keyed hash of the verified address
  subject_hash  bytea CHECK (octet_length(subject_hash) = 32), -- keyed hash of issuer and `sub`
  provider_id   text COLLATE "C" REFERENCES orchestrator.identity_provider, -- where; null: at any of the tenant
  sealed        text COLLATE "C" NOT NULL CHECK (length(sealed) <= 8192), -- address or subject, encrypted
  role          text NOT NULL CHECK (role IN ('admin', 'operator', 'agent', 'auditor')), -- becomes the member's own

  -- Its lifetime.
  created_at    bigint DEFAULT orchestrator.now_ms() NOT NULL,
  created_by    text COLLATE "C" NOT NULL REFERENCES orchestrator.api_key, -- whose right gives the role
  expires_at    bigint NOT NULL,
  accepted_at   bigint, -- null: nobody accepted it
  member_id     text COLLATE "C" REFERENCES orchestrator.member ON DELETE CASCADE, -- who accepted it
  revoked_at    bigint, -- null: nobody revoked it
  revoked_by    text COLLATE "C", -- the API key; of an inviter who was suspended or demoted, whoever did that

  CONSTRAINT invitation_whom CHECK ((address_hash IS NULL) <> (subject_hash IS NULL)
    AND (subject_hash IS NULL OR provider_id IS NOT NULL)),
  CONSTRAINT invitation_accepted CHECK ((accepted_at IS NULL) = (member_id IS NULL)),
  CONSTRAINT invitation_revoked CHECK ((revoked_at IS NULL) = (revoked_by IS NULL)),
  CONSTRAINT invitation_once CHECK (accepted_at IS NULL OR revoked_at IS NULL)
);
-- Finds the invitation of a code.
CREATE UNIQUE INDEX invitation_code ON orchestrator.invitation (tenant_id, code_hash);
-- Pages of a tenant's invitations, newest first.
CREATE INDEX invitation_listed ON orchestrator.invitation (tenant_id, created_at DESC, invitation_id DESC);
-- Which invitations end with their inviter?
CREATE INDEX invitation_of_key ON orchestrator.invitation (created_by)
  WHERE accepted_at IS NULL AND revoked_at IS NULL;
-- Which invitations go with a member who is forgotten?
CREATE INDEX invitation_of_member ON orchestrator.invitation (member_id) WHERE member_id IS NOT NULL;
ALTER TABLE orchestrator.invitation ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY invitation_tenant ON orchestrator.invitation TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- Whom it is for and what it gives never changes.
GRANT SELECT, INSERT, DELETE, UPDATE (accepted_at, member_id, revoked_at, revoked_by)
  ON orchestrator.invitation TO writ_orchestrator;

-- Trigger of orchestrator.member. Revokes the open invitations of a member who is suspended or offboarded, or whose own
-- role is an administrator's no more: nobody gives away what they have lost. It holds for every version of the
-- orchestrator that runs. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.revoke_invitations_of() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE orchestrator.invitation AS i SET revoked_at = orchestrator.now_ms(), revoked_by = NEW.changed_by
    WHERE i.accepted_at IS NULL AND i.revoked_at IS NULL
      AND i.created_by IN (SELECT k.api_key_id FROM orchestrator.api_key AS k WHERE k.member_id = NEW.member_id);
  RETURN NEW;
END $$;

-- After a member is suspended, offboarded, or no administrator by a role of its own any more: its invitations end.
CREATE TRIGGER member_lost_rights AFTER UPDATE OF role, state ON orchestrator.member
  FOR EACH ROW WHEN (new.state <> 'active' OR (old.role = 'admin' AND new.role IS DISTINCT FROM 'admin'))
  EXECUTE FUNCTION orchestrator.revoke_invitations_of();
