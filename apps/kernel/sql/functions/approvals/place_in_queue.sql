-- Trigger of kernel.approval. Sets by what queues order and group it: the risk of its call, and the key of alike calls
-- (kernel.alike_key). It holds for every version of the kernel that runs.
CREATE OR REPLACE FUNCTION kernel.place_in_queue() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  SELECT o.risk_score, alike_key(o.tool_id, o.agent_id, NEW.autonomy_mode, NEW.reasons) INTO NEW.risk_score, NEW.alike
  FROM operation o WHERE o.operation_id = NEW.operation_id;
  RETURN NEW;
END $$;
GRANT EXECUTE ON FUNCTION kernel.place_in_queue() TO writ_kernel;
