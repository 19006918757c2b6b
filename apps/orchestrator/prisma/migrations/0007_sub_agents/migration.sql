-- A sub-agent works in a session of its own, begun by a call of the run above it. It goes with that run: what is said in it is part of what was said there.
ALTER TABLE orchestrator.session ADD COLUMN parent_run text COLLATE "C";
ALTER TABLE orchestrator.session ADD COLUMN parent_operation text COLLATE "C";
ALTER TABLE orchestrator.session ADD CONSTRAINT session_spawned CHECK ((parent_run IS NULL) = (parent_operation IS NULL));
ALTER TABLE orchestrator.session ADD CONSTRAINT session_parent FOREIGN KEY (parent_run) REFERENCES orchestrator.run ON DELETE CASCADE;
-- INVARIANT (one sub-agent a call): whoever goes on with the run above finds the one that there is.
CREATE UNIQUE INDEX session_of_operation ON orchestrator.session (parent_operation) WHERE parent_operation IS NOT NULL;
CREATE INDEX session_below ON orchestrator.session (parent_run) WHERE parent_run IS NOT NULL;
