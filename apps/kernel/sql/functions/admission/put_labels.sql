-- Adds labels to the session of an admitted call and, where the call may write, to its workspace. Labels that are there
-- already stay as they are.
--
-- o: the row of the operation. p_labels: an array of text.
--
-- Rows are inserted in a fixed order, so that two calls that add the same labels don't deadlock.
CREATE OR REPLACE FUNCTION kernel.put_labels(o kernel.operation, p_labels jsonb) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO label (tenant_id, scope, id, label, operation_id)
  SELECT o.tenant_id, s.scope, s.id, l.label, o.operation_id
  FROM (VALUES ('session', coalesce(o.session_id, o.capability_token_id)), ('workspace', CASE WHEN o.mutating THEN o.workspace_id END)) AS s(scope, id),
    jsonb_array_elements_text(p_labels) AS l(label)
  WHERE s.id IS NOT NULL
  ORDER BY s.scope, l.label
  ON CONFLICT DO NOTHING;
END $$;
GRANT EXECUTE ON FUNCTION kernel.put_labels(kernel.operation, jsonb) TO writ_kernel;
