-- Tenants that the platform key closed (ADR 0154).
ALTER TABLE kernel.tenant
  ADD COLUMN closed_at bigint,
  ADD COLUMN closed_by text,
  ADD COLUMN close_reason text,
  ADD CONSTRAINT closed_whole CHECK ((closed_at IS NULL) = (closed_by IS NULL) AND (closed_at IS NULL) = (close_reason IS NULL));
GRANT UPDATE (closed_at, closed_by, close_reason) ON kernel.tenant TO writ_kernel;
GRANT SELECT (name, closed_at, closed_by, close_reason) ON kernel.tenant TO writ_kernel_worker;
CREATE INDEX tenant_by_creation ON kernel.tenant (created_at, tenant_id);

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
CREATE TRIGGER freeze_stays BEFORE UPDATE ON kernel.freeze
  FOR EACH ROW WHEN (new.lifted_at IS NOT NULL OR new.expires_at IS NOT NULL)
  EXECUTE FUNCTION kernel.keep_closed();
