-- Quorums: an approval is given by as many persons as the policy asks for, each of whom says yes to the same thing. Votes are written and never changed;
-- which of them stand follows from what the approval is of now. Rights to vote are lent by delegations.
-- INVARIANT (one person, one vote): votes are written under the lock of their operation, by functions that look for another of the same person first.
-- INVARIANT (the last vote decides): a yes that completes the quorum is written in the transaction that readmits or commits the call, and no other.

-- Who had a hand in a call: none of them decides about it. Empty for calls of before: then it is `proposed_by`.
ALTER TABLE kernel.operation ADD COLUMN proposers text[] NOT NULL DEFAULT '{}';
-- How many persons the yes had under which it runs.
ALTER TABLE kernel.operation ADD COLUMN approvers integer NOT NULL DEFAULT 0;
-- How many must say yes; and how often what they are asked has changed: votes are for one asking.
ALTER TABLE kernel.approval ADD COLUMN quorum integer NOT NULL DEFAULT 1 CHECK (quorum BETWEEN 1 AND 16);
ALTER TABLE kernel.approval ADD COLUMN asked integer NOT NULL DEFAULT 1;
-- The person behind the key that activated a set.
ALTER TABLE kernel.policy_activation ADD COLUMN activated_as text;

CREATE TABLE kernel.delegation (
  delegation_id  text PRIMARY KEY,
  tenant_id      text NOT NULL,
  from_principal text NOT NULL,
  role           text NOT NULL CHECK (role IN ('operator', 'admin')),
  to_principal   text NOT NULL,
  -- ids and globs; none: every tool
  tools          text[] NOT NULL DEFAULT '{}',
  agent_id       text,
  autonomy_mode  text NOT NULL CHECK (autonomy_mode IN ('soft_gate', 'escalated')),
  note           text NOT NULL,
  created_at     bigint NOT NULL DEFAULT kernel.now_ms(),
  created_by     text NOT NULL,
  expires_at     bigint NOT NULL,
  revoked_at     bigint,
  revoked_by     text,
  CONSTRAINT delegation_to_another CHECK (from_principal <> to_principal)
);
CREATE INDEX delegation_listed ON kernel.delegation (tenant_id, created_at DESC, delegation_id DESC);
CREATE INDEX delegation_by_key ON kernel.delegation (created_by) WHERE revoked_at IS NULL;

CREATE TABLE kernel.vote (
  vote_id       text PRIMARY KEY,
  tenant_id     text NOT NULL,
  approval_id   text NOT NULL REFERENCES kernel.approval,
  -- the asking that it answers: kernel.approval.asked of then
  asked         integer NOT NULL,
  says          text NOT NULL CHECK (says IN ('approve', 'deny')),
  -- whose vote it is, and with which right
  principal     text NOT NULL,
  role          text NOT NULL CHECK (role IN ('operator', 'admin')),
  -- the key that gave it, and the person behind that key
  cast_by       text NOT NULL,
  cast_as       text NOT NULL,
  delegation_id text REFERENCES kernel.delegation,
  effect_digest text,
  comment       text,
  -- null where the approval's own record says it
  record_id     text,
  created_at    bigint NOT NULL DEFAULT kernel.now_ms(),
  CONSTRAINT vote_own_or_lent CHECK ((principal = cast_as) = (delegation_id IS NULL))
);
CREATE INDEX vote_of_approval ON kernel.vote (approval_id, asked);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['delegation','vote'] LOOP
    EXECUTE format('ALTER TABLE kernel.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE kernel.%I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY one_tenant ON kernel.%I TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant())', t);
  END LOOP;
END $$;
GRANT SELECT, INSERT ON kernel.vote TO writ_kernel;
GRANT SELECT, INSERT, UPDATE (revoked_at, revoked_by) ON kernel.delegation TO writ_kernel;

-- Whether a vote is for what the approval is of now, and by a right that nobody has taken back. A delegation that ran out since had been good when it was used.
CREATE FUNCTION kernel.vote_stands(v kernel.vote, p_asked integer) RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN v.asked = p_asked AND NOT EXISTS (SELECT 1 FROM delegation d WHERE d.delegation_id = v.delegation_id AND d.revoked_at IS NOT NULL);
END $$;

-- The votes of an approval, oldest first, each with `stands`.
CREATE FUNCTION kernel.votes_of(a kernel.approval) RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(to_jsonb(v) || jsonb_build_object('stands', vote_stands(v, a.asked)) ORDER BY v.created_at, v.vote_id), '[]')
          FROM vote v WHERE v.approval_id = a.approval_id);
END $$;

