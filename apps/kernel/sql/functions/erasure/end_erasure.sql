-- Ends a running erasure once both parts are done: its calls are erased, and its texts are gone or none were ordered.
CREATE OR REPLACE FUNCTION kernel.end_erasure(p_erasure text) RETURNS void
LANGUAGE sql SET search_path = kernel, pg_temp AS $$
  UPDATE erasure x SET state = 'done', finished_at = now_ms() WHERE x.erasure_id = p_erasure AND x.state = 'running' AND x.calls_done AND x.texts IN ('none', 'gone')
$$;
GRANT EXECUTE ON FUNCTION kernel.end_erasure(text) TO writ_kernel;
