-- Trigger of orchestrator.member. Revokes the open invitations of a member who is suspended or offboarded, or whose own
-- role is an administrator's no more: nobody gives away what they have lost. It holds for every version of the
-- orchestrator that runs. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.revoke_invitations_of() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE orchestrator.invitation AS i SET revoked_at = orchestrator.now_ms(), revoked_by = NEW.changed_by
    WHERE i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > orchestrator.now_ms()
      AND i.created_by IN (SELECT k.api_key_id FROM orchestrator.api_key AS k WHERE k.member_id = NEW.member_id);
  RETURN NEW;
END $$;
