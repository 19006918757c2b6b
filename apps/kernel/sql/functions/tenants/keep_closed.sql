-- Trigger. Refuses (WR001) to lift a freeze of a closed tenant, or to let it end: it is what stops the tenant's calls, also
-- with kernels of the version before.
CREATE OR REPLACE FUNCTION kernel.keep_closed() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM tenant n WHERE n.tenant_id = NEW.tenant_id AND n.closed_at IS NOT NULL) THEN
    PERFORM decide_again('freeze');
  END IF;
  RETURN NEW;
END $$;
GRANT EXECUTE ON FUNCTION kernel.keep_closed() TO writ_kernel;
