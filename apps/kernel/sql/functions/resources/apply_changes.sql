-- Applies what a call does to the tables of resources and tasks and to information stores, in the transaction that
-- commits it (kernel.finish).
-- p_changes: [{change: 'register', resource, max}, as kernel.register_resource takes them, or
--   {change: 'task', task_id, any}, any: the task may belong to another session or agent; or what kernel.change_agent
--   takes, or
--   {change: 'publish', store_id, change_id, digest, version}: what info_store.publish makes visible; digest: hex;
--   version: of the store afterwards, as the record of the call has it]
-- Raises WR007 and 54000 as kernel.register_resource does, and WR008 where there is no such task for the call: its
-- executor claimed to have found one. Raises WR009 as kernel.change_agent does. Raises WR031, WR032 and WR033 as
-- info_store.publish does, WR032 for the change of another store too, and WR035 where the store has moved to another
-- version: the caller decides again.
CREATE OR REPLACE FUNCTION kernel.apply_changes(o kernel.operation, p_changes jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE c jsonb; published record;
BEGIN
  FOR c IN SELECT * FROM jsonb_array_elements(p_changes) LOOP
    CASE c ->> 'change'
      WHEN 'register' THEN PERFORM register_resource(o.tenant_id, c -> 'resource', (c ->> 'max')::integer);
      WHEN 'task' THEN
        INSERT INTO task_change (tenant_id, operation_id, task_id)
        SELECT o.tenant_id, o.operation_id, c ->> 'task_id'
        WHERE o.operation_id = c ->> 'task_id' OR EXISTS (
          SELECT FROM task_change t JOIN operation m ON m.operation_id = t.operation_id
          WHERE t.tenant_id = o.tenant_id AND t.operation_id = c ->> 'task_id' AND t.task_id = t.operation_id
            AND ((c ->> 'any')::boolean OR (m.session_key = o.session_key AND m.agent_id = o.agent_id)));
        IF NOT FOUND THEN RAISE EXCEPTION 'there is no such task' USING ERRCODE = 'WR008'; END IF;
      WHEN 'freeze', 'lift', 'cancel' THEN PERFORM change_agent(o, c);
      WHEN 'publish' THEN
        SELECT p.store_id, p.version INTO published
          FROM info_store.publish(o.tenant_id, o.operation_id, c ->> 'change_id', decode(c ->> 'digest', 'hex')) AS p;
        IF published.store_id IS DISTINCT FROM c ->> 'store_id' THEN
          RAISE EXCEPTION 'the change is of another store' USING ERRCODE = 'WR032';
        END IF;
        IF published.version IS DISTINCT FROM (c ->> 'version')::bigint THEN
          RAISE EXCEPTION 'the store has another version' USING ERRCODE = 'WR035';
        END IF;
    END CASE;
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION kernel.apply_changes(kernel.operation, jsonb) TO writ_kernel;
