-- Returns the identity providers in force of an issuer, of all tenants: whose token is it?
--
-- It runs as the owner, because the tenant of a token is unknown until its provider is found. The policy
-- identity_provider_of_issuer lets it see only rows of the issuer in writ.issuer, and it clears that setting afterwards.
-- Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.registrations_in_force(issuer text)
RETURNS TABLE (
  provider_id text, tenant_id text, name text, audience text, tenant_claim text, tenant_value text, scopes jsonb,
  groups_claim text, groups jsonb, person_claim text, agent_id text, agent_claim text, profile text,
  workloads jsonb, jwks jsonb, hash_key_id text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('writ.issuer', registrations_in_force.issuer, true);
  RETURN QUERY SELECT p.provider_id, p.tenant_id, p.name, p.audience, p.tenant_claim, p.tenant_value, p.scopes,
      p.groups_claim, p.groups, p.person_claim, p.agent_id, p.agent_claim, p.profile, p.workloads, p.jwks,
      p.hash_key_id
    FROM orchestrator.identity_provider AS p WHERE p.issuer = registrations_in_force.issuer AND p.removed_at IS NULL
    ORDER BY p.provider_id;
  PERFORM set_config('writ.issuer', '', true);
END $$;
GRANT EXECUTE ON FUNCTION orchestrator.registrations_in_force(text) TO writ_orchestrator;
