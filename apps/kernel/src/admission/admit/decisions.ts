// SPDX-License-Identifier: Apache-2.0
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { approvalExpiry } from '../../execution/held/index.ts';
import {
  actionOf,
  amountsOf,
  approvedDigest,
  assertedMemory,
  assertedVersions,
  decidedUnder,
  decisionRecord,
  postable,
  reservationRows,
  sealDecision,
  sessionOf,
  type CallFacts,
  type Images,
  type Judgement,
} from '../../judging/judgement/index.ts';
import { plainRef, type Holder, type KeyedCall, type TenantVault } from '../../evidence/payload/index.ts';
import type { ArgumentsRef } from '../../foundation/rows/content-ref.ts';
import { NoAssigner, type Assigned, type Assigner } from '../../execution/direct-dispatch/assigner.ts';
import type { RecordSealer, SealedRecord } from '../../evidence/records/index.ts';
import { isAgain, isKeyRetired, isTaken } from '../../foundation/database/kernel-errors.ts';
import { newId } from '@writ/nest-kit';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { Admission, AdmissionStatements } from './admission-statements.ts';
import { decidedColumns, outcomeOf, stateOf, type DecidedColumns } from './decided-operation.ts';
import { AdmissionGroupCommit } from './group-commit.ts';
import { anotherCall, type Proposal } from './proposal.ts';

/** What a decision left behind, durable. */
export interface Written {
  readonly row: OperationRow;
  readonly sealed: SealedRecord;
  /** where the call was admitted for an executor and waits for no turn */
  readonly assigned: Assigned | null;
}

/**
 * What a dry run that isn't refused answers with: what its call would do, as its tool foresees it. Null where that is
 * nothing.
 */
function foreseenBy(
  { call, args }: Proposal,
  { verdict, tool }: Judgement,
): { readonly bytes: Uint8Array; readonly hash: string } | null {
  const foreseen =
    call.dry_run && verdict !== 'refused' && !('effect' in args) ? (tool?.foresees?.(args.value) ?? null) : null;
  if (foreseen === null) return null;
  const bytes = canonicalBytes(foreseen);
  return { bytes, hash: sha256Hex(bytes) };
}

/** Writes decisions: operation, claim, reservation, approval and signed record in one transaction. */
export class Decisions {
  readonly #statements: AdmissionStatements;
  readonly #group: AdmissionGroupCommit;
  readonly #sealer: RecordSealer;
  readonly #vault: TenantVault;
  readonly #images: Images;
  readonly #assigner: Assigner;

  constructor(
    statements: AdmissionStatements,
    sealer: RecordSealer,
    vault: TenantVault,
    images: Images,
    assigner: Assigner = new NoAssigner(),
  ) {
    this.#assigner = assigner;
    this.#statements = statements;
    this.#group = new AdmissionGroupCommit(statements, () => performance.now());
    this.#vault = vault;
    this.#sealer = sealer;
    this.#images = images;
  }

