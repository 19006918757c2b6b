-- Sessions have a mode, and a turn's call can start a sub-agent without a parent run.
ALTER TABLE orchestrator.session ADD COLUMN IF NOT EXISTS session_mode text DEFAULT 'interactive' NOT NULL;
ALTER TABLE orchestrator.session
  DROP CONSTRAINT IF EXISTS session_modes,
  ADD CONSTRAINT session_modes CHECK (session_mode IN ('interactive', 'gateway', 'scheduled')),
  DROP CONSTRAINT IF EXISTS session_spawned,
  ADD CONSTRAINT session_spawned CHECK (parent_run IS NULL OR parent_operation IS NOT NULL);
