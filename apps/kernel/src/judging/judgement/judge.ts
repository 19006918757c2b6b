// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (one judge): every way in which a call may come to run leads through `Judge.judge`, at admission and again
// at approval. INVARIANT (one order): standing, form, token, workspace, preconditions, policy, supervision, budget.
// Policy judges only a call that its token permits, and budget is counted only for a call that may run. INVARIANT (a
// bug ends once): a call whose judging fails with a bug is refused (`internal`), and that is recorded as any refusal
// is. So it isn't judged again.
import { Fault, TOOLS, type Budgets, type ToolDefinition } from '@writ/contract';
import { callBudget, decideReservation, listsTool } from '@writ/capability';
import type { ActivePolicy, JudgedAction, PolicySets } from '../policies/policy-sets.ts';
import type { Trees } from '../../foundation/workspace/trees.ts';
import { personOf } from './person-of.ts';
import { refusal, type Arguments, type CallFacts, type JudgedCall, type Refusal } from './call.ts';
import { decidedLimits } from './command-output.ts';
import { egressOf } from './egress-of.ts';
import { decideForm, type WellFormed } from './decide-form.ts';
import { decidePreview } from './decide-preview.ts';
import { decideReliedOn } from './decide-preconditions.ts';
import { decideReach, type Reached } from './decide-reach.ts';
import { decideBudgets } from './decide-budgets.ts';
import { decideImage } from './decide-image.ts';
import { decideProfile, profileReason } from './decide-profile.ts';
import { decideResources, underClearance } from './decide-resources.ts';
import { decideSandbox, sandboxReason } from './decide-sandbox.ts';
import { decideSecrets } from './decide-secrets.ts';
import { decideTime } from './decide-time.ts';
import { decideStaged, isStaged } from './decide-staged.ts';
import { ToolReader } from './judged-tool.ts';
import { refuseSpawn } from './decide-spawn.ts';
import { decideValue } from './decide-value.ts';
import { decideSupervision, type Corridor, type GivenApproval } from './decide-supervision.ts';
import { delegatorsOf } from './delegators.ts';
import { outputLabels } from './output-labels.ts';
import { refuse, initialJudgement, type Judgement } from './judgement.ts';

export interface JudgementRequest {
  readonly call: JudgedCall;
  /** a refusal that comes before every other check: see `decidePrerequisites` */
  readonly prior: Refusal | null;
  readonly facts: CallFacts;
  readonly args: Arguments | Refusal;
  /** null at admission; a caller that passes one MUST check that the judged action is the approved one */
  readonly approval: GivenApproval | null;
  /** the budget to reserve, where it isn't a whole call of the tool: its effect may be there already */
  readonly wanted?: Budgets;
}

/** Optional dependencies of a judge. */
export interface JudgeParts {
  readonly tools?: ToolReader;
  readonly failed?: (error: unknown) => void;
}

/** Judges a call on the facts read for it. Reads trees, changes nothing. */
export class Judge {
  readonly #policies: PolicySets;
  readonly #trees: Trees;
  readonly #tools: ToolReader;
  readonly #failed: (error: unknown) => void;

  /** @param parts the reader of tools, and the receiver, for operators, of bugs that end a judgement */
  constructor(policies: PolicySets, trees: Trees, parts: JudgeParts = {}) {
    this.#policies = policies;
    this.#trees = trees;
    this.#tools = parts.tools ?? new ToolReader(null);
    this.#failed = parts.failed ?? (() => undefined);
  }

