-- Trigger tool_in_force_at_decision, on a new decision about an existing operation. kernel.admit checks the first.
-- INVARIANT (the tool in force): no call runs or is held under a tool definition that is no longer in force.
-- Built-in tools have no row in kernel.tool, and a tenant's tool cannot take their names, so they pass.
-- Raises WR006: the caller decides again, with the new definition; or ends the call, as after kernel.hold_effect.
CREATE OR REPLACE FUNCTION kernel.assert_tool() RETURNS trigger LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF NOT tool_stands(NEW) THEN RAISE EXCEPTION 'the facts moved: tool' USING ERRCODE = 'WR006'; END IF;
  RETURN NEW;
END $$;
GRANT EXECUTE ON FUNCTION kernel.assert_tool() TO writ_kernel;
