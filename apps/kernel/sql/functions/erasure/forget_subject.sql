-- Trigger. Clears the data subject of a call when its content is erased: it may name a person.
CREATE OR REPLACE FUNCTION kernel.forget_subject() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  NEW.data_subject := NULL;
  RETURN NEW;
END $$;
