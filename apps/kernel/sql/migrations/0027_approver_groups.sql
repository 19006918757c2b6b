-- Approver groups (ADR 0164), and escalation and reminders of held calls (ADR 0165). Columns with constant defaults and a
-- partial index of pending approvals: kernel.approval is locked for as long as its rows are read once.
CREATE TABLE kernel.approver_group (
  tenant_id   text NOT NULL REFERENCES kernel.tenant,
  name        text NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9_.-]{0,63}$'),
  description text NOT NULL,
  created_at  bigint NOT NULL DEFAULT kernel.now_ms(),
  created_by  text NOT NULL,
  changed_at  bigint NOT NULL DEFAULT kernel.now_ms(),
  changed_by  text NOT NULL,
  PRIMARY KEY (tenant_id, name)
);
ALTER TABLE kernel.approver_group ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.approver_group FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.approver_group TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT, DELETE ON kernel.approver_group TO writ_kernel;
GRANT UPDATE (description, changed_at, changed_by) ON kernel.approver_group TO writ_kernel;
CREATE TABLE kernel.approver_group_member (
  tenant_id  text NOT NULL,
  group_name text NOT NULL,
  principal  text NOT NULL,
  added_at   bigint NOT NULL DEFAULT kernel.now_ms(),
  added_by   text NOT NULL,
  PRIMARY KEY (tenant_id, group_name, principal),
  FOREIGN KEY (tenant_id, group_name) REFERENCES kernel.approver_group (tenant_id, name)
);
CREATE INDEX approver_group_of_person ON kernel.approver_group_member (tenant_id, principal);
ALTER TABLE kernel.approver_group_member ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.approver_group_member FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.approver_group_member TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT, DELETE ON kernel.approver_group_member TO writ_kernel;

ALTER TABLE kernel.approval
  ADD COLUMN demands jsonb CHECK (jsonb_typeof(demands) = 'array'),
  ADD COLUMN escalations jsonb,
  ADD COLUMN escalated integer NOT NULL DEFAULT 0,
  ADD COLUMN escalated_to text[] NOT NULL DEFAULT '{}',
  ADD COLUMN reminders bigint[] NOT NULL DEFAULT '{}',
  ADD COLUMN reminded integer NOT NULL DEFAULT 0,
  ADD COLUMN wakes_at bigint;
CREATE INDEX approval_waking ON kernel.approval (wakes_at) WHERE state = 'pending' AND wakes_at IS NOT NULL;
ALTER TABLE kernel.operation ADD COLUMN demands_met jsonb;

-- Returns the groups that all of these persons are members of since p_at at the latest, in ms since the epoch, sorted. So
-- whoever was removed and put back votes again. The caller has set the tenant.
CREATE OR REPLACE FUNCTION kernel.shared_groups(p_tenant text, p_principals text[], p_at bigint) RETURNS text[]
LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT coalesce(array_agg(f.group_name ORDER BY f.group_name), '{}') FROM (
    SELECT m.group_name FROM approver_group_member m
    WHERE m.tenant_id = p_tenant AND m.principal = ANY (p_principals) AND m.added_at <= p_at
    GROUP BY m.group_name HAVING count(*) = (SELECT count(DISTINCT x) FROM unnest(p_principals) AS x)) f;
$$;
GRANT EXECUTE ON FUNCTION kernel.shared_groups(text, text[], bigint) TO writ_kernel;

-- Returns the groups whose members may approve: those that the policy names, and those that it was escalated to. Null:
-- the approval is reserved for none.
CREATE OR REPLACE FUNCTION kernel.groups_of_approval(a kernel.approval) RETURNS text[]
LANGUAGE sql IMMUTABLE SET search_path = kernel, pg_temp AS $$
  SELECT CASE WHEN a.demands IS NULL THEN NULL ELSE
    a.escalated_to || ARRAY(SELECT jsonb_array_elements_text(d -> 'any_of') FROM jsonb_array_elements(a.demands) AS d) END;
$$;
GRANT EXECUTE ON FUNCTION kernel.groups_of_approval(kernel.approval) TO writ_kernel;

-- Returns whether a vote counts: it stands (kernel.vote_stands), and where the approval is reserved for groups, the person
-- whose right it is and the one who cast it are members of one of them, and were all the time since.
CREATE OR REPLACE FUNCTION kernel.vote_counts(v kernel.vote, a kernel.approval) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN vote_stands(v, a.asked) AND (v.says = 'deny' OR a.demands IS NULL
    OR shared_groups(v.tenant_id, ARRAY[v.principal, v.cast_as], v.created_at) && groups_of_approval(a));
