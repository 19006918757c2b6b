-- What people and their systems are told of: an approval that waits or was decided, an ambiguous operation and its resolution. Triggers write a row
-- in the transaction that makes it true, whichever statement that is, so that no notice is lost and none is of something that never came about.
-- A call that runs through writes none. A row holds ids and digests: never arguments, results, diffs, comments or notes.

-- An id as libs/contract writes them: `<prefix>_` and 26 characters of Crockford's base32, the bytes being a UUIDv7 (RFC 9562) by this database's clock.
CREATE FUNCTION kernel.new_id(p_prefix text) RETURNS text LANGUAGE sql VOLATILE SET search_path = kernel, pg_temp AS $$
  WITH random AS (SELECT uuid_send(gen_random_uuid()) AS r, int8send(now_ms()) AS t),
  bytes AS (SELECT set_byte(substring(t FROM 3) || substring(r FROM 7), 6, (get_byte(r, 6) & 15) | 112) AS b FROM random),
  -- 128 bits in groups of five: two zeros in front make 130
  bits AS (SELECT B'00' || ('x' || encode(b, 'hex'))::bit(128) AS v FROM bytes)
  SELECT p_prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', substring(v FROM n * 5 + 1 FOR 5)::bit(5)::integer + 1, 1), '' ORDER BY n)
  FROM bits, generate_series(0, 25) n
$$;

CREATE TABLE kernel.notice (
  notice_id     text PRIMARY KEY DEFAULT kernel.new_id('ntc'),
  tenant_id     text NOT NULL,
  kind          text NOT NULL,
  operation_id  text NOT NULL,
  approval_id   text,
  agent_id      text NOT NULL,
  tool_id       text NOT NULL,
  workspace_id  text,
  session_id    text,
  action_digest text,
  autonomy_mode text NOT NULL,
  -- until when a pending approval may be decided
  expires_at    bigint,
  resolution    text,
  created_at    bigint NOT NULL DEFAULT kernel.now_ms(),
  -- Whoever takes a notice claims it for a while, so that replicas don't take the same ones.
  claimed_until bigint NOT NULL DEFAULT 0
);
CREATE INDEX notice_by_age ON kernel.notice (created_at, notice_id);

ALTER TABLE kernel.notice ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.notice FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.notice TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
CREATE POLICY all_tenants ON kernel.notice TO writ_kernel_worker USING (true) WITH CHECK (true);
GRANT INSERT ON kernel.notice TO writ_kernel;
GRANT SELECT, DELETE, UPDATE (claimed_until) ON kernel.notice TO writ_kernel_worker;

CREATE FUNCTION kernel.note_approval() RETURNS trigger LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO notice (tenant_id, kind, operation_id, approval_id, agent_id, tool_id, workspace_id, session_id, action_digest, autonomy_mode, expires_at)
  SELECT NEW.tenant_id, 'approval.' || NEW.state, o.operation_id, NEW.approval_id, o.agent_id, o.tool_id, o.workspace_id, o.session_id, NEW.action_digest,
    NEW.autonomy_mode, CASE WHEN NEW.state = 'pending' THEN NEW.expires_at END
  FROM operation o WHERE o.operation_id = NEW.operation_id;
  RETURN NULL;
END $$;
CREATE TRIGGER approval_asked AFTER INSERT ON kernel.approval FOR EACH ROW EXECUTE FUNCTION kernel.note_approval();
CREATE TRIGGER approval_decided AFTER UPDATE OF state ON kernel.approval FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION kernel.note_approval();

CREATE FUNCTION kernel.note_operation() RETURNS trigger LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO notice (tenant_id, kind, operation_id, agent_id, tool_id, workspace_id, session_id, action_digest, autonomy_mode, resolution)
  VALUES (NEW.tenant_id, CASE WHEN NEW.resolution IS NULL THEN 'operation.ambiguous' ELSE 'operation.resolved' END,
    NEW.operation_id, NEW.agent_id, NEW.tool_id, NEW.workspace_id, NEW.session_id, NEW.action_digest, NEW.autonomy_mode, NEW.resolution);
  RETURN NULL;
END $$;
-- The conditions are looked at before a trigger is queued: a call that commits pays a comparison.
CREATE TRIGGER operation_in_doubt AFTER UPDATE OF state ON kernel.operation FOR EACH ROW
  WHEN (NEW.state = 'ambiguous' AND OLD.state <> 'ambiguous') EXECUTE FUNCTION kernel.note_operation();
CREATE TRIGGER operation_resolved AFTER UPDATE OF resolution ON kernel.operation FOR EACH ROW
  WHEN (OLD.resolution IS NULL AND NEW.resolution IS NOT NULL) EXECUTE FUNCTION kernel.note_operation();

-- Claims notices that nobody else has, oldest first. Run as the worker.
CREATE FUNCTION kernel.take_notices(p_claim_ms bigint, p_rows integer) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t     bigint := now_ms();
  taken jsonb;
BEGIN
  WITH due AS (
    SELECT n.notice_id FROM notice n WHERE n.claimed_until < t ORDER BY n.created_at, n.notice_id LIMIT p_rows FOR UPDATE SKIP LOCKED),
  claimed AS (UPDATE notice n SET claimed_until = t + p_claim_ms FROM due WHERE n.notice_id = due.notice_id RETURNING n.*)
  SELECT coalesce(jsonb_agg(to_jsonb(c) - 'claimed_until' ORDER BY c.created_at, c.notice_id), '[]') INTO taken FROM claimed c;
  RETURN taken;
END $$;

-- Forgets notices that whoever took them keeps. Lost in a crash, this only hands them out once more. Run as the worker.
CREATE FUNCTION kernel.drop_notices(p_notices text[]) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM notice WHERE notice_id = ANY (p_notices);
END $$;

GRANT EXECUTE ON FUNCTION kernel.new_id, kernel.note_approval, kernel.note_operation TO writ_kernel;
GRANT EXECUTE ON FUNCTION kernel.take_notices, kernel.drop_notices TO writ_kernel_worker;
