-- Returns the name under which the shell of a call lives: `container:` and the id of the container that it names, else
-- `session:` and its session, else `session:`.
-- A call of `shell.session` names one resource at most, which is a container.
--
-- INVARIANT (two name spaces): a caller chooses the text of its session, and the prefix keeps it apart from every
-- container. The shell of a container serves only calls that name the container, for which its grant is read.
CREATE OR REPLACE FUNCTION kernel.shell_key(o kernel.operation) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = kernel, pg_temp AS $$
  SELECT coalesce('container:' || o.resource_ids[1], 'session:' || o.session_id, 'session:')
$$;
GRANT EXECUTE ON FUNCTION kernel.shell_key(kernel.operation) TO writ_kernel, writ_kernel_worker;
