-- Tenants: who is separated from whom, with the limits and retention periods of each tenant. The public keys of its
-- registrars and the API keys that were revoked belong to a tenant, too.
--
-- Row-level security is FORCEd on every table, so that it binds the owner as well. The role writ_kernel sets the tenant
-- of its transaction; kernel.tenant() returns it. The role writ_kernel_worker serves all tenants and has few grants.
-- Times are milliseconds since the epoch, by the clock of this database (kernel.now_ms).

-- A row is a tenant. The kernel adds it when the platform key asks for one, and changes only settings and marks of
-- progress. A row is never deleted.
-- INVARIANT (quota): no head of a workspace moves to a state that exceeds a quota and holds more than before.
-- The trigger workspace_quota enforces it, also for files_max and bytes_max of this table.
-- INVARIANT (output quota): full outputs that are kept at once have at most outputs_bytes_max bytes together.
-- kernel.keep_output enforces it.
CREATE TABLE kernel.tenant (
  tenant_id  text PRIMARY KEY,
  name       text NOT NULL, -- set once: asking again for the tenant under another name is a conflict
  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch

  -- The tenant's keys, each wrapped by the master key: nonce ‖ ciphertext ‖ tag.
  -- The data key seals secrets, values of sessions and the keys of calls. Where a call has no key of its own
  -- (kernel.payload.key_id is null), it seals the content of the call.
  data_key      bytea NOT NULL,
  -- The fingerprint key is the HMAC key of the arguments' fingerprints in kernel.idempotency.
  finger_key    bytea NOT NULL,
  -- Identifies the master key that wraps both keys, and reveals nothing about it; null: not known.
  master_key_id text,
  -- Names of events of signing keys whose records this tenant's log has, or the outbox on their way to the log.
  keys_recorded text[] DEFAULT '{}' NOT NULL,

  -- Limits, set by the platform key.
  -- Calls that the dispatcher takes in one visit, and the tenant's share where tenants share; 1 is usual.
  weight              integer DEFAULT 1 NOT NULL CHECK (weight BETWEEN 1 AND 1000),
  -- Most calls that are dispatched or performing at once, over all replicas; the API calls it running_max.
  cap                 integer DEFAULT 64 NOT NULL CHECK (cap BETWEEN 1 AND 100000),
  -- Most calls that wait for an executor; one more is `queue.full`. Calls decided at once may exceed it.
  waiting_max         integer DEFAULT 1000 NOT NULL CHECK (waiting_max BETWEEN 1 AND 1000000),
  -- Requests per second at each replica of the API; null: as the API is configured.
  requests_per_second integer CHECK (requests_per_second BETWEEN 1 AND 1000000),
  -- Requests at once at each replica of the API; null: as the API is configured.
  request_burst       integer CHECK (request_burst BETWEEN 1 AND 1000000),
  -- Requests per second of each person, and of each key without one, at each replica of the API; null: no bound.
  person_requests_per_second integer CHECK (person_requests_per_second BETWEEN 1 AND 1000000),
  -- Requests at once of each person at each replica of the API; null: as many as person_requests_per_second.
  person_request_burst       integer CHECK (person_request_burst BETWEEN 1 AND 1000000),
  -- When a limit or quota was last set, in ms since the epoch; null: never, so all have their defaults.
  limits_at           bigint,

  -- Quotas, set by the platform key; null: no bound.
  files_max         bigint CHECK (files_max >= 0), -- files, links and directories in the heads of all its workspaces
  bytes_max         bigint CHECK (bytes_max >= 0), -- bytes of their contents
  outputs_bytes_max bigint CHECK (outputs_bytes_max >= 0), -- bytes of full outputs that are kept at once

  -- Retention, set by administrators of the tenant.
  -- Days after which the content of a call is erased; null: it is kept.
  payload_days integer CHECK (payload_days BETWEEN 1 AND 3650),
  -- Days for which a full output is kept at most; null: as long as the deployment keeps it.
  output_days  integer CHECK (output_days BETWEEN 1 AND 365),
  -- What stays of a call once it has ended. full: its content, as long as payload_days says. hashes: nothing but hashes;
  -- the call's content is erased within minutes. It applies to calls that are admitted from then on.
  payload_mode  text DEFAULT 'full' NOT NULL CHECK (payload_mode IN ('full', 'hashes')),
  -- What stays of the requests of a call to hosts outside. none: their count and hash alone, in its record.
  requests_mode text DEFAULT 'full' NOT NULL CHECK (requests_mode IN ('full', 'none')),
  -- When these four were last set, in ms since the epoch; null: never.
  retention_at bigint,

  -- Settings of calls, set by administrators of the tenant. Decisions assert them as they assert the policy set.
  -- {allowed_paths, denied_paths, output_bytes}: which paths calls may reach whatever their tokens grant, and the most
  -- bytes of a command's output. Keys of a home directory are denied anywhere, files of accounts at the root.
  call_settings jsonb DEFAULT
    '{"allowed_paths": [""], "denied_paths": ["**/.ssh", "**/.gnupg", "etc/shadow", "etc/passwd"], "output_bytes": 200000}'
    NOT NULL,
  -- When they were last set, in ms since the epoch; null: never.
  call_settings_at bigint,

  -- The end of the tenant, which the platform key brings about: nothing is admitted from then on, for ever.
  closed_at    bigint, -- ms since the epoch; null: it is open
  closed_by    text, -- `platform`
  close_reason text, -- why, in the words of whoever closed it

  -- Progress of background work, in ms since the epoch.
  -- When the worker last looked for unreachable blobs of the tenant; null: never.
  collected_at bigint,
  -- When the worker last looked for calls that are over age; null: never.
  retained_at  bigint,
  -- When the worker last added calls of the tenant to its sums by day; null: never.
  summed_at    bigint,
  -- Retention has looked at every call that was made before this and is over.
  erased_until bigint DEFAULT 0 NOT NULL,

  CONSTRAINT closed_whole CHECK ((closed_at IS NULL) = (closed_by IS NULL) AND (closed_at IS NULL) = (close_reason IS NULL))
);

