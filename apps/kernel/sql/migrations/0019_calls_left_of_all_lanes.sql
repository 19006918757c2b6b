-- Calls of every lane are decided again where an update replaced what they are bound to, not only commands.
DROP INDEX kernel.operation_left;
CREATE INDEX operation_left ON kernel.operation (updated_at)
  WHERE (state = 'admitted' AND attempt > 0) OR (state = 'dispatched' AND attempt > 1);