-- Writes a vote, the operation being locked. p: the columns, and where it says yes `seen` {asked, votes: ids of those that stand}: what it was counted with.
-- WR001 where that has changed, where the person has a standing vote, and where the delegation isn't good any more.
CREATE FUNCTION kernel.put_vote(p_tenant text, p jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  n vote := jsonb_populate_record(NULL::vote, p);
  a approval;
BEGIN
  SELECT * INTO a FROM approval x WHERE x.approval_id = n.approval_id;
  -- Whoever takes back a delegation waits for the votes under it that are being counted, or is seen here.
  PERFORM 1 FROM delegation d WHERE d.delegation_id = n.delegation_id OR d.delegation_id IN (SELECT v.delegation_id FROM vote v WHERE v.approval_id = n.approval_id) ORDER BY d.delegation_id FOR SHARE;
  IF n.delegation_id IS NOT NULL THEN
    PERFORM 1 FROM delegation d WHERE d.delegation_id = n.delegation_id AND d.from_principal = n.principal AND d.to_principal = n.cast_as AND d.role = n.role
      AND d.revoked_at IS NULL AND d.expires_at > now_ms();
    IF NOT FOUND THEN PERFORM decide_again('delegation'); END IF;
  END IF;
  IF n.says = 'approve' THEN
    IF a.asked IS DISTINCT FROM (p #>> '{seen,asked}')::integer THEN PERFORM decide_again('approval'); END IF;
    IF ARRAY(SELECT v.vote_id FROM vote v WHERE v.approval_id = n.approval_id AND v.says = 'approve' AND vote_stands(v, a.asked) ORDER BY v.vote_id)
      IS DISTINCT FROM ARRAY(SELECT x FROM jsonb_array_elements_text(p #> '{seen,votes}') AS x ORDER BY x) THEN PERFORM decide_again('votes'); END IF;
    PERFORM 1 FROM vote v WHERE v.approval_id = n.approval_id AND v.says = 'approve' AND vote_stands(v, a.asked) AND (v.principal = n.principal OR v.cast_as = n.cast_as);
    IF FOUND THEN PERFORM decide_again('person'); END IF;
  END IF;
  INSERT INTO vote (vote_id, tenant_id, approval_id, asked, says, principal, role, cast_by, cast_as, delegation_id, effect_digest, comment, record_id)
  VALUES (n.vote_id, p_tenant, n.approval_id, a.asked, n.says, n.principal, n.role, n.cast_by, n.cast_as, n.delegation_id, a.effect_digest, n.comment, n.record_id);
END $$;

-- A yes that doesn't complete the quorum: the call stays held. p: operation_id, approval {approval_id, quorum, autonomy_mode}, vote, records.
CREATE FUNCTION kernel.cast_vote(p_tenant text, p jsonb) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE operation o SET updated_at = now_ms() WHERE o.operation_id = p ->> 'operation_id' AND o.state = 'held' RETURNING o.* INTO op;
  IF NOT FOUND THEN PERFORM decide_again('operation'); END IF;
  UPDATE approval a SET quorum = (p #>> '{approval,quorum}')::integer, autonomy_mode = p #>> '{approval,autonomy_mode}'
    WHERE a.approval_id = p #>> '{approval,approval_id}' AND a.state = 'pending' AND a.expires_at > now_ms();
  IF NOT FOUND THEN PERFORM decide_again('approval'); END IF;
  PERFORM put_vote(p_tenant, p -> 'vote');
  PERFORM post_records(p_tenant, p -> 'records');
  RETURN to_jsonb(op);
END $$;

-- Tells that one of several has approved; of the vote that decides, the approval's own notice tells.
CREATE FUNCTION kernel.note_vote() RETURNS trigger LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO notice (tenant_id, kind, operation_id, approval_id, agent_id, tool_id, workspace_id, session_id, action_digest, autonomy_mode, expires_at)
  SELECT NEW.tenant_id, 'approval.voted', o.operation_id, a.approval_id, o.agent_id, o.tool_id, o.workspace_id, o.session_id, a.action_digest, a.autonomy_mode, a.expires_at
  FROM approval a JOIN operation o ON o.operation_id = a.operation_id WHERE a.approval_id = NEW.approval_id AND a.state = 'pending';
  RETURN NULL;
END $$;
CREATE TRIGGER vote_cast AFTER INSERT ON kernel.vote FOR EACH ROW EXECUTE FUNCTION kernel.note_vote();

-- What the held ones of these calls wait for, for counting: [{operation_id, autonomy_mode, quorum, votes}].
CREATE FUNCTION kernel.votes_on(p_tenant text, p_operations text[]) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object('operation_id', o.operation_id, 'autonomy_mode', a.autonomy_mode, 'quorum', a.quorum, 'votes', votes_of(a))), '[]')
    FROM operation o JOIN approval a ON a.approval_id = o.approval_id WHERE o.operation_id = ANY (p_operations) AND o.state = 'held');
END $$;

GRANT EXECUTE ON FUNCTION kernel.vote_stands, kernel.votes_of, kernel.put_vote, kernel.cast_vote, kernel.note_vote, kernel.votes_on TO writ_kernel;
