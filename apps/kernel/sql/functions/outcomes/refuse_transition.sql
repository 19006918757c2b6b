-- Trigger. Refuses a change of an operation's state that the table `transition` doesn't list. A new row counts as a
-- transition from `proposed`. The trigger skips rows that are inserted as `admitted`: the table lists that transition,
-- and most rows are.
--
-- Raises check_violation (23514) with the constraint `operation_lifecycle`: the caller has a bug.
CREATE OR REPLACE FUNCTION kernel.refuse_transition() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  before text := CASE WHEN TG_OP = 'INSERT' THEN 'proposed' ELSE OLD.state END;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM transition WHERE from_state = before AND to_state = NEW.state) THEN
    RAISE EXCEPTION 'no transition leads from % to %', before, NEW.state USING ERRCODE = 'check_violation', CONSTRAINT = 'operation_lifecycle';
  END IF;
  RETURN NEW;
END $$;