  /**
   * The whole judgement. Faults only where it can't judge: no policy to evaluate, no tree to read. Then nothing is
   * decided.
   */
  async judge({ call, prior, facts, args, approval, wanted }: JudgementRequest): Promise<Judgement> {
    const policy = await this.#policies.of(call.tenant_id, facts.rules.policy);
    const named = TOOLS.get(call.tool_id) ?? facts.tool ?? null;
    const tool = await this.#unlessBug(() => this.#tools.read(call, named, args, facts));
    if (isRefusal(tool)) return refuse(initialJudgement(policy, named), prior ?? tool);
    const base = initialJudgement(policy, tool);
    const early = prior ?? decideSandbox(call, facts, args);
    if (early !== null) return refuse(base, early);
    const form = await this.#unlessBug(() => decideForm(call, tool, args, facts.mcpTool));
    if (form.effect === 'refuse') return refuse(base, form);
    const reach = await decideReach(this.#trees, call, facts, form);
    if (reach.effect === 'refuse') return refuse(base, reach);
    const ungranted = refuseUngranted(call, facts, form);
    if (ungranted !== null) return refuse(base, ungranted);
    const image = facts.image?.image_digest ?? null;
    const located = { ...base, image, head: reach.head, touched: [...form.resources, ...reach.resources] };
    const unmet = await this.#unmet(call, facts, reach.head);
    if (unmet !== null) return refuse(located, unmet);
    const timed = decideTime(form.tool, form.args, facts);
    if (timed.effect === 'refuse') return refuse(located, timed);
    const byPolicy = await this.#unlessBug(() => policy.judge(judgedAction(call, facts, form, reach)));
    if (byPolicy.effect === 'refuse') return refuse(located, byPolicy);
    const required = underClearance(byPolicy, facts, policy);
    const supervised = decideSupervision(call, required, approval, form.tool);
    const mayAsk = supervised.effect !== 'refuse';
    const value = mayAsk ? decideValue(call, facts, form.args, supervised, approval !== null) : null;
    const corridor = value ?? supervised;
    const environmentReasons = [...sandboxReason(facts), ...profileReason(facts)];
    const weighed: Judgement = {
      ...located,
      autonomy_mode: corridor.mode,
      risk_score: required.risk_score,
      risk_basis: required.risk_basis,
      rule_ids: required.rule_ids,
      reasons: [...required.reasons, ...environmentReasons],
      redactions: required.redactions ?? [],
      approvers: required.approvers ?? corridorApprovers(corridor, value === null ? policy : null),
      waits_for: value === null ? 'action' : 'value',
      labels: outputLabels(form.tool, reach.resources, required.risk_basis),
    };
    if (corridor.effect === 'refuse') return refuse(weighed, corridor);
    if (corridor.effect === 'hold')
      return {
        ...weighed,
        verdict: 'held',
        reasons: [...corridor.reasons, ...environmentReasons],
        preview: timed.isLong ? null : decidePreview(facts, { ...form.tool, limits: timed.limits }),
      };
    return reserved(weighed, facts, form.tool, wanted ?? callBudget({ ...form.tool, limits: timed.limits }));
  }

  /** Why something that the call relies on doesn't hold; null where all of it does. */
  async #unmet(call: JudgedCall, facts: CallFacts, head: string): Promise<Refusal | null> {
    return decideStaged(call, facts) ?? (await decideReliedOn(this.#trees, call, head, facts));
  }

  /**
   * Returns what `compute` finds out from the call alone. A bug there, or a limit exceeded, becomes a refusal. Faults
   * of our own stores propagate: then nothing is decided, and another try may help.
   */
  async #unlessBug<T>(compute: () => T | Promise<T>): Promise<T | Refusal> {
    try {
      return await compute();
    } catch (error) {
      if (error instanceof Fault && error.code === 'limit.exceeded') return refusal(error.code, error.message);
      if (error instanceof Fault) throw error;
      this.#failed(error);
      return refusal(
        'internal',
        'the call could not be judged, since something failed here that should not; it ran nowhere',
        "propose another call; the operator's log says what failed",
      );
    }
  }
}

/** Why something that the call names is not granted, or not there; null where all of it is. */
const refuseUngranted = (call: JudgedCall, facts: CallFacts, form: WellFormed): Refusal | null =>
  decideResources(call, form.tool, facts) ??
  decideSecrets(facts, form) ??
  refuseSpawn(call, facts, form) ??
  decideProfile(call, facts, form.args) ??
  decideImage(facts);

const isRefusal = (found: object | null): found is Refusal =>
  found !== null && 'effect' in found && found.effect === 'refuse';

/** Where policy doesn't require a person, but something else does, policy says how many; a value needs one person. */
const corridorApprovers = (
  { effect, mode }: Corridor,
  policy: Pick<ActivePolicy, 'quorum'> | null,
): Judgement['approvers'] =>
  effect === 'hold' && mode === 'soft_gate' ? { count: policy?.quorum[mode] ?? 1, role: 'operator' } : null;

function reserved(weighed: Judgement, facts: CallFacts, tool: ToolDefinition, wanted: Budgets): Judgement {
  // A command may send something and mostly doesn't: with no such budget left it still runs, and its proxy refuses.
  const budget = decideReservation({
    chain: facts.chain,
    wanted,
    spare: tool.class === 'broker' ? [] : ['egress_bytes'],
  });
  if (budget.effect === 'refuse') return refuse(weighed, budget);
  const usedUp = decideBudgets(facts);
  if (usedUp !== null) return refuse(weighed, usedUp);
  const limits = decidedLimits(budget.limits, tool, facts.rules.settings);
  return { ...weighed, verdict: 'admitted', limits, reservations: budget.reservations };
}

function judgedAction(call: JudgedCall, facts: CallFacts, form: WellFormed, reach: Reached): JudgedAction {
  const { chain, rules, past } = facts;
  return {
    tenant_id: call.tenant_id,
    agent_id: call.agent_id,
    delegated_by: delegatorsOf(
      call.agent_id,
      chain.map(({ token }) => token),
    ),
    workspace_id: call.workspace_id,
    tool: form.tool,
    args: form.args.value,
    resources: reach.resources,
    registered: form.tool.bound ?? [],
    egress: egressOf(facts, form),
    task_class: call.task_class,
    session_mode: call.session_mode,
    person: personOf(call),
    job_lists_tool: listsTool(
      chain.map(({ token }) => token),
      form.tool.tool_id,
    ),
    max_autonomy: call.max_autonomy,
    staged_change: isStaged(call),
    labels: rules.labels,
    history: rules.history,
    past,
  };
}
