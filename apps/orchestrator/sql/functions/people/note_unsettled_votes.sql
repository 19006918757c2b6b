-- Trigger of orchestrator.member. Notes that the kernel is to be told of a suspension that begins or ends. It holds for
-- every version of the orchestrator that runs. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.note_unsettled_votes() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.votes_unsettled := true;
  RETURN NEW;
END $$;
