// SPDX-License-Identifier: Apache-2.0
//
// Two tenants get the same random sequence of calls and changes of facts. One is served by two replicas that cache
// facts, the other by one that reads them. Their answers must not differ.
import fc from 'fast-check';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { openPolicyKernel, type PolicyKernel } from '../../specs/test-policies.ts';
import { NO_CALL, TestReplica, type Answer } from '../../specs/test-replica.ts';
import { Scene } from '../../specs/test-scene.ts';
import { newId } from '@writ/nest-kit';

let kernel: PolicyKernel;
openKernelSpec((on) => {
  ({ kernel } = on);
}, openPolicyKernel);

const CHANGES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  'the tool is frozen': (s) => s.freeze('tool', 'fs.write'),
  'freezes are lifted': (s) => s.thaw(),
  'policy `open`': (s) => s.activate('open'),
  'policy `closed`': (s) => s.activate('closed'),
  'policy `deploys`': (s) => s.activate('deploys'),
  'the session saw a secret': (s) => s.label('session', 'two'),
  'the budget is spent': (s) => s.spend(s.leaf, 'calls', 0),
  'one call is left': (s) => s.spend(s.root, 'calls', 1),
  'some time is left': (s) => s.spend(s.root, 'wall_ms', 15_000),
  'the budget is whole again': async (s) => {
    await s.spend(s.leaf, 'calls', 50);
    await s.spend(s.root, 'calls', 50);
    await s.spend(s.root, 'wall_ms', 900_000);
  },
  'a new head': (s) => s.tenant.write({ 'src/b.txt': newId('operation') }),
  'a link out of the scope': (s) => s.tenant.write({ 'src/a.txt': '->../.env' }),
  'the file again': (s) => s.tenant.write({ 'src/a.txt': 'hello' }),
  failures: (s) => s.fail(3),
  'the token is revoked': (s) => s.revoke(s.leaf),
};

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      call: fc.constantFrom<object>({}, {}, { session_id: 'two' }, { task_class: 'deploy' }),
      replica: fc.nat(1),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom(...Object.keys(CHANGES)) },
);

/** `remembered` counts calls that were decided without reading facts. */
interface Twin {
  readonly scene: Scene;
  readonly replicas: readonly TestReplica[];
  remembered: number;
}

async function walk(
  twin: Twin,
  steps: readonly (string | { readonly call: object; readonly replica: number })[],
): Promise<unknown[]> {
  const { scene, replicas } = twin;
  const seen: unknown[] = [];
  for (const each of steps) {
    if (typeof each === 'string') {
      await CHANGES[each]?.(scene);
      continue;
    }
    await scene.tenant.query('DELETE FROM kernel.outbox WHERE tenant_id = $1', [scene.tenant.tenantId]);
    const replica = replicas[each.replica % replicas.length] as TestReplica;
    const answer: Answer = await replica.answer(scene.call(each.call));
    if (replica.readsSinceLast() === 0) twin.remembered += 1;
    seen.push(
      'fault' in answer ? answer : { ...answer, state_snapshot_id: answer.state_snapshot_id === scene.tenant.head },
    );
  }
  return [...seen, await scene.tenant.budgetOf(scene.leaf), await scene.tenant.budgetOf(scene.root)];
}

test('cached facts change no answer and no budget, in any order of calls and changes', async () => {
  let remembered = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      const [remembering, reading] = [await Scene.open(kernel, true), await Scene.open(kernel, false)];
      const twin = {
        scene: remembering,
        replicas: [remembering.replica, new TestReplica(kernel, true, undefined, NO_CALL)],
        remembered: 0,
      };
      expect(await walk(twin, steps)).toEqual(
        await walk({ scene: reading, replicas: [reading.replica], remembered: 0 }, steps),
      );
      remembered += twin.remembered;
    }),
    { numRuns: 15 },
  );
  // Without cached decisions the test would prove nothing.
  expect(remembered).toBeGreaterThan(0);
}, 240_000);
