-- The kernel is told whose votes count no more while they are suspended (ADR 0174).
ALTER TABLE orchestrator.member ADD COLUMN votes_unsettled boolean NOT NULL DEFAULT false;
GRANT UPDATE (votes_unsettled) ON orchestrator.member TO writ_orchestrator;
-- orchestrator.unsettled_votes finds members of whom the kernel is still to be told.
CREATE INDEX member_unsettled ON orchestrator.member (changed_at) WHERE votes_unsettled;
-- For orchestrator.unsettled_votes, which runs as the owner.
CREATE POLICY member_votes_unsettled ON orchestrator.member FOR SELECT TO writ_owner USING (votes_unsettled);

-- Trigger of orchestrator.member. Notes that the kernel is to be told of a suspension that begins or ends. It holds for
-- every version of the orchestrator that runs. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.note_unsettled_votes() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.votes_unsettled := true;
  RETURN NEW;
END $$;

-- Before a suspension of a member begins or ends: the kernel is to be told. It is told of offboardings otherwise.
CREATE TRIGGER member_votes BEFORE UPDATE OF state ON orchestrator.member
  FOR EACH ROW WHEN (old.state <> new.state AND new.state <> 'offboarded')
  EXECUTE FUNCTION orchestrator.note_unsettled_votes();

-- Those who are suspended today.
ALTER TABLE orchestrator.member NO FORCE ROW LEVEL SECURITY;
UPDATE orchestrator.member SET votes_unsettled = true WHERE state = 'suspended';
ALTER TABLE orchestrator.member FORCE ROW LEVEL SECURITY;
