-- Tools that a tenant declares have names with capital letters and `-`, as the other side writes them, and longer ones.
-- Every name of before has the new form.
ALTER TABLE kernel.tool_version
  DROP CONSTRAINT tool_version_tool_id_check,
  ADD CONSTRAINT tool_version_tool_id_check
    CHECK (tool_id ~ '^[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)*$' AND length(tool_id) <= 128);
