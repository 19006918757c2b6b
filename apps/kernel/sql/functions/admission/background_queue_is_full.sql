-- Returns whether p_calls more calls of the tenant that aren't interactive don't all fit into its queue of calls that
-- wait for an executor. Such calls leave a quarter of the queue free, so that an interactive call finds room in it.
--
-- It may exceed its bound as kernel.queue_is_full may.
CREATE OR REPLACE FUNCTION kernel.background_queue_is_full(p_tenant text, p_calls integer DEFAULT 1) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN queue_is_full(p_tenant, p_calls + (SELECT n.waiting_max / 4 FROM tenant n WHERE n.tenant_id = p_tenant));
END $$;
GRANT EXECUTE ON FUNCTION kernel.background_queue_is_full(text, integer) TO writ_kernel;
