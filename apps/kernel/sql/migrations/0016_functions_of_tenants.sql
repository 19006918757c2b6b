-- Tools that a tenant declares by a schema, and functions that its own processes run (ADR 0136). Their names keep the
-- spelling of the other side, so they may have capitals and hyphens.
ALTER TABLE kernel.tool_version DROP CONSTRAINT tool_version_tool_id_check;
ALTER TABLE kernel.tool_version ADD CONSTRAINT tool_version_tool_id_check
  CHECK (tool_id ~ '^[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)*$' AND length(tool_id) <= 128);
-- An attempt of an idempotent function that was lost may have taken effect, so a call that waits for another one can
-- end as ambiguous.
INSERT INTO kernel.transition (from_state, to_state) VALUES ('admitted', 'ambiguous'), ('dispatched', 'ambiguous');
