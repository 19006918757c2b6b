-- Triggers of the orchestrator's tables, by table. They enforce what must hold whichever version of the orchestrator writes
-- a row. Each runs with the rights of the role that writes.

-- orchestrator.api_key

-- Before a key is made: finds whose it is, where its maker doesn't say.
CREATE TRIGGER key_of_member BEFORE INSERT ON orchestrator.api_key
  FOR EACH ROW WHEN (new.member_id IS NULL AND new.principal IS NOT NULL)
  EXECUTE FUNCTION orchestrator.name_member_of_key();

-- orchestrator.credential

-- After a credential is made: finds whose it is, where its maker doesn't say.
CREATE TRIGGER credential_of_member AFTER INSERT ON orchestrator.credential
  FOR EACH ROW EXECUTE FUNCTION orchestrator.name_member_of_credential();

-- orchestrator.identity_provider

-- Before another claim lists groups than before: notes when. Until the first one no session has groups.
CREATE TRIGGER groups_claim_changed BEFORE UPDATE OF groups_claim ON orchestrator.identity_provider
  FOR EACH ROW WHEN (old.groups_claim IS NOT NULL AND old.groups_claim IS DISTINCT FROM new.groups_claim)
  EXECUTE FUNCTION orchestrator.note_groups_claim();

-- orchestrator.member

-- After a name of a member is written: it is kept, and refused where it is another one's.
CREATE TRIGGER member_named AFTER INSERT OR UPDATE OF person_id ON orchestrator.member
  FOR EACH ROW WHEN (new.person_id IS NOT NULL)
  EXECUTE FUNCTION orchestrator.keep_member_name();

-- Before a suspension of a member begins or ends: the kernel is to be told. It is told of offboardings otherwise.
CREATE TRIGGER member_votes BEFORE UPDATE OF state ON orchestrator.member
  FOR EACH ROW WHEN (old.state <> new.state AND new.state <> 'offboarded')
  EXECUTE FUNCTION orchestrator.note_unsettled_votes();

-- After a member is suspended, offboarded, or no administrator by a role of its own any more: its invitations end.
CREATE TRIGGER member_lost_rights AFTER UPDATE OF role, state ON orchestrator.member
  FOR EACH ROW WHEN (new.state <> 'active' OR (old.role = 'admin' AND new.role IS DISTINCT FROM 'admin'))
  EXECUTE FUNCTION orchestrator.revoke_invitations_of();
