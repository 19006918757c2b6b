-- Trigger. Clears `payload.announced`, the pieces of the list of requests, when `payload.requests`, the whole list, is
-- stored. A tenant whose `requests_mode` is none keeps neither: the count and the hash of the list are in the record of
-- the outcome.
CREATE OR REPLACE FUNCTION kernel.forget_announced() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  NEW.announced := '{}';
  IF EXISTS (SELECT FROM tenant n WHERE n.tenant_id = NEW.tenant_id AND n.requests_mode = 'none') THEN NEW.requests := NULL; END IF;
  RETURN NEW;
END $$;
