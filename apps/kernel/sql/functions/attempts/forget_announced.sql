-- Trigger. Clears `payload.announced`, the pieces of the list of requests, when `payload.requests`, the whole list, is
-- stored.
CREATE OR REPLACE FUNCTION kernel.forget_announced() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  NEW.announced := '{}';
  RETURN NEW;
END $$;
