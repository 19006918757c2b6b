-- Queues of waiting approvals by time, by end and by risk, and groups of alike ones (ADR 0178). Columns without defaults and
-- partial indexes: both tables are locked for as long as the approvals are read once and the waiting ones are written. The
-- owner sees rows only while its row-level security is off. Calls are locked before approvals, as everywhere.
ALTER TABLE kernel.operation NO FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.approval
  ADD COLUMN risk_score numeric(4, 3),
  ADD COLUMN alike text;

-- Returns the key of calls that are alike to people: of one tool, agent and autonomy mode, and held for the same reasons,
-- by their codes in any order. 128 bits of SHA-256, hex: no tenant can make unlike calls have the same.
CREATE OR REPLACE FUNCTION kernel.alike_key(p_tool text, p_agent text, p_mode text, p_reasons jsonb) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = kernel, pg_temp AS $$
  SELECT left(encode(sha256(convert_to(jsonb_build_array(p_tool, p_agent, p_mode,
    ARRAY(SELECT DISTINCT (r ->> 'code') COLLATE "C" FROM jsonb_array_elements(p_reasons) AS r ORDER BY 1))::text, 'UTF8')), 'hex'), 32);
$$;
GRANT EXECUTE ON FUNCTION kernel.alike_key(text, text, text, jsonb) TO writ_kernel;

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

CREATE TRIGGER approval_in_queue BEFORE INSERT OR UPDATE OF reasons, autonomy_mode ON kernel.approval
  FOR EACH ROW WHEN (new.state = 'pending')
  EXECUTE FUNCTION kernel.place_in_queue();

ALTER TABLE kernel.approval NO FORCE ROW LEVEL SECURITY;
UPDATE kernel.approval a SET risk_score = o.risk_score, alike = kernel.alike_key(o.tool_id, o.agent_id, a.autonomy_mode, a.reasons)
FROM kernel.operation o WHERE o.operation_id = a.operation_id AND a.state = 'pending';
ALTER TABLE kernel.approval ADD CONSTRAINT placed CHECK (state <> 'pending' OR (risk_score IS NOT NULL AND alike IS NOT NULL));
ALTER TABLE kernel.approval FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.operation FORCE ROW LEVEL SECURITY;

CREATE INDEX approval_waiting_by_time ON kernel.approval (tenant_id, created_at, approval_id) WHERE state = 'pending';
CREATE INDEX approval_waiting_by_end ON kernel.approval (tenant_id, expires_at, approval_id) WHERE state = 'pending';
CREATE INDEX approval_waiting_by_risk ON kernel.approval (tenant_id, risk_score DESC, created_at DESC, approval_id DESC) WHERE state = 'pending';
