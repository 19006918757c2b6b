-- For the sweep of calls whose sandbox image was replaced (ADR 0109).
CREATE INDEX IF NOT EXISTS operation_left ON kernel.operation (updated_at)
  WHERE lane = 'sandboxed' AND ((state = 'admitted' AND attempt > 0) OR (state = 'dispatched' AND attempt > 1));
