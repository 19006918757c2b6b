-- Paths that calls may reach whatever their tokens grant, and the output of commands (ADR 0121). Existing tenants get the
-- defaults that new ones have.
ALTER TABLE kernel.tenant ADD COLUMN IF NOT EXISTS call_settings jsonb DEFAULT
  '{"allowed_paths": [""], "denied_paths": ["**/.ssh", "**/.gnupg", "etc/shadow", "etc/passwd"], "output_bytes": 200000}'
  NOT NULL;
ALTER TABLE kernel.tenant ADD COLUMN IF NOT EXISTS call_settings_at bigint;
GRANT UPDATE (call_settings, call_settings_at) ON kernel.tenant TO writ_kernel;
