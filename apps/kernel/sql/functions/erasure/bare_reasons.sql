-- Returns the reasons, [{code, message}], with their codes and without their messages: a message may quote arguments.
-- Used by kernel.erase_calls.
CREATE OR REPLACE FUNCTION kernel.bare_reasons(reasons jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
$$ SELECT coalesce(jsonb_agg(jsonb_build_object('code', r.value->'code', 'message', 'erased') ORDER BY r.ordinality), '[]') FROM jsonb_array_elements(reasons) WITH ORDINALITY r $$;
GRANT EXECUTE ON FUNCTION kernel.bare_reasons(jsonb) TO writ_kernel;
