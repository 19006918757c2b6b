-- Returns what the end of a preview is decided on: the members of kernel.attempt_facts, with `operation` as the preview
-- runs it (kernel.previewed), `preview` and `approval` (their rows). Null where the call has no preview. No locks.
CREATE OR REPLACE FUNCTION kernel.preview_facts(p_tenant text, p_operation text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE facts jsonb;
BEGIN
  facts := attempt_facts(p_tenant, p_operation);
  RETURN (
    SELECT facts || jsonb_build_object('operation', previewed(o, v), 'preview', to_jsonb(v), 'approval', to_jsonb(a))
    FROM preview v JOIN operation o ON o.operation_id = v.operation_id LEFT JOIN approval a ON a.approval_id = o.approval_id
    WHERE v.operation_id = p_operation);
END $$;
GRANT EXECUTE ON FUNCTION kernel.preview_facts(text, text) TO writ_kernel;
