-- Images of tenants, in which commands run. Executors make them ready: they fetch them, or build them from a recipe.
--
-- Row-level security binds writ_kernel to the tenant of its transaction (kernel.tenant()); FORCE binds the owner, too.
-- Times are ms since the epoch, by the clock of this database.

-- A row is a registered image. Administrators register and remove it; nothing else of what they said changes. An
-- executor claims a waiting one and says what came of it. A removed row stays, since calls name its image_digest.
-- INVARIANT (one of a name): at most one image of a tenant has a name; a removed one gives its name back.
-- INVARIANT (what runs): image_digest is set once, when the image becomes ready, and never changes.
CREATE TABLE kernel.image (
  image_id  text PRIMARY KEY,
  tenant_id text NOT NULL REFERENCES kernel.tenant,
  name      text NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'), -- as tools and profiles name it

  -- RFC 8785 bytes of an `ImageSource` of libs/contract: a reference with its digest, a digest, or a recipe.
  definition bytea NOT NULL,
  digest     text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'), -- hex SHA-256 of these bytes
  tools      text[] NOT NULL, -- ids of tools whose calls run in it, unless a profile or a program names another

  state        text DEFAULT 'waiting' NOT NULL CHECK (state IN ('waiting', 'building', 'ready', 'failed')),
  image_digest text CHECK (image_digest ~ '^sha256:[0-9a-f]{64}$'), -- what calls run in; null until it is ready
  problem      text, -- why it failed; null unless it did
  log          text DEFAULT '' NOT NULL, -- the end of what the builder and the package managers wrote

  executor_id text, -- who has it, while it is built, or had it
  claim       integer DEFAULT 0 NOT NULL, -- counts the executors that took it, and fences earlier ones
  claim_until bigint, -- when another executor may take it, in ms since the epoch; null: at once
  lost        integer DEFAULT 0 NOT NULL, -- counts the executors whose claim expired without a word from them

  created_by text NOT NULL, -- the API key
  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch
  updated_at bigint DEFAULT kernel.now_ms() NOT NULL, -- of its state, in ms since the epoch
  removed_at bigint, -- when it was removed, in ms since the epoch; null: it is there

  CHECK ((state = 'ready') = (image_digest IS NOT NULL))
);

-- Enforces one of a name, and finds an image by its name.
CREATE UNIQUE INDEX image_named ON kernel.image (tenant_id, name) WHERE removed_at IS NULL;
-- Was this the digest of an image of the tenant?
CREATE INDEX image_by_digest ON kernel.image (tenant_id, image_digest) WHERE image_digest IS NOT NULL;
-- Which images wait for an executor, or for another one?
CREATE INDEX image_waiting ON kernel.image (created_at) WHERE removed_at IS NULL AND state IN ('waiting', 'building');

ALTER TABLE kernel.image ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.image FORCE ROW LEVEL SECURITY;
-- A transaction reaches images of its own tenant only.
CREATE POLICY one_tenant ON kernel.image TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The worker gives images of all tenants to executors.
CREATE POLICY all_tenants ON kernel.image TO writ_kernel_worker USING (true) WITH CHECK (true);
-- The state of an image changes and rows are marked as removed. Name, definition and tools stay.
GRANT SELECT, INSERT ON kernel.image TO writ_kernel;
GRANT UPDATE (state, image_digest, problem, log, claim_until, updated_at, removed_at) ON kernel.image TO writ_kernel;
GRANT SELECT ON kernel.image TO writ_kernel_worker;
GRANT UPDATE (state, executor_id, claim, claim_until, lost, updated_at) ON kernel.image TO writ_kernel_worker;
