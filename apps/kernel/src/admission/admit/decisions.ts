// SPDX-License-Identifier: Apache-2.0
import { canonicalBytes, sha256Hex } from '@writ/digest';
import {
  actionOf,
  decisionRecord,
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
import { mustDecideAgain, isKeyRetired, isOperationIdTaken } from '../../foundation/database/kernel-errors.ts';
import { newId } from '@writ/nest-kit';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import { admissionChange } from './admission-change.ts';
import type { AdmissionParameters, AdmissionStatements } from './admission-statements.ts';
import { decidedColumns, outcomeOf, stateOf, mayRun, type DecidedColumns } from './decided-operation.ts';
import { AdmissionGroupCommit } from './group-commit.ts';
import { conflictFault, type Proposal } from './proposal.ts';

/** A decision that is durable. */
export interface WrittenDecision {
  readonly row: OperationRow;
  readonly sealed: SealedRecord;
  /** set where the call was dispatched directly to an executor */
  readonly assigned: Assigned | null;
}

/** The foreseen effect of a call, in canonical JSON. */
interface ForeseenResult {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

/**
 * The result of a dry run that isn't refused: what its tool foresees for the arguments. Null where the tool foresees
 * nothing.
 */
function foreseenResultOf({ call, args }: Proposal, { verdict, tool }: Judgement): ForeseenResult | null {
  const foreseen =
    call.dry_run && verdict !== 'refused' && !('effect' in args) ? (tool?.foresees?.(args.value) ?? null) : null;
  if (foreseen === null) return null;
  const bytes = canonicalBytes(foreseen);
  return { bytes, hash: sha256Hex(bytes) };
}

/** Writes decisions: operation, claim, reservation, approval and signed record in one transaction. */
export class Decisions {
  readonly #statements: AdmissionStatements;
  readonly #groupCommit: AdmissionGroupCommit;
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
    this.#groupCommit = new AdmissionGroupCommit(statements, () => performance.now());
    this.#vault = vault;
    this.#sealer = sealer;
    this.#images = images;
  }

  /**
   * Resolves after COMMIT. Resolves with null where the facts have changed since they were read: then nothing was
   * written.
   */
  async write(proposal: Proposal, judgement: Judgement, facts: CallFacts): Promise<WrittenDecision | null> {
    const { call } = proposal;
    const action = actionOf(call, judgement, proposal.args_hash, this.#images);
    const approvalId = stateOf(judgement, call.dry_run) === 'held' ? newId('approval') : null;
    const foreseen = foreseenResultOf(proposal, judgement);
    const sealed = sealDecision(
      this.#sealer,
      { ...this.#record(proposal, judgement, facts.now, action, approvalId), result_hash: foreseen?.hash ?? null },
      action,
    );
    const holder = holderOf(call);
    const key = await this.#vault.calls.keyFor(call.tenant_id, holder);
    const keyed = { tenant_id: call.tenant_id, operation_id: call.operation_id, payload_key: key.key_id };
    const decided = { proposal, judgement, action, approvalId, keyId: key.key_id, sealed };
    const columns = decidedColumns(decided);
    const argsRef = await this.#argumentsRef(keyed, proposal);
    const change = admissionChange(decided, columns, facts, { wrappedKey: key.wrapped, argsRef });
    try {
      const admission = await this.#admissionOf(keyed, proposal, columns, JSON.stringify(change));
      const written =
        foreseen === null
          ? await this.#admit(admission, columns)
          : { row: await this.#dryRun(keyed, admission, foreseen), assigned: null };
      this.#vault.calls.markStored(call.tenant_id, holder, key);
      return { ...written, sealed };
    } catch (error) {
      if (isKeyRetired(error)) this.#vault.calls.markRetired(call.tenant_id, holder, key);
      if (mustDecideAgain(error)) return null;
      if (isOperationIdTaken(error)) throw conflictFault();
      throw error;
    }
  }

  /** The parameters of the statement, with the sealed content of the call. */
  async #admissionOf(
    keyed: KeyedCall,
    { call, args, salt, fingerprint }: Proposal,
    columns: DecidedColumns,
    change: string,
  ): Promise<AdmissionParameters> {
    const clear = 'effect' in args || args.ref !== null ? null : args.canonical;
    return {
      tenantId: call.tenant_id,
      tokenId: call.capability_token_id,
      change,
      args: clear === null ? null : await this.#vault.calls.seal(keyed, 'args', clear),
      salt: await this.#vault.calls.seal(keyed, 'salt', salt),
      fingerprint: mayRun(columns.state) && call.idempotency_key !== null ? fingerprint : null,
    };
  }

  async #dryRun(
    keyed: KeyedCall,
    admission: AdmissionParameters,
    { bytes, hash }: ForeseenResult,
  ): Promise<OperationRow> {
    return await this.#statements.admitDryRun(admission, {
      sealed: await this.#vault.calls.seal(keyed, 'result', bytes),
      hash,
    });
  }

  async #admit(admission: AdmissionParameters, columns: DecidedColumns): Promise<Omit<WrittenDecision, 'sealed'>> {
    const { state, lane } = columns;
    const assignment = state === 'admitted' && lane !== null ? this.#assigner.assignmentFor(lane, columns) : null;
    if (assignment === null) return { row: await this.#groupCommit.admit(admission), assigned: null };
    const { row, redeemed } = await this.#statements.admitAndDispatch(admission, assignment);
    return { row, assigned: redeemed === null ? null : { assignment, redeemed } };
  }

  /** The key of long arguments is stored with their reference, and is deleted with it. */
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
      person: call.person ?? null,
      task_class: call.task_class,
      traceparent: proposal.traceparent,
      recorded_at: now,
      action,
    };
    const record = decisionRecord(decided, judgement, judgement.verdict, outcomeOf(judgement, call.dry_run));
    const refs = [
      ...(proposal.sessionGrant === null ? [] : [proposal.sessionGrant.approval_id]),
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
 * The holder of the key that seals the call: the data subject where the caller named one, else the session, else the
 * token.
 */
function holderOf(call: Proposal['call']): Holder {
  const { data_subject } = call;
  return data_subject === undefined || data_subject === null ? `session:${sessionOf(call)}` : `subject:${data_subject}`;
}
