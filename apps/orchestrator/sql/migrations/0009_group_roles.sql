-- Groups of people at their identity providers, which give roles (ADR 0149). A process of the version before knows no
-- groups: it gives their people less, and never more.
ALTER TABLE orchestrator.identity_provider
  ADD COLUMN groups_claim text COLLATE "C",
  ADD COLUMN groups jsonb NOT NULL DEFAULT '[]',
  ADD CONSTRAINT identity_provider_groups CHECK (groups_claim IS NOT NULL OR groups = '[]');
GRANT UPDATE (groups_claim, groups) ON orchestrator.identity_provider TO writ_orchestrator;
ALTER TABLE orchestrator.sign_in_session ADD COLUMN groups text[] NOT NULL DEFAULT '{}';
