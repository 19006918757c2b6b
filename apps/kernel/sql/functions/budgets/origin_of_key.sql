-- Returns the API key that a credential was exchanged for, or the key itself: what a budget of an API key counts. Nobody
-- exchanges twice. The caller has set the tenant.
-- It sets no search_path, so that the planner can inline it: sums of usage call it for each call.
CREATE OR REPLACE FUNCTION kernel.origin_of_key(p_tenant text, p_key text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT k.exchanged_by FROM kernel.bound_key k WHERE k.tenant_id = p_tenant AND k.api_key_id = p_key), p_key);
$$;
GRANT EXECUTE ON FUNCTION kernel.origin_of_key(text, text) TO writ_kernel;
