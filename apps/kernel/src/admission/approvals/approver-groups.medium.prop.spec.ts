// SPDX-License-Identifier: Apache-2.0
import * as fc from 'fast-check';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { ApproverScene, reserve } from '../../specs/test-approvers.ts';
import type { TestManagement } from '../../specs/test-management.ts';
import { openPolicyKernel, type PolicyKernel } from '../../specs/test-policies.ts';

let kernel: PolicyKernel;
let manage: TestManagement;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, manage } = on);
}, openPolicyKernel);

/** Each run takes a fraction of a second; more of them find no more than these. */
const RUNS = 14;
const STEP_MS = 3_600_000;
const PERSONS = ['ann', 'bob', 'cleo', 'dora', 'proposer'] as const;
const GROUPS = ['red', 'blue', 'later'] as const;
type Person = (typeof PERSONS)[number];
type Group = (typeof GROUPS)[number];

type Step =
  | { readonly kind: 'vote'; readonly person: Person }
  | { readonly kind: 'members'; readonly group: Group; readonly members: readonly Person[] }
  | { readonly kind: 'escalate' };
interface Demand {
  readonly any_of: readonly Group[];
  readonly count: number;
}

const persons = fc.uniqueArray(fc.constantFrom(...PERSONS), { maxLength: 4 });
const demand = fc.record({
  any_of: fc.uniqueArray(fc.constantFrom('red' as const, 'blue' as const), { minLength: 1 }),
  count: fc.integer({ min: 1, max: 3 }),
});
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('vote' as const), person: fc.constantFrom(...PERSONS) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('members' as const),
      group: fc.constantFrom(...GROUPS),
      members: persons,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'escalate' as const }) },
);

/** The rules as a reader of the guide knows them: who has voted, who is in which group now, and what is demanded. */
class Oracle {
  readonly #demands: readonly Demand[];
  readonly #quorum: number;
  readonly #members = new Map<Group, readonly Person[]>();
  /** of each voter the groups that they are in since the vote */
  readonly #votes = new Map<Person, readonly Group[]>();
  escalated = false;

  constructor(demands: readonly Demand[], quorum: number) {
    this.#demands = demands;
    this.#quorum = quorum;
  }

  put(group: Group, members: readonly Person[]): void {
    this.#members.set(group, members);
    for (const [person, groups] of this.#votes)
      if (!members.includes(person))
        this.#votes.set(
          person,
          groups.filter((name) => name !== group),
        );
  }

  vote(person: Person): void {
    this.#votes.set(person, this.#groupsOf(person));
  }

  mayVote(person: Person): boolean {
    return person !== 'proposer' && this.#meets(this.#groupsOf(person), this.#named());
  }

  hasVoted(person: Person): boolean {
    return this.#meets(this.#votes.get(person) ?? [], this.#named());
  }

  isApproved(): boolean {
    const counted = [...this.#votes.values()].filter((groups) => this.#meets(groups, this.#named()));
    const isMet = ({ any_of, count }: Demand): boolean =>
      counted.filter((groups) => this.#meets(groups, any_of)).length >= count;
    return counted.length >= this.#quorum && this.#demands.every(isMet);
  }

  #named(): Group[] {
    return this.#demands.flatMap(({ any_of }) => any_of);
  }

  #groupsOf(person: Person): readonly Group[] {
    return GROUPS.filter((name) => this.#members.get(name)?.includes(person) === true);
  }

  #meets(groups: readonly Group[], any_of: readonly Group[]): boolean {
    return groups.some((name) => any_of.includes(name) || (this.escalated && name === 'later'));
  }
}

/** Takes one step with both. Resolves with whether the call is held still. */
async function take(
  scene: ApproverScene,
  oracle: Oracle,
  held: Awaited<ReturnType<ApproverScene['hold']>>,
  now: Step,
): Promise<boolean> {
  if (now.kind === 'members') {
    await scene.group(now.group, ...now.members);
    oracle.put(now.group, now.members);
    return true;
  }
  if (now.kind === 'escalate') {
    if (!oracle.escalated) await scene.age(held, STEP_MS);
    await kernel.wake.run();
    oracle.escalated = true;
    return true;
  }
  const { person } = now;
  const voting = scene.decide(held, scene.person(person));
  if (!oracle.mayVote(person)) {
    await expect(voting).rejects.toMatchObject({
      code: person === 'proposer' ? 'approval.own_call' : 'approval.not_in_group',
    });
    return true;
  }
  const { state } = await voting;
  // The same vote again is one vote, and only a vote decides.
  const isNew = !oracle.hasVoted(person);
  if (isNew) oracle.vote(person);
  expect({ person, state }).toEqual({ person, state: isNew && oracle.isApproved() ? 'admitted' : 'held' });
  return state === 'held';
}

it('a call is decided by as many and by those persons that the policy demands, whatever happens in between', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(demand, { minLength: 1, maxLength: 2, selector: ({ any_of }) => [...any_of].sort().join() }),
      fc.integer({ min: 1, max: 2 }),
      fc.array(step, { minLength: 4, maxLength: 12 }),
      async (demands, quorum, steps) => {
        const scene = await ApproverScene.open(kernel, manage);
        const oracle = new Oracle(demands, Math.max(quorum, ...demands.map(({ count }) => count)));
        const initial: [Group, Person[]][] = [
          ['red', ['ann', 'bob', 'proposer']],
          ['blue', ['bob', 'cleo']],
          ['later', ['dora', 'proposer']],
        ];
        for (const [name, members] of initial) {
          await scene.group(name, ...members);
          oracle.put(name, members);
        }
        const rules = demands.map(({ any_of, count }, n) => reserve(any_of.join(), count, `r${String(n)}`)).join('');
        await scene.install(rules, {
          quorum: { soft_gate: quorum },
          waiting: { escalation: [{ after_ms: STEP_MS, to: ['later'] }] },
        });
        const held = await scene.hold({ proposers: ['proposer'] });
        for (const now of steps) if (!(await take(scene, oracle, held, now))) return;
      },
    ),
    { numRuns: RUNS },
  );
}, 60_000);
