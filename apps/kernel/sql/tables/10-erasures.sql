-- Erasures: orders to take away the content of calls and the texts of sessions, and how far each has got. An erasure
-- takes arguments, results and words; records, hashes, ids and states stay (functions/erasure).
-- All times are milliseconds since the epoch by this database's clock (kernel.now_ms).

-- A row is one erasure that an administrator asked for or that a retention period began. The kernel inserts it and
-- erases batch by batch, each batch in one transaction with its record. It stays for good.
-- INVARIANT (names what it selects): operation_id, session_id or subject is set exactly where the selector says so.
-- INVARIANT (done in all parts): an erasure is done once its calls are done and its texts are gone, if any were
-- ordered.
CREATE TABLE kernel.erasure (
  -- Identity.

  erasure_id    text PRIMARY KEY, -- `ers_…`, drawn by the kernel
  tenant_id     text NOT NULL, -- the tenant
  created_at    bigint NOT NULL DEFAULT kernel.now_ms(), -- in ms since the epoch

  -- What is asked, by whom and why.

  -- whose content: of a call; of a session; of a data subject; of all calls before a moment; or, of a session that is
  -- deleted, its texts and no call (conversation)
  selector      text NOT NULL CHECK (selector IN ('operation', 'session', 'subject', 'before', 'conversation')),
  operation_id  text, -- null unless the selector is operation
  session_id    text, -- null unless the selector is session or conversation
  -- a data subject; or an agent, for its calls that named no subject; null unless the selector is subject
  subject       text,
  -- calls made before it, in ms since the epoch; a call that is made later is not part of the erasure
  until         bigint NOT NULL,
  -- sessions of the orchestrator whose texts go; where the selector is session, their calls go too
  session_ids   text[] NOT NULL DEFAULT '{}',
  reason_code   text NOT NULL, -- the administrator's code for why; `retention` where a period ended
  requested_by  text NOT NULL, -- an API key, or `kernel` for a retention period

  -- How far it is.

  -- running until both parts, calls and texts, are done
  state         text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done')),
  finished_at   bigint, -- when both parts were done, in ms since the epoch; null: running
  calls_done    boolean NOT NULL DEFAULT false, -- true: all calls were looked at
  -- created_at of the last call that was looked at, in ms since the epoch: the next batch goes on after it. An erasure
  -- for retention starts just before its first call; all others start at 0.
  passed_at     bigint NOT NULL DEFAULT 0,
  passed_id     text NOT NULL DEFAULT '', -- operation_id of that call; '': none was looked at
  -- the orchestrator's part. none: no text is asked for; ordered: it is to begin; told: it reported what will go, that
  -- is recorded, and more may follow; gone: no text is left
  texts         text NOT NULL DEFAULT 'none' CHECK (texts IN ('none', 'ordered', 'told', 'gone')),
  -- how often the orchestrator reported what will go; each round is recorded once
  texts_rounds  integer NOT NULL DEFAULT 0,

  -- What came of it.

  operations    integer NOT NULL DEFAULT 0, -- calls whose content it erased
  unfinished    integer NOT NULL DEFAULT 0, -- calls that it passed over, since they had not ended
  unfinished_at bigint, -- created_at of the first of those, in ms since the epoch; null: none. No code reads it.
  sessions      integer NOT NULL DEFAULT 0, -- sessions that go with all that was said in them
  runs          integer NOT NULL DEFAULT 0, -- runs that go of sessions that stay
  -- records about it: one for each batch that erased something, and one for each round of texts
  records       integer NOT NULL DEFAULT 0,
  record_id     text, -- `rec_…` of the newest of them; null: nothing was erased so far

  CONSTRAINT names_what_it_selects CHECK (
    (operation_id IS NOT NULL) = (selector = 'operation')
    AND (session_id IS NOT NULL) = (selector IN ('session', 'conversation'))
    AND (subject IS NOT NULL) = (selector = 'subject')
  ),
  CONSTRAINT done_in_all_parts CHECK (state <> 'done' OR texts IN ('none', 'gone'))
);
-- a tenant's list, newest first
CREATE INDEX erasure_by_tenant ON kernel.erasure (tenant_id, created_at, erasure_id);
-- erasures that go on (kernel.running_erasures); mostly none
CREATE INDEX erasure_running ON kernel.erasure (created_at, erasure_id) WHERE state = 'running';
-- orders of texts for the orchestrator (kernel.text_orders); mostly none
CREATE INDEX erasure_texts ON kernel.erasure (created_at, erasure_id) WHERE texts IN ('ordered', 'told');
ALTER TABLE kernel.erasure ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.erasure FORCE ROW LEVEL SECURITY;
-- The worker finds erasures that go on, of all tenants, and can erase nothing.
CREATE POLICY all_tenants ON kernel.erasure FOR SELECT TO writ_kernel_worker USING (true);
-- The kernel sees and writes the tenant of its transaction only.
CREATE POLICY one_tenant ON kernel.erasure TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel begins and shows erasures; nobody deletes one.
GRANT SELECT, INSERT ON kernel.erasure TO writ_kernel;
-- It notes how far they are. What was asked for, by whom and why, cannot change.
GRANT UPDATE (
  state, passed_at, passed_id, operations, unfinished, unfinished_at, records, record_id, finished_at,
  texts, texts_rounds, sessions, runs, calls_done
) ON kernel.erasure TO writ_kernel;
-- The worker reads what it takes to go on and to hand out orders; it sees no data subject and no reason.
GRANT SELECT (erasure_id, tenant_id, selector, until, state, created_at, session_ids, texts, calls_done)
  ON kernel.erasure TO writ_kernel_worker;