END $$;
GRANT EXECUTE ON FUNCTION kernel.vote_counts(kernel.vote, kernel.approval) TO writ_kernel;

-- Trigger of kernel.vote. Refuses (WR001 `groups`) an approving vote about an approval that is reserved for groups, unless
-- the person whose right it is and the one who casts it are both members of one of them. It holds for every version of
-- the kernel that runs.
--
-- Locks: the groups, by name (FOR SHARE). Whoever changes one waits until this transaction ends, or has committed and is
-- seen here.
CREATE OR REPLACE FUNCTION kernel.assert_voter_in_group() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v_groups text[];
BEGIN
  SELECT groups_of_approval(a) INTO v_groups FROM approval a WHERE a.approval_id = NEW.approval_id;
  IF v_groups IS NULL THEN RETURN NEW; END IF;
  PERFORM 1 FROM approver_group g WHERE g.tenant_id = NEW.tenant_id AND g.name = ANY (v_groups) ORDER BY g.name FOR SHARE;
  IF NOT shared_groups(NEW.tenant_id, ARRAY[NEW.principal, NEW.cast_as], NEW.created_at) && v_groups THEN PERFORM decide_again('groups'); END IF;
  RETURN NEW;
END $$;
GRANT EXECUTE ON FUNCTION kernel.assert_voter_in_group() TO writ_kernel;

-- Trigger of kernel.approval, at the end of the transaction that approves it. Refuses (WR001 `groups`) unless enough of
-- the persons that the approval is reserved for have approved it, as they are members since they voted: for each demand so many of
-- its groups, and as many in all as the quorum says. It holds for every version of the kernel that runs.
--
-- The last vote of the transaction has locked the groups (kernel.assert_voter_in_group).
CREATE OR REPLACE FUNCTION kernel.assert_groups_approved() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  a approval;
BEGIN
  SELECT * INTO a FROM approval x WHERE x.approval_id = NEW.approval_id;
  IF (SELECT count(*) FROM vote v WHERE v.approval_id = a.approval_id AND v.says = 'approve' AND vote_counts(v, a)) < a.quorum THEN
    PERFORM decide_again('groups');
  END IF;
  PERFORM 1 FROM jsonb_to_recordset(a.demands) AS d(any_of jsonb, count integer)
  WHERE d.count > (
    SELECT count(*) FROM vote v
    WHERE v.approval_id = a.approval_id AND v.says = 'approve' AND vote_counts(v, a)
      AND shared_groups(v.tenant_id, ARRAY[v.principal, v.cast_as], v.created_at)
        && (a.escalated_to || ARRAY(SELECT jsonb_array_elements_text(d.any_of))));
  IF FOUND THEN PERFORM decide_again('groups'); END IF;
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.assert_groups_approved() TO writ_kernel;

-- Trigger of kernel.approval. Sets when the approval needs the sweep next (`wakes_at`): for its next escalation or its next
-- reminder, whichever comes first; null: for neither. Reminders whose time was over before the approval began are left
-- out.
CREATE OR REPLACE FUNCTION kernel.set_wake() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.reminders := ARRAY(SELECT r FROM unnest(NEW.reminders) AS r WHERE NEW.expires_at - r > NEW.created_at ORDER BY r DESC);
  END IF;
  NEW.wakes_at := least(
    NEW.created_at + (NEW.escalations -> NEW.escalated ->> 'after_ms')::bigint,
    NEW.expires_at - NEW.reminders[NEW.reminded + 1]);
  RETURN NEW;
END $$;
GRANT EXECUTE ON FUNCTION kernel.set_wake() TO writ_kernel;

CREATE TRIGGER approval_wakes BEFORE INSERT OR UPDATE OF escalated, reminded ON kernel.approval
  FOR EACH ROW WHEN (new.escalations IS NOT NULL OR new.reminders <> '{}')
  EXECUTE FUNCTION kernel.set_wake();
CREATE CONSTRAINT TRIGGER approved_by_groups AFTER UPDATE OF state ON kernel.approval
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (new.state = 'approved' AND new.demands IS NOT NULL)
  EXECUTE FUNCTION kernel.assert_groups_approved();
CREATE TRIGGER vote_of_member BEFORE INSERT ON kernel.vote
  FOR EACH ROW WHEN (new.says = 'approve')
  EXECUTE FUNCTION kernel.assert_voter_in_group();
