-- Scheduling classes of jobs, and of their sessions (ADR 0113).
ALTER TABLE orchestrator.job ADD COLUMN scheduling_class text NOT NULL DEFAULT 'background'
  CHECK (scheduling_class IN ('interactive', 'background', 'maintenance'));
GRANT UPDATE (scheduling_class) ON orchestrator.job TO writ_orchestrator;
ALTER TABLE orchestrator.session ADD COLUMN scheduling_class text
  CHECK (scheduling_class IN ('interactive', 'background', 'maintenance'));