-- Which tenants are there? The list is newest first.
CREATE INDEX tenant_by_creation ON kernel.tenant (created_at, tenant_id);

-- Which tenant has waited longest for garbage collection? A new tenant waits from its creation.
CREATE INDEX tenant_by_collection ON kernel.tenant (coalesce(collected_at, created_at));
-- Which limits were set since a moment? The API asks it again and again.
CREATE INDEX tenant_limits ON kernel.tenant (limits_at) WHERE limits_at IS NOT NULL;
-- Which tenant has waited longest for its sums by day?
CREATE INDEX tenant_summed ON kernel.tenant (coalesce(summed_at, 0));
-- Which tenant with a retention period has waited longest for a look at its calls?
CREATE INDEX tenant_retained ON kernel.tenant (coalesce(retained_at, 0)) WHERE payload_days IS NOT NULL;

ALTER TABLE kernel.tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.tenant FORCE ROW LEVEL SECURITY;
-- A transaction of writ_kernel reaches the row of its own tenant only.
CREATE POLICY one_tenant ON kernel.tenant TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The worker dispatches, collects and retains for all tenants; its grants below bound what it sees of each.
CREATE POLICY all_tenants ON kernel.tenant TO writ_kernel_worker USING (true) WITH CHECK (true);
-- The kernel adds a tenant, and changes what can change: never its id, its name or the worker's marks.
GRANT SELECT, INSERT ON kernel.tenant TO writ_kernel;
GRANT UPDATE (
  data_key, finger_key, master_key_id, keys_recorded, weight, cap, waiting_max, requests_per_second, request_burst,
  person_requests_per_second, person_request_burst, limits_at, files_max, bytes_max, outputs_bytes_max, payload_days, output_days, payload_mode, requests_mode,
  retention_at, call_settings, call_settings_at, closed_at, closed_by, close_reason, erased_until
) ON kernel.tenant TO writ_kernel;
-- The worker lists tenants, and finds those that are due for something. It never reads a key.
GRANT SELECT (
  tenant_id, name, closed_at, closed_by, close_reason, weight, cap, waiting_max, requests_per_second, request_burst, person_requests_per_second,
  person_request_burst, limits_at, master_key_id, keys_recorded,
  payload_days, created_at, collected_at, retained_at, summed_at
) ON kernel.tenant TO writ_kernel_worker;
-- The worker marks a tenant as looked at, so that no other replica takes the same one.
GRANT UPDATE (collected_at, retained_at, summed_at) ON kernel.tenant TO writ_kernel_worker;

-- A row is the public key of a registrar, who signs sandboxes of mk8.shell; the private key never comes here.
-- Administrators add keys and end them. A row is never deleted, and a key that has ended is not added again.
CREATE TABLE kernel.registrar_key (
  tenant_id  text NOT NULL REFERENCES kernel.tenant,
  keyid      text NOT NULL CHECK (keyid ~ '^[A-Za-z0-9_-]{43}$'), -- RFC 7638 thumbprint of the public key
  public_key bytea NOT NULL CHECK (length(public_key) = 32), -- Ed25519

  note       text, -- the administrator's own words; null: none
  created_by text NOT NULL, -- the API key that added it
  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch

  -- When it was retired, in ms since the epoch: it signs nothing more, and what it signed stands; null: it was not.
  retired_at bigint,
  -- When it was revoked, in ms since the epoch: nothing that it signed stands; null: it was not.
  revoked_at bigint,
  ended_by   text, -- the API key that retired or revoked it, whichever came last; null: neither happened

  PRIMARY KEY (tenant_id, keyid)
);

ALTER TABLE kernel.registrar_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.registrar_key FORCE ROW LEVEL SECURITY;
-- A transaction reaches keys of its own tenant only. The worker verifies no sandbox, so it has no grant.
CREATE POLICY one_tenant ON kernel.registrar_key TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- A key can be added and ended. Nobody can exchange its bytes.
GRANT SELECT, INSERT ON kernel.registrar_key TO writ_kernel;
GRANT UPDATE (retired_at, revoked_at, ended_by) ON kernel.registrar_key TO writ_kernel;

-- A row says that an API key of the tenant was revoked. The revocation adds it and ends the calls of the key; the row
-- is never changed or deleted. The orchestrator keeps the API keys themselves.
-- INVARIANT (wholly before or wholly after): a call of the key is decided before the revocation, which then marks it,
-- or after it, and is refused. A revocation locks the tenant's rules exclusively; a decision locks them shared.
CREATE TABLE kernel.revoked_key (
  tenant_id  text NOT NULL,
  api_key_id text NOT NULL,
  revoked_at bigint NOT NULL, -- ms since the epoch, of the first revocation
  revoked_by text NOT NULL, -- the API key that revoked it

  PRIMARY KEY (tenant_id, api_key_id)
);

ALTER TABLE kernel.revoked_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.revoked_key FORCE ROW LEVEL SECURITY;
-- A transaction reaches revocations of its own tenant only. The worker finds calls by their mark, without this table.
CREATE POLICY one_tenant ON kernel.revoked_key TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- A revocation is final, so there is no UPDATE and no DELETE.
GRANT SELECT, INSERT ON kernel.revoked_key TO writ_kernel;
