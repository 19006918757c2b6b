// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { actionDigest, type Action } from '@writ/digest';
import { parsePath } from '@writ/workspace';
import type { AttemptFacts } from '../attempts/index.ts';
import { areCovered } from '../held/demands.ts';
import { outcomeFault, type OutcomeFault } from '../outcomes/index.ts';
import {
  actionOf,
  actionOfRow,
  approvedDigest,
  decisionRecord,
  readFactsOfRun,
  readNamedEnvironment,
  redactionsOf,
  sealDecision,
  type Arguments,
  type ArgumentsReader,
  type CallFacts,
  type GivenApproval,
  type Images,
  type Judge,
  type JudgedCall,
  type Judgement,
} from '../../judging/judgement/index.ts';
import type { PolicySets } from '../../judging/policies/policy-sets.ts';
import type { RecordSealer, SealedRecord } from '../../evidence/records/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { Trees } from '../../foundation/workspace/trees.ts';

/** The dependencies of a re-evaluation. */
export interface ReevaluationParts {
  readonly tenants: TenantPool;
  readonly trees: Trees;
  readonly sealer: RecordSealer;
  readonly images: Images;
  readonly policies: PolicySets;
  readonly args: ArgumentsReader;
}

/** A call that was judged once more, as it would run on the newest head and in the image that is configured now. */
export interface Reevaluated {
  readonly facts: CallFacts;
  readonly judgement: Judgement;
  readonly action: Action;
  readonly args: Arguments;
}

/** The decision that replaces the first one: columns of the operation, its labels and the record. */
export interface NewDecision {
  readonly record: SealedRecord;
  readonly columns: Readonly<Record<string, unknown>>;
}

/**
 * Judges admitted calls once more that can't run as they were decided. INVARIANT (decided anew): the whole judgement is
 * made again, under the rules in force, with the supervision that the call had and no more. It keeps its arguments, its
 * reservation and its position in its session's past.
 */
export class Reevaluation {
  readonly #parts: ReevaluationParts;
  readonly #judge: Judge;

  constructor(parts: ReevaluationParts, judge: Judge) {
    this.#parts = parts;
    this.#judge = judge;
  }

  /** Null where the arguments were erased or lost. */
  async evaluate(attempt: AttemptFacts): Promise<Reevaluated | null> {
    const { operation } = attempt;
    const args = await this.#parts.args.readStored(operation, attempt);
    if ('effect' in args) return null;
    const call = judgedCallOf(operation);
    const { tenants, policies } = this.#parts;
    const read = await readFactsOfRun(tenants, policies, call, operation.created_at);
    const facts = { ...read, ...(await readNamedEnvironment(tenants, call, args, read.tool)) };
    const judgement = await this.#judge.judge({
      call,
      facts,
      prior: null,
      approval: approvalOf(operation),
      wanted: {},
      args,
    });
    return { facts, judgement, action: actionOf(operation, judgement, operation.args_hash, this.#parts.images), args };
  }

  /** Whether the call's paths resolve to the same files on the newer head: links of it may resolve elsewhere. */
  async resolvesToSamePaths(
    { tenant_id, state_snapshot_id }: OperationRow,
    { judgement: { tool, head }, args }: Reevaluated,
  ): Promise<boolean> {
    if (tool === null || state_snapshot_id === null || head === null) return false;
    const resolve = async (snapshot: string, path: string) =>
      await this.#parts.trees.resolve(tenant_id as TenantId, snapshot, parsePath(path));
    const pairs = tool.resources(args.value).map(async ({ path }) => {
      const [then, now] = await Promise.allSettled([resolve(state_snapshot_id, path), resolve(head, path)]);
      return then.status === 'fulfilled' && now.status === 'fulfilled' && then.value === now.value;
    });
    return (await Promise.all(pairs)).every(Boolean);
  }

  /** The decision that lets the call run again. `rule` is the first that its record names. */
  decisionOf(operation: OperationRow, { facts, judgement, action }: Reevaluated, rule: string): NewDecision {
    // Nothing more is reserved, so the record has no budgets.
    const decided = decisionRecord({ ...operation, recorded_at: facts.now, action }, judgement, 'admitted', null);
    const record = sealDecision(
      this.#parts.sealer,
      {
        ...decided,
        rule_ids: [rule, ...decided.rule_ids].slice(0, 64),
        approval_refs: [...operation.approval_refs],
        budget_delta: null,
      },
      action,
    );
    const { policy_hash, autonomy_mode, risk_score, risk_basis, reasons } = judgement;
    return {
      record,
      columns: {
        state_snapshot_id: action.state_snapshot_id,
        action_digest: actionDigest(action),
        tool_definition_digest: action.tool_definition_digest,
        image_digest: action.image_digest,
        policy_hash,
        autonomy_mode,
        risk_score,
        risk_basis,
        reasons,
        redactions: redactionsOf(judgement),
      },
    };
  }
}

/**
 * Why the call may not run once more, or null where it may. An approval counts for the action that was shown, whatever
 * the head; if a further approval would be required now, the call may not run. `cause` states what happened in between,
 * and `code` is the fault where a person would be required.
 */
export function refusalOf(
  operation: OperationRow,
  { judgement, action }: Reevaluated,
  { cause, code }: { readonly cause: string; readonly code: 'workspace.conflict' | 'approval.stale' },
): OutcomeFault | null {
  const { verdict, refusal } = judgement;
  if (refusal !== null) return outcomeFault(refusal.code, refusal.message, refusal.hint);
  if (verdict === 'held')
    return outcomeFault(
      code,
      `${cause}, and the policy now asks for a person before the call runs again`,
      'propose the call anew',
    );
  if (!areCovered(judgement.approvers?.groups, operation.demands_met))
    return outcomeFault(
      'approval.stale',
      `${cause}, and the policy now reserves the approval for others than those who gave it`,
      'propose the call anew',
    );
  if (operation.approval_refs.length === 0 || approvedDigest(action) === approvedDigest(actionOfRow(operation)))
    return null;
  return outcomeFault(
    'approval.stale',
    `${cause}, and the policy, the tool or the image is another than when the call was approved`,
    'propose the call anew',
  );
}

/** The call as it was admitted: the supervision that it had is the least that it gets now. */
function judgedCallOf(row: OperationRow): JudgedCall {
  if (row.workspace_id === null)
    throw new Error(`operation \`${row.operation_id}\` has an attempt without a workspace`);
  return { ...row, workspace_id: row.workspace_id, max_autonomy: row.autonomy_mode };
}

/** An approval counts for the supervision that it was given under. */
function approvalOf({ approval_refs, autonomy_mode }: OperationRow): GivenApproval | null {
  return approval_refs.length > 0 && (autonomy_mode === 'soft_gate' || autonomy_mode === 'escalated')
    ? { satisfies: autonomy_mode }
    : null;
}