  /** Resolves after COMMIT, or with null when the facts have moved since they were read: then nothing was written. */
  async write(proposal: Proposal, judgement: Judgement, facts: CallFacts): Promise<Written | null> {
    const { call, args, salt } = proposal;
    const state = stateOf(judgement, call.dry_run);
    const action = actionOf(call, judgement, proposal.args_hash, this.#images);
    const approvalId = state === 'held' ? newId('approval') : null;
    const foreseen = foreseenBy(proposal, judgement);
    const sealed = sealDecision(
      this.#sealer,
      { ...this.#record(proposal, judgement, facts.now, action, approvalId), result_hash: foreseen?.hash ?? null },
      action,
    );
    const holder = holderOf(call);
    const key = await this.#vault.calls.keyFor(call.tenant_id, holder);
    const keyed = { tenant_id: call.tenant_id, operation_id: call.operation_id, payload_key: key.key_id };
    const columns = decidedColumns({ proposal, judgement, action, approvalId, keyId: key.key_id, sealed });
    const stands = state === 'admitted' || state === 'held';
    const change = {
      operation: columns,
      ...(key.wrapped === null ? {} : { key: key.wrapped.toString('base64') }),
      own_token: proposal.session?.own_token ?? null,
      args_ref: await this.#argumentsRef(keyed, proposal),
      rules: decidedUnder(call, facts, judgement),
      labels: state === 'admitted' ? judgement.labels : [],
      chain: stands ? facts.chain.map(({ token }) => token.capability_token_id) : null,
      head: stands && call.precondition_refs.length > 0 ? judgement.head : null,
      ...(stands ? assertedVersions(call) : {}),
      ...(facts.remembered === true ? { remembered: assertedMemory(call, facts) } : {}),
      approval:
        approvalId === null
          ? null
          : {
              approval_id: approvalId,
              of: judgement.waits_for,
              action_digest: approvedDigest(action),
              quorum: judgement.approvers?.count ?? 1,
              expires_at: approvalExpiry(
                facts.now,
                judgement.approval_ms,
                call.deadline,
                facts.chain.map(({ token }) => token),
              ),
            },
      preview:
        state === 'held' && judgement.preview !== null
          ? { limits: judgement.preview.limits, reserved: amountsOf(judgement.preview.reservations) }
          : null,
      reserve:
        state === 'admitted'
          ? reservationRows(judgement.reservations)
          : state === 'held'
            ? reservationRows(judgement.preview?.reservations ?? [])
            : [],
      records: [postable(sealed)],
    };
    const clear = 'effect' in args || args.ref !== null ? null : args.canonical;
    try {
      const admission: Admission = {
        tenantId: call.tenant_id,
        tokenId: call.capability_token_id,
        change: JSON.stringify(change),
        args: clear === null ? null : await this.#vault.calls.seal(keyed, 'args', clear),
        salt: await this.#vault.calls.seal(keyed, 'salt', salt),
        fingerprint: stands && call.idempotency_key !== null ? proposal.fingerprint : null,
      };
      const written =
        foreseen === null
          ? await this.#admit(admission, columns)
          : {
              row: await this.#statements.dryRun(admission, {
                sealed: await this.#vault.calls.seal(keyed, 'result', foreseen.bytes),
                hash: foreseen.hash,
              }),
              assigned: null,
            };
      this.#vault.calls.stored(call.tenant_id, holder, key);
      return { ...written, sealed };
    } catch (error) {
      if (isKeyRetired(error)) this.#vault.calls.retired(call.tenant_id, holder, key);
      if (isAgain(error)) return null;
      if (isTaken(error)) throw anotherCall();
      throw error;
    }
  }

  async #admit(
    admission: Admission,
    { state, lane, tenant_id, tool_id }: DecidedColumns,
  ): Promise<Omit<Written, 'sealed'>> {
    const assignment =
      state === 'admitted' && lane !== null ? this.#assigner.assignmentFor(lane, tenant_id, tool_id) : null;
    if (assignment === null) return { row: await this.#group.admit(admission), assigned: null };
    const { row, redeemed } = await this.#statements.assigned(admission, assignment);
    return { row, assigned: redeemed === null ? null : { assignment, redeemed } };
  }

  /** What opens long arguments is kept beside their name, and goes with it. */
  async #argumentsRef(call: KeyedCall, { args, argsKey }: Proposal): Promise<ArgumentsRef | null> {
    if ('effect' in args || args.ref === null || argsKey === undefined) return 'effect' in args ? null : args.ref;
    return {
      ...plainRef(args.ref),
      sealed_key: (await this.#vault.calls.seal(call, 'args_key', argsKey)).toString('base64'),
    };
  }

  #record(
    proposal: Proposal,
    judgement: Judgement,
    now: number,
    action: ReturnType<typeof actionOf>,
    approvalId: string | null,
  ) {
    const { call } = proposal;
    const decided = {
      tenant_id: call.tenant_id,
      operation_id: call.operation_id,
      agent_id: call.agent_id,
      workspace_id: call.workspace_id,
      provenance: call.provenance,
      task_class: call.task_class,
      traceparent: proposal.traceparent,
      recorded_at: now,
      action,
    };
    const record = decisionRecord(decided, judgement, judgement.verdict, outcomeOf(judgement, call.dry_run));
    const refs = [
      ...(proposal.session === null ? [] : [proposal.session.approval_id]),
      ...(approvalId === null ? [] : [approvalId]),
    ];
    if (!call.dry_run) return { ...record, approval_refs: refs };
    return {
      ...record,
      approval_refs: refs,
      rule_ids: ['dry_run', ...record.rule_ids].slice(0, 64),
      budget_delta: null,
    };
  }
}

/**
 * A person where the caller named one; else the session, whose calls are of one conversation; else what is done with
 * the token.
 */
function holderOf(call: Proposal['call']): Holder {
  const { data_subject } = call;
  return data_subject === undefined || data_subject === null ? `session:${sessionOf(call)}` : `subject:${data_subject}`;
}
