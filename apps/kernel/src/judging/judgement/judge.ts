// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (one judge): every way in which a call may come to run leads through `Judge.judge`, at admission and again
// at approval. INVARIANT (one order): standing, form, token, workspace, preconditions, policy, supervision, budget.
// Policy is asked only about a call that its token reaches, and money is counted only for a call that may run.
// INVARIANT (a bug ends once): a call whose judging fails with a bug is refused (`internal`), and that is recorded as
// any refusal is. So it isn't judged again.
import { Fault, TOOLS, type Budgets } from '@writ/contract';
import { callBudget, decideReservation, listsTool } from '@writ/capability';
import type { JudgedAction, PolicySets } from '../policies/policy-sets.ts';
import type { Trees } from '../../foundation/workspace/trees.ts';
import { refusal, type Arguments, type CallFacts, type JudgedCall, type Refusal } from './call.ts';
import { decideForm, type WellFormed } from './decide-form.ts';
import { decidePreview } from './decide-preview.ts';
import { decidePreconditions } from './decide-preconditions.ts';
import { decideReach, type Reached } from './decide-reach.ts';
import { decideProfile, profileReason } from './decide-profile.ts';
import { decideSandbox, sandboxReason } from './decide-sandbox.ts';
import { decideSecrets } from './decide-secrets.ts';
import { ToolReader } from './judged-tool.ts';
import { refuseSpawn } from './decide-spawn.ts';
import { decideValue } from './decide-value.ts';
import { decideSupervision, type Corridor, type GivenApproval } from './decide-supervision.ts';
import { delegatorsOf } from './delegators.ts';
import { outputLabels } from './output-labels.ts';
import { refuse, unjudged, type Judgement } from './judgement.ts';

export interface Question {
  readonly call: JudgedCall;
  /** what refuses the call before anything else is asked: see `decideStanding` */
  readonly prior: Refusal | null;
  readonly facts: CallFacts;
  readonly args: Arguments | Refusal;
  /** null at admission; who passes one MUST check that what is judged is what was approved */
  readonly approval: GivenApproval | null;
  /** what is to be reserved, where it isn't a whole call of the tool: its effect may be there already */
  readonly wanted?: Budgets;
}

