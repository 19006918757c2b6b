// SPDX-License-Identifier: Apache-2.0
import { LIMITS, TOOLS, type Budgets, type ReportRequest, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { actionDigest, type Action } from '@writ/digest';
import { parsePath } from '@writ/workspace';
import type { Announcer } from '../announce/index.ts';
import { readAttemptFacts, type AttemptFacts } from '../attempts/index.ts';
import { endingFault, type EndingFault, type EndVerdict } from '../endings/index.ts';
import {
  actionOf, actionOfRow, approvedDigest, decisionRecord, readFactsOfRun, sameRules, sealDecision, type CallFacts, type GivenApproval, type Images, type Judge, type JudgedCall, type Judgement,
  type Arguments, type ArgumentsReader,
} from '../judgement/index.ts';
import type { TenantVault } from '../payload/index.ts';
import type { PolicySets } from '../ports/index.ts';
import type { RecordSealer } from '../records/index.ts';
import { callKernel, type OperationRow, type TenantPool, type Trees } from '../store/index.ts';

/** The rule that a decision's record names where the call was decided before and runs again. */
const RULE = 'workspace.rerun';

type RerunVerdict = { readonly verdict: 'rerun'; readonly operation: OperationRow } | Extract<EndVerdict, { readonly verdict: 'again' | 'gone' | 'token.revoked' | 'token.expired' | 'frozen' }>;

/** What re-runs work with. */
export interface RerunParts {
  readonly tenants: TenantPool;
  readonly blobs: BlobStore;
  readonly vault: TenantVault;
  readonly trees: Trees;
  readonly sealer: RecordSealer;
  readonly announcer: Announcer;
  readonly images: Images;
  readonly policies: PolicySets;
  readonly args: ArgumentsReader;
}

/** A call decided once more, as it would run on the newest head. */
interface Anew {
  readonly facts: CallFacts;
  readonly judgement: Judgement;
  readonly action: Action;
}

/**
 * Sends inline calls back to the queue whose files another call changed while they ran: their tools are functions of a snapshot, so running one
 * again on the newest is what would have happened, had it come later.
 * INVARIANT (decided anew): what runs again was judged once more, whole, under the rules in force on the head that it runs on, with the supervision that it
 * had and no more; the statement that sends it back asserts those rules. It keeps its arguments, its reservation and its place in its session's past.
 * Where links of the newer tree lead its paths elsewhere than before, nothing runs.
 */
export class Reruns {
  readonly #parts: RerunParts;
  readonly #judge: Judge;

  constructor(parts: RerunParts, judge: Judge) {
    this.#parts = parts;
    this.#judge = judge;
  }

  /**
   * What became of the attempt; a fault where the call may not run again by now; null where it isn't run again and the conflict is its end.
   * `used` is what the attempt did, with those before it.
   */
  async of({ operation, rules }: AttemptFacts, report: ReportRequest, used: Budgets): Promise<EndVerdict | EndingFault | null> {
    // Once something outside may have happened nothing is tried again.
    if (operation.lane !== 'inline' || operation.effect_started || operation.reruns >= LIMITS.reruns.max) return null;
    // The head that met the conflict may be an old one by now, and another conflict would be certain there.
    const facts = await readAttemptFacts(this.#parts.tenants, report);
    if (facts.operation.deadline !== null && facts.operation.deadline <= facts.now) return null;
    const args = await this.#parts.args.kept(facts.operation, facts);
    if ('effect' in args) return null;
    const anew = await this.#decide(facts, args);
    // A refusal is written with the rules that the report was checked under.
    if (!sameRules(rules, anew.facts.rules)) return { verdict: 'again' };
    const fault = refusalOf(facts.operation, anew);
    if (fault !== null) return fault;
    if (!await this.#leadsToTheSame(facts.operation, anew, args.value)) return null;
    const verdict = await this.#write(facts.operation, anew, report, used);
    return verdict.verdict === 'rerun' ? { verdict: 'settled', state: verdict.operation.state, tx_outcome: null } : verdict;
  }

  async #decide({ operation }: AttemptFacts, args: Arguments): Promise<Anew> {
    const call = judgedCallOf(operation);
    const facts = await readFactsOfRun(this.#parts.tenants, this.#parts.policies, call, operation.created_at);
    const judgement = await this.#judge.judge({
      call, facts, prior: null, approval: approvalOf(operation), wanted: {}, args,
    });
    return { facts, judgement, action: actionOf(operation, judgement, operation.args_hash, this.#parts.images) };
  }

  async #leadsToTheSame({ tenant_id, tool_id, state_snapshot_id }: OperationRow, { judgement: { head } }: Anew, args: Readonly<Record<string, unknown>>): Promise<boolean> {
    const tool = TOOLS.get(tool_id);
    if (tool === undefined || state_snapshot_id === null || head === null) return false;
    const leads = async (snapshot: string, path: string) => await this.#parts.trees.resolve(tenant_id as TenantId, snapshot, parsePath(path));
    const pairs = tool.resources(args).map(async ({ path }) => {
      const [then, now] = await Promise.allSettled([leads(state_snapshot_id, path), leads(head, path)]);
      return then.status === 'fulfilled' && now.status === 'fulfilled' && then.value === now.value;
    });
    return (await Promise.all(pairs)).every(Boolean);
  }

  async #write(operation: OperationRow, { facts, judgement, action }: Anew, { attempt, executor_id, nonce }: ReportRequest, spent: Budgets): Promise<RerunVerdict> {
    // Nothing more is reserved, so nothing is said of budgets.
    const decided = decisionRecord({ ...operation, recorded_at: facts.now, action }, judgement, 'admitted', null);
    const record = sealDecision(this.#parts.sealer, { ...decided, rule_ids: [RULE, ...decided.rule_ids].slice(0, 64), approval_refs: [...operation.approval_refs], budget_delta: null }, action);
    const { policy_hash, autonomy_mode, risk_score, risk_basis, reasons } = judgement;
    const order = {
      tenant_id: operation.tenant_id, operation_id: operation.operation_id,
      seen: { attempt, executor_id, nonce, reruns: operation.reruns },
      decided: {
        state_snapshot_id: action.state_snapshot_id, action_digest: actionDigest(action), tool_definition_digest: action.tool_definition_digest,
        policy_hash, autonomy_mode, risk_score, risk_basis, reasons,
      },
      rules: { ...facts.rules, history: null }, labels: judgement.labels, spent,
      record: { record_id: record.record_id, keyid: record.keyid, digest: record.digest },
    };
    const verdict = await callKernel<RerunVerdict>(this.#parts.tenants.pool, 'run_again', [JSON.stringify(order), record.payload, record.sig]);
    if (verdict.verdict === 'rerun') this.#parts.announcer.announce(verdict.operation, [record]);
    return verdict;
  }
}

/** The call as it was let run: the supervision that it had is the least that it gets now. */
function judgedCallOf(row: OperationRow): JudgedCall {
  if (row.workspace_id === null) throw new Error(`operation \`${row.operation_id}\` has an attempt without a workspace`);
  return { ...row, workspace_id: row.workspace_id, max_autonomy: row.autonomy_mode };
}

/** A person's yes is as good as what it was given for. */
function approvalOf({ approval_refs, autonomy_mode }: OperationRow): GivenApproval | null {
  return approval_refs.length > 0 && (autonomy_mode === 'soft_gate' || autonomy_mode === 'escalated') ? { satisfies: autonomy_mode } : null;
}

/** Why the call may not run once more. A yes counts for the action that was shown, whatever the head; who would have to be asked now was not asked. */
function refusalOf(operation: OperationRow, { judgement, action }: Anew): EndingFault | null {
  const { verdict, refusal } = judgement;
  if (refusal !== null) return endingFault(refusal.code, refusal.message, refusal.hint);
  if (verdict === 'held') return endingFault('workspace.conflict', 'others changed the same files, and the policy now asks for a person before the call runs again', 'propose the call anew');
  if (operation.approval_refs.length === 0 || approvedDigest(action) === approvedDigest(actionOfRow(operation))) return null;
  return endingFault('approval.stale', 'others changed the same files, and the policy or the tool is another than when the call was approved', 'propose the call anew');
}
