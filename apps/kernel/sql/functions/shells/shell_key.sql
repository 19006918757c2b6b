-- Returns the name under which the shell of a call lives: the container that it names, else its session, else ''.
-- A call of `shell.session` names one resource at most, which is a container.
CREATE OR REPLACE FUNCTION kernel.shell_key(o kernel.operation) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = kernel, pg_temp AS $$
  SELECT coalesce(o.resource_ids[1], o.session_id, '')
$$;
GRANT EXECUTE ON FUNCTION kernel.shell_key(kernel.operation) TO writ_kernel, writ_kernel_worker;
