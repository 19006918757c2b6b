-- Triggers of the kernel's tables, by table. They enforce what must hold whichever statement writes a row, and write
-- notices in the transaction that makes them true. Each runs with the rights of the role that writes. Their WHEN
-- conditions are checked before the function is called, so a call that simply commits pays for comparisons only.

-- kernel.tenant

-- After a tenant is made: gives it its first grants.
CREATE TRIGGER tenant_granted AFTER INSERT ON kernel.tenant
  FOR EACH ROW EXECUTE FUNCTION kernel.default_grants();

-- kernel.agent, kernel.execution_profile, kernel.sandbox, kernel.skill

-- After a row comes or goes: makes or removes the resource that mirrors it.
CREATE TRIGGER mirror_resource AFTER INSERT ON kernel.agent
  FOR EACH ROW EXECUTE FUNCTION kernel.mirror_resource();
CREATE TRIGGER mirror_resource AFTER INSERT OR DELETE ON kernel.execution_profile
  FOR EACH ROW EXECUTE FUNCTION kernel.mirror_resource();
CREATE TRIGGER mirror_resource AFTER INSERT OR UPDATE OF definition ON kernel.sandbox
  FOR EACH ROW EXECUTE FUNCTION kernel.mirror_resource();
CREATE TRIGGER mirror_resource AFTER INSERT OR DELETE ON kernel.skill
  FOR EACH ROW EXECUTE FUNCTION kernel.mirror_resource();

-- kernel.resource

-- After a resource is removed: deletes its grants.
CREATE TRIGGER resource_removed AFTER UPDATE OF removed_at ON kernel.resource
  FOR EACH ROW WHEN (new.removed_at IS NOT NULL AND old.removed_at IS NULL)
  EXECUTE FUNCTION kernel.forget_grants();

-- After an MCP server is registered, changed or removed: makes or wakes the row of what is known of it, or deletes it.
CREATE TRIGGER mcp_server_watched AFTER INSERT OR UPDATE OF digest, removed_at ON kernel.resource
  FOR EACH ROW WHEN (new.kind = 'mcp_server')
  EXECUTE FUNCTION kernel.watch_mcp_server();

-- kernel.mcp_server

-- After an attempt to list a server, at the end of its transaction: writes notices of what it found.
CREATE CONSTRAINT TRIGGER mcp_server_listed AFTER UPDATE OF checked_at ON kernel.mcp_server
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (new.checked_at IS NOT NULL)
  EXECUTE FUNCTION kernel.note_mcp_listing();

-- kernel.workspace

-- Before a head moves: refuses (WR003) a state by which the workspace or its tenant would hold more than its quota and
-- more than before. Raises WR004 where a quota applies and the size of something is not counted yet.
CREATE TRIGGER workspace_quota BEFORE UPDATE OF head_snapshot_id ON kernel.workspace
  FOR EACH ROW EXECUTE FUNCTION kernel.verify_quota();

-- kernel.freeze

-- Before a freeze is lifted or gets an end: refuses that (WR001) where the tenant is closed.
CREATE TRIGGER freeze_stays BEFORE UPDATE ON kernel.freeze
  FOR EACH ROW WHEN (new.lifted_at IS NOT NULL OR new.expires_at IS NOT NULL)
  EXECUTE FUNCTION kernel.keep_closed();

-- kernel.revoked_key

-- After an API key is revoked: revokes what was exchanged for it.
CREATE TRIGGER key_revoked AFTER INSERT ON kernel.revoked_key
  FOR EACH ROW EXECUTE FUNCTION kernel.end_exchanged();

-- kernel.token

-- Before a token is made: refuses one that a credential makes which was exchanged.
CREATE TRIGGER token_of_bound_key BEFORE INSERT ON kernel.token
  FOR EACH ROW EXECUTE FUNCTION kernel.refuse_bound_issuer();

-- kernel.operation

-- Before an insert: refuses a first state that kernel.transition does not permit. Most calls are inserted as
-- `admitted`, which it permits, so these skip the look-up.
CREATE TRIGGER operation_born BEFORE INSERT ON kernel.operation
  FOR EACH ROW WHEN (new.state <> 'admitted')
  EXECUTE FUNCTION kernel.refuse_transition();

-- Before an insert of a call that isn't refused: refuses one that a credential proposes which is bound to another
-- capability token, and counts an admitted one in the budgets of its period.
CREATE TRIGGER operation_checked BEFORE INSERT ON kernel.operation
  FOR EACH ROW WHEN (new.state <> 'refused')
  EXECUTE FUNCTION kernel.check_new_call();

-- Before a new decision by which a held call may run, or by which its shown effect was committed: counts it in the
-- budgets of its period. One that ran before it was held has an attempt, and was counted.
CREATE TRIGGER operation_approved BEFORE UPDATE OF decision_record_id ON kernel.operation
  FOR EACH ROW WHEN (
    old.attempt = 0 AND new.decision_record_id IS DISTINCT FROM old.decision_record_id
    AND ((old.state = 'held' AND new.state = 'admitted') OR (old.state = new.state AND new.state IN ('committed', 'no_op')))
  )
  EXECUTE FUNCTION kernel.count_approved_call();

-- Before a change of state: refuses one that kernel.transition does not permit.
CREATE TRIGGER operation_moves BEFORE UPDATE OF state ON kernel.operation
  FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state)
  EXECUTE FUNCTION kernel.refuse_transition();

