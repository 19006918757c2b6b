-- Activates a policy set for a tenant: decisions that are written from COMMIT on are made under it.
-- p: seen (seq of the newest activation that the caller read, 0 for none), policy_hash, name, document, note,
-- groups (the approver groups that the set names), activated_by (API key), activated_as (principal), record (as kernel.post_records reads one). A set that is not stored
-- yet, such as one that ships with the kernel, is stored with the next version of its name.
-- Returns {activation, name, version}.
--
-- Raises WR001 `policy` where another set was activated since `seen`, and `groups` where one of the groups isn't there. The caller reads what is in force and tries
-- again, or answers `conflict` to a rollback.
-- Locks: the tenant's policy sets (exclusive), then its rules (exclusive). The kernel compiles and signs everything
-- beforehand, so that decisions wait for the rules no longer than one statement.
CREATE OR REPLACE FUNCTION kernel.activate_policy(p_tenant text, p jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  s policy_set;
  a policy_activation;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), pg_advisory_xact_lock(hashtextextended('writ.policy_sets.' || p_tenant, 0));
  INSERT INTO policy_set (tenant_id, policy_hash, name, version, document, created_by)
  SELECT p_tenant, p->>'policy_hash', p->>'name', coalesce(max(k.version), 0) + 1, p->'document', p->>'activated_by' FROM policy_set k WHERE k.tenant_id = p_tenant AND k.name = p->>'name'
  ON CONFLICT (tenant_id, policy_hash) DO NOTHING;
  SELECT * INTO s FROM policy_set k WHERE k.tenant_id = p_tenant AND k.policy_hash = p->>'policy_hash';
  PERFORM change_rules(p_tenant);
  IF (SELECT coalesce(max(x.seq), 0) FROM policy_activation x WHERE x.tenant_id = p_tenant) <> (p->>'seen')::bigint THEN PERFORM decide_again('policy'); END IF;
  IF p ? 'groups' AND unknown_groups(p_tenant, ARRAY(SELECT jsonb_array_elements_text(p->'groups'))) <> '{}' THEN PERFORM decide_again('groups'); END IF;
  INSERT INTO policy_activation (tenant_id, seq, policy_hash, activated_by, activated_as, note)
  VALUES (p_tenant, (p->>'seen')::bigint + 1, s.policy_hash, p->>'activated_by', p->>'activated_as', p->>'note') RETURNING * INTO a;
  PERFORM post_records(p_tenant, jsonb_build_array(p->'record'));
  RETURN jsonb_build_object('activation', to_jsonb(a), 'name', s.name, 'version', s.version);
END $$;
GRANT EXECUTE ON FUNCTION kernel.activate_policy(text, jsonb) TO writ_kernel;
