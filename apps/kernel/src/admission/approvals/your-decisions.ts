// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  principalOf,
  YOUR_DELEGATIONS_MAX,
  type FaultCode,
  type KernelRequest,
  type Reason,
  type YourDecision,
} from '@writ/contract';
import { readStandingDelegations, type HeldCalls } from '../../execution/held/index.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';
import { unreadableFault } from './held-content.ts';
import { readHeldFacts, type DecisionDependencies } from './judge-held.ts';
import { requireRight } from './require-approver.ts';
import { decidedFault, requireDecision } from './require-decision.ts';

type Asked = Pick<KernelRequest<'approval.read'>, 'caller' | 'other_names'>;

/** What the caller is shown of the call. */
interface Shown {
  /** the digest of the effect; null: none is shown */
  readonly effectDigest: string | null;
  /** false: its arguments or its effect can't be read */
  readonly isReadable: boolean;
}
type Refusals = Readonly<Record<'approve' | 'deny', Fault | null>>;

/** Whether the fault refuses a decision. Any other one says that it is unknown whether it would be refused. */
const isRefusal = ({ code }: Fault): boolean =>
  code === 'auth.role' || code === 'not_found' || code === 'conflict' || code === 'frozen' || isOfApproval(code);
const isOfApproval = (code: FaultCode): boolean =>
  code === 'approval.own_call' ||
  code === 'approval.voted' ||
  code === 'approval.not_delegated' ||
  code === 'approval.not_in_group' ||
  code === 'approval.effect_unseen';

/**
 * Tells whoever looks at a held call what they may decide. INVARIANT (one source): it asks the functions that decide,
 * `requireRight` and `requireDecision`, and so repeats no rule. It doesn't judge the call again, which a decision does.
 */
export class YourDecisions {
  readonly #dependencies: Pick<DecisionDependencies, 'tenants' | 'policies'>;
  readonly #held: Pick<HeldCalls, 'find'>;

  constructor(dependencies: Pick<DecisionDependencies, 'tenants' | 'policies'>, held: Pick<HeldCalls, 'find'>) {
    this.#dependencies = dependencies;
    this.#held = held;
  }

  /**
   * @throws Fault `not_found`
   */
  async of({ caller, other_names, approval_id }: KernelRequest<'approval.read'>, shown: Shown) {
    const held = await this.#held.find(caller.tenant_id, approval_id);
    const asked: Asked = { caller, ...(other_names === undefined ? {} : { other_names }) };
    const own = await this.#refusals(asked, held, shown, null);
    const lent = held.approval.state === 'pending' ? await this.#lent(asked, held, shown) : [];
    const usable = lent.filter(({ refused }) => refused === null);
    const isHelpless = own.approve !== null && usable.length === 0;
    return {
      may_approve: own.approve === null,
      may_deny: own.deny === null,
      why: distinct([
        ...[own.approve, own.deny].flatMap((fault) => (fault === null ? [] : [reasonOf(fault)])),
        ...(isHelpless ? lent.flatMap(({ id, refused }) => (refused === null ? [] : [reasonOf(refused, id)])) : []),
      ]),
      delegations: usable.map(({ id }) => id),
      voted: votedBy(asked, held),
    } satisfies YourDecision;
  }

  async #lent(asked: Asked, held: HeldCall, shown: Shown) {
    const { tenants } = this.#dependencies;
    const { caller } = asked;
    const found = await readStandingDelegations(tenants, caller.tenant_id, principalOf(caller), YOUR_DELEGATIONS_MAX);
    return await Promise.all(
      found.map(async (id) => ({ id, refused: (await this.#refusals(asked, held, shown, id)).approve })),
    );
  }

  /** With what an approval and a denial would be refused; null: they wouldn't. */
  async #refusals(asked: Asked, held: HeldCall, shown: Shown, delegation: string | null): Promise<Refusals> {
    const { tenants } = this.#dependencies;
    const right = await refusalOr(() => requireRight(tenants, { ...asked, delegation_id: delegation }, held));
    if (right instanceof Fault) return { approve: right, deny: right };
    const due = (decision: 'approve' | 'deny') =>
      refusalOr(() => {
        const made = requireDecision(held, right, {
          ...asked,
          decision,
          comment: null,
          effect_digest: shown.effectDigest,
        });
        if (decision === 'approve' && made.kind !== 'repeated' && !shown.isReadable) throw unreadableFault();
        if (made.kind === 'repeated') throw repeatedFault(held);
        return made;
      });
    const [approval, denial] = await Promise.all([due('approve'), due('deny')]);
    const approve =
      approval instanceof Fault || approval.kind !== 'approve'
        ? approval
        : await refusalOr(() => readHeldFacts(this.#dependencies, held));
    return { approve: approve instanceof Fault ? approve : null, deny: denial instanceof Fault ? denial : null };
  }
}

/** A decision that repeats another one is answered like that one, and changes nothing. */
const repeatedFault = (held: HeldCall): Fault =>
  held.approval.state === 'pending'
    ? new Fault('approval.voted', 'you have already voted, and each person has one vote')
    : decidedFault(held);

async function refusalOr<T>(check: () => T | Promise<T>): Promise<T | Fault> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof Fault && isRefusal(error)) return error;
    throw error;
  }
}

const reasonOf = ({ code, message }: Fault, delegationId?: string): Reason => ({
  code,
  message: delegationId === undefined ? message : `delegation \`${delegationId}\`: ${message}`,
});

const distinct = (reasons: readonly Reason[]): Reason[] =>
  reasons.filter(
    ({ code, message }, n) => reasons.findIndex((each) => each.code === code && each.message === message) === n,
  );

/** What the caller has decided about the present request, or somebody by the caller's right. */
function votedBy({ caller, other_names = [] }: Asked, { votes }: HeldCall): YourDecision['voted'] {
  const names = [principalOf(caller), ...other_names];
  const own = votes.filter(
    ({ stands, principal, cast_as }) => stands && (names.includes(principal) || names.includes(cast_as)),
  );
  return own.at(-1)?.says ?? null;
}
