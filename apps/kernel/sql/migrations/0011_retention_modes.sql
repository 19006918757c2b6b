-- Retention modes (ADR 0114). Constant defaults rewrite no row.
ALTER TABLE kernel.tenant
  ADD COLUMN payload_mode text DEFAULT 'full' NOT NULL CHECK (payload_mode IN ('full', 'hashes')),
  ADD COLUMN requests_mode text DEFAULT 'full' NOT NULL CHECK (requests_mode IN ('full', 'none'));
GRANT UPDATE (payload_mode, requests_mode) ON kernel.tenant TO writ_kernel;
ALTER TABLE kernel.operation ADD COLUMN retention text NOT NULL DEFAULT 'full' CHECK (retention IN ('full', 'hashes'));
CREATE INDEX operation_hashes ON kernel.operation (tenant_id, updated_at)
  WHERE retention = 'hashes' AND erased IS NULL
    AND (state IN ('refused', 'committed', 'rolled_back', 'no_op') OR (state = 'ambiguous' AND resolution IS NOT NULL));
ALTER TABLE kernel.erasure DROP CONSTRAINT erasure_selector_check;
ALTER TABLE kernel.erasure ADD CONSTRAINT erasure_selector
  CHECK (selector IN ('operation', 'session', 'subject', 'before', 'conversation', 'ended'));
DROP TRIGGER forget_announced ON kernel.payload;
CREATE TRIGGER forget_announced BEFORE UPDATE OF requests ON kernel.payload
  FOR EACH ROW WHEN (new.requests IS NOT NULL)
  EXECUTE FUNCTION kernel.forget_announced();
DROP TRIGGER erasure_retained ON kernel.erasure;
CREATE TRIGGER erasure_retained AFTER UPDATE OF state ON kernel.erasure
  FOR EACH ROW WHEN (old.state = 'running' AND new.state = 'done' AND new.requested_by = 'kernel' AND new.selector = 'before')
  EXECUTE FUNCTION kernel.note_retained();
