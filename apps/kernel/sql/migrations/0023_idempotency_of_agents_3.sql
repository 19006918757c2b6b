-- Builds the index that lets one call claim a key. The lock lets others read, and calls with a key wait while it is
-- built: about 2 s for 1,000,000 rows (ADR 0153). No wait for the lock takes longer than 200 ms, since new claims queue
-- behind it. They go first then, and this tries again.
SET LOCAL lock_timeout = '200ms';
SET LOCAL maintenance_work_mem = '256MB';
DO $$
DECLARE
  violations integer := 0;
BEGIN
  FOR attempt IN 1..120 LOOP
    BEGIN
      LOCK TABLE kernel.idempotency IN SHARE ROW EXCLUSIVE MODE;
      -- INVARIANT (progress): the fourth build finds no two unmarked claims of a key, however many are made meanwhile.
      IF violations = 3 THEN
        UPDATE kernel.idempotency i SET tool_scoped = true
        WHERE NOT i.tool_scoped AND EXISTS (
          SELECT FROM kernel.idempotency e
          WHERE e.tenant_id = i.tenant_id AND e.agent_id = i.agent_id AND e.idempotency_key = i.idempotency_key
            AND (e.created_at, e.tool_id) < (i.created_at, i.tool_id));
      END IF;
      CREATE UNIQUE INDEX idempotency_of_agent ON kernel.idempotency (tenant_id, agent_id, idempotency_key)
        WHERE NOT tool_scoped;
      EXIT;
    -- Either releases the lock.
    EXCEPTION
      WHEN lock_not_available THEN
        IF attempt = 120 THEN
          RAISE;
        END IF;
        PERFORM pg_sleep(0.5);
      WHEN unique_violation THEN
        IF attempt = 120 THEN
          RAISE;
        END IF;
        -- A kernel of the version before used a key with several tools since the last file.
        violations := violations + 1;
        IF violations < 3 THEN
          UPDATE kernel.idempotency i SET tool_scoped = true
          WHERE NOT i.tool_scoped AND EXISTS (
            SELECT FROM kernel.idempotency e
            WHERE e.tenant_id = i.tenant_id AND e.agent_id = i.agent_id AND e.idempotency_key = i.idempotency_key
              AND (e.created_at, e.tool_id) < (i.created_at, i.tool_id));
        END IF;
    END;
  END LOOP;
END $$;