-- Before a new decision about a call that admits, holds or commits it: raises WR006 (decide again) unless the
-- tool definition that it names is in force. kernel.admit checks the first decision itself.
CREATE TRIGGER tool_in_force_at_decision BEFORE UPDATE OF decision_record_id ON kernel.operation
  FOR EACH ROW WHEN (
    new.state IN ('admitted', 'held', 'committed', 'no_op')
    AND new.decision_record_id IS DISTINCT FROM old.decision_record_id
  )
  EXECUTE FUNCTION kernel.assert_tool();

-- Before a call is marked as erased: clears its data subject, so that an erased call names no person.
CREATE TRIGGER operation_erased BEFORE UPDATE OF erased ON kernel.operation
  FOR EACH ROW WHEN (new.erased IS NOT NULL AND new.data_subject IS NOT NULL)
  EXECUTE FUNCTION kernel.forget_subject();

-- After a call became ambiguous: writes the notice operation.ambiguous.
CREATE TRIGGER operation_in_doubt AFTER UPDATE OF state ON kernel.operation
  FOR EACH ROW WHEN (new.state = 'ambiguous' AND old.state <> 'ambiguous')
  EXECUTE FUNCTION kernel.note_operation();

-- After a person resolved an ambiguous call: writes the notice operation.resolved.
CREATE TRIGGER operation_resolved AFTER UPDATE OF resolution ON kernel.operation
  FOR EACH ROW WHEN (old.resolution IS NULL AND new.resolution IS NOT NULL)
  EXECUTE FUNCTION kernel.note_operation();

-- kernel.approval

-- After an approval was requested: writes the notice approval.pending.
CREATE TRIGGER approval_asked AFTER INSERT ON kernel.approval
  FOR EACH ROW EXECUTE FUNCTION kernel.note_approval();

-- After an approval was closed: writes the notice of its new state, such as approval.denied.
CREATE TRIGGER approval_decided AFTER UPDATE OF state ON kernel.approval
  FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state)
  EXECUTE FUNCTION kernel.note_approval();

-- Before an approval is inserted, escalated or reminded of: sets when its next escalation or reminder is due.
CREATE TRIGGER approval_wakes BEFORE INSERT OR UPDATE OF escalated, reminded ON kernel.approval
  FOR EACH ROW WHEN (new.escalations IS NOT NULL OR new.reminders <> '{}')
  EXECUTE FUNCTION kernel.set_wake();

-- Before an approval is inserted or is held for other reasons: sets its place in queues.
CREATE TRIGGER approval_in_queue BEFORE INSERT OR UPDATE OF reasons, autonomy_mode ON kernel.approval
  FOR EACH ROW WHEN (new.state = 'pending')
  EXECUTE FUNCTION kernel.place_in_queue();

-- At the end of the transaction that approves: refuses an approval that is reserved for groups, unless they approved.
CREATE CONSTRAINT TRIGGER approved_by_groups AFTER UPDATE OF state ON kernel.approval
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (new.state = 'approved' AND new.demands IS NOT NULL)
  EXECUTE FUNCTION kernel.assert_groups_approved();

-- kernel.vote

-- Before an approving vote is inserted: refuses one of a person whom the approval isn't reserved for.
CREATE TRIGGER vote_of_member BEFORE INSERT ON kernel.vote
  FOR EACH ROW WHEN (new.says = 'approve')
  EXECUTE FUNCTION kernel.assert_voter_in_group();

CREATE TRIGGER vote_of_offboarded BEFORE INSERT ON kernel.vote
  FOR EACH ROW WHEN (new.says = 'approve')
  EXECUTE FUNCTION kernel.refuse_vote_of_offboarded();

CREATE TRIGGER vote_of_suspended BEFORE INSERT ON kernel.vote
  FOR EACH ROW WHEN (new.says = 'approve')
  EXECUTE FUNCTION kernel.refuse_vote_of_suspended();

-- After a vote while the approval is pending: writes the notice approval.voted. The vote that decides is inserted after
-- the approval is closed, and so has no notice.
CREATE TRIGGER vote_cast AFTER INSERT ON kernel.vote
  FOR EACH ROW EXECUTE FUNCTION kernel.note_vote();

-- kernel.payload

-- Before a call's list of requests is stored: clears the announced pieces, which the list replaces. The list itself
-- isn't stored for a tenant that keeps none.
CREATE TRIGGER forget_announced BEFORE UPDATE OF requests ON kernel.payload
  FOR EACH ROW WHEN (new.requests IS NOT NULL)
  EXECUTE FUNCTION kernel.forget_announced();

-- kernel.erasure

-- Before an erasure is inserted: orders the texts of its sessions, and always those of an age (selector before).
CREATE TRIGGER erasure_begun BEFORE INSERT ON kernel.erasure
  FOR EACH ROW EXECUTE FUNCTION kernel.order_texts();

-- After an erasure for a retention period is done: notes in kernel.tenant.erased_until up to when no content is left.
CREATE TRIGGER erasure_retained AFTER UPDATE OF state ON kernel.erasure
  FOR EACH ROW WHEN (old.state = 'running' AND new.state = 'done' AND new.requested_by = 'kernel' AND new.selector = 'before')
  EXECUTE FUNCTION kernel.note_retained();