/** What a judge has beside what it reads. */
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

  /** @param parts what tools are read by, and what gets the bugs that end a judgement, for operators */
  constructor(policies: PolicySets, trees: Trees, parts: JudgeParts = {}) {
    this.#policies = policies;
    this.#trees = trees;
    this.#tools = parts.tools ?? new ToolReader(null);
    this.#failed = parts.failed ?? (() => undefined);
  }

  /**
   * The whole judgement. Faults only where it can't judge: no policy to ask, no tree to read. Then nothing is decided.
   */
  async judge({ call, prior, facts, args, approval, wanted }: Question): Promise<Judgement> {
    const policy = await this.#policies.of(call.tenant_id, facts.rules.policy);
    const named = TOOLS.get(call.tool_id) ?? facts.tool ?? null;
    const tool = await this.#unlessBug(() => this.#tools.read(call, named, args, facts));
    if (isRefusal(tool)) return refuse(unjudged(policy, named), prior ?? tool);
    const known = unjudged(policy, tool);
    if (prior !== null) return refuse(known, prior);
    const nowhere = decideSandbox(call, facts, args);
    if (nowhere !== null) return refuse(known, nowhere);
    const form = await this.#unlessBug(() => decideForm(call, tool, args));
    if (form.effect === 'refuse') return refuse(known, form);
    const reach = await decideReach(this.#trees, call, facts, form);
    if (reach.effect === 'refuse') return refuse(known, reach);
    const secret = decideSecrets(facts, form);
    if (secret !== null) return refuse(known, secret);
    const spawn = refuseSpawn(call, facts, form);
    if (spawn !== null) return refuse(known, spawn);
    const profile = decideProfile(call, facts, form.args);
    if (profile !== null) return refuse(known, profile);
    const placed = { ...known, head: reach.head, touched: [...form.resources, ...reach.resources] };
    const unmet = await decidePreconditions(this.#trees, call, reach.head, facts.versions);
    if (unmet !== null) return refuse(placed, unmet);
    const asked = await this.#unlessBug(() => policy.judge(judgedAction(call, facts, form, reach)));
    if (asked.effect === 'refuse') return refuse(placed, asked);
    const supervised = decideSupervision(call, asked, approval, form.tool);
    const value =
      supervised.effect === 'refuse' ? null : decideValue(call, facts, form.args, supervised, approval !== null);
    const corridor = value ?? supervised;
    const said = [...sandboxReason(facts), ...profileReason(facts)];
    const weighed: Judgement = {
      ...placed,
      autonomy_mode: corridor.mode,
      risk_score: asked.risk_score,
      risk_basis: asked.risk_basis,
      rule_ids: asked.rule_ids,
      reasons: [...asked.reasons, ...said],
      approvers: asked.approvers ?? corridorApprovers(corridor),
      waits_for: value === null ? 'action' : 'value',
      labels: outputLabels(form.tool, reach.resources, asked.risk_basis),
    };
    if (corridor.effect === 'refuse') return refuse(weighed, corridor);
    if (corridor.effect === 'hold')
      return {
        ...weighed,
        verdict: 'held',
        reasons: [...corridor.reasons, ...said],
        preview: decidePreview(facts.chain, form.tool),
      };
    return reserved(weighed, facts, wanted ?? callBudget(form.tool));
  }

  /**
   * What was computed of the call alone, or the refusal that a bug in there is, or that it took more than it may. What
   * our own stores throw goes on: then nothing is decided, and asking again may help.
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

const isRefusal = (found: object | null): found is Refusal =>
  found !== null && 'effect' in found && found.effect === 'refuse';

/** Where it isn't policy that asks for a person, one operator will do. */
const corridorApprovers = ({ effect, mode }: Corridor): Judgement['approvers'] =>
  effect === 'hold' && mode === 'soft_gate' ? { count: 1, role: 'operator' } : null;

function reserved(weighed: Judgement, facts: CallFacts, wanted: Budgets): Judgement {
  // A command may send something and mostly doesn't: with nothing left to send it still runs, and its proxy refuses.
  const budget = decideReservation({
    chain: facts.chain,
    wanted,
    spare: weighed.tool?.class === 'broker' ? [] : ['egress_bytes'],
  });
  if (budget.effect === 'refuse') return refuse(weighed, budget);
  return { ...weighed, verdict: 'admitted', limits: budget.limits, reservations: budget.reservations };
}

/**
 * What policy is told of the way out: the requests that the arguments name; of a command, which names none, what its
 * token lets out. Null where nothing can leave.
 */
function egressOf({ chain, profile }: CallFacts, { tool, requests }: WellFormed): JudgedAction['egress'] {
  if (requests.length > 0) {
    return {
      domains: requests.map(({ target }) => target.host),
      methods: requests.map(({ method }) => method),
      purpose: requests.map(({ purpose }) => purpose).find((purpose) => purpose !== '') ?? '',
    };
  }
  // The token's own grants: a parent's can only be wider.
  const granted = tool.class === 'sandboxed' ? (chain[0]?.token.grant.net ?? []) : [];
  // Both have to grant a request: what the profile names is all that can leave under it.
  const net = granted.length > 0 && profile !== undefined && profile !== null ? profile.profile.net : granted;
  return net.length === 0
    ? null
    : { domains: net.map(({ domain }) => domain), methods: net.flatMap(({ methods }) => methods), purpose: '' };
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
    egress: egressOf(facts, form),
    task_class: call.task_class,
    session_mode: call.session_mode,
    job_lists_tool: listsTool(
      chain.map(({ token }) => token),
      form.tool.tool_id,
    ),
    max_autonomy: call.max_autonomy,
    labels: rules.labels,
    history: rules.history,
    past,
  };
}
