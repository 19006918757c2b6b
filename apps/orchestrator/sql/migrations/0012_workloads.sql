-- Workloads of Kubernetes clusters, which present projected tokens (ADR 0172). A process of the version before gives
-- such a registration nothing: it has no scopes, and nobody can give it any.
ALTER TABLE orchestrator.identity_provider
  ADD COLUMN profile text COLLATE "C" NOT NULL DEFAULT 'oauth',
  ADD COLUMN workloads jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN jwks jsonb,
  ADD CONSTRAINT identity_provider_profile_check CHECK (profile IN ('oauth', 'kubernetes')),
  ADD CONSTRAINT identity_provider_workloads_check CHECK (jsonb_typeof(workloads) = 'array'),
  ADD CONSTRAINT identity_provider_jwks_check CHECK (jsonb_typeof(jwks) = 'array'),
  ADD CONSTRAINT identity_provider_workloads CHECK (profile = 'kubernetes' OR (workloads = '[]' AND jwks IS NULL)),
  ADD CONSTRAINT identity_provider_cluster CHECK (profile = 'oauth' OR (scopes = '[]' AND groups_claim IS NULL
    AND person_claim IS NULL AND agent_id IS NULL AND agent_claim IS NULL AND tenant_claim IS NULL
    AND sign_in_client_id IS NULL));
GRANT UPDATE (workloads, jwks) ON orchestrator.identity_provider TO writ_orchestrator;
-- No released version calls it: orchestrator.registrations_in_force replaces it.
DROP FUNCTION IF EXISTS orchestrator.registrations_of(text);
