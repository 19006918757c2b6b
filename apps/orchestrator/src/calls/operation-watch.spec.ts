// SPDX-License-Identifier: Apache-2.0
import { OperationWatch } from './operation-watch.ts';

/** Far beyond a test's time: what resolves was woken. */
const NEVER_MS = 3_600_000;
const stays = new AbortController().signal;
/** Everything that is about to happen by itself has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('who listens to an operation', () => {
  it.each(['committed', 'rolled_back', 'no_op', 'refused', 'ambiguous', 'held'])(
    'is woken when it is %s, also when that was before the wait',
    async (state) => {
      const watch = new OperationWatch();
      const ear = watch.listen('op_a');
      watch.heard('op_a', state);
      expect(await ear.next(NEVER_MS, stays)).toBe(true);
      const waiting = ear.next(NEVER_MS, stays);
      watch.heard('op_a', state);
      expect(await waiting).toBe(true);
    },
  );

  it('sleeps through the states between, and through what happens to others', async () => {
    const watch = new OperationWatch();
    const ear = watch.listen('op_a');
    let isAwake = false;
    const waiting = ear.next(NEVER_MS, stays).then(() => {
      isAwake = true;
    });
    for (const state of ['admitted', 'dispatched', 'performing', 'performed']) watch.heard('op_a', state);
    watch.heard('op_b', 'committed');
    await settled();
    expect(isAwake).toBe(false);
    watch.heard('op_a', 'committed');
    await waiting;
  });

  it('looks by themselves after the time they said', async () => {
    expect(await new OperationWatch().listen('op_a').next(1, stays)).toBe(true);
  });

  it('remembers that it went on after it was held', () => {
    const watch = new OperationWatch();
    const ear = watch.listen('op_a');
    watch.heard('op_a', 'held');
    expect(ear.hasLeftHold).toBe(false);
    watch.heard('op_a', 'admitted');
    expect(ear.hasLeftHold).toBe(true);
  });

  it('stops when nobody waits for them, and when the process stops', async () => {
    const [watch, gone] = [new OperationWatch(), new AbortController()];
    const [one, other] = [watch.listen('op_a').next(NEVER_MS, gone.signal), watch.listen('op_a').next(NEVER_MS, stays)];
    gone.abort();
    expect(await one).toBe(false);
    watch.close();
    expect(await other).toBe(false);
    expect(await watch.listen('op_a').next(NEVER_MS, stays)).toBe(false);
  });

  it('hears nothing once it has stopped', async () => {
    const watch = new OperationWatch();
    const ear = watch.listen('op_a');
    ear.stop();
    watch.heard('op_a', 'committed');
    expect(ear.hasLeftHold).toBe(false);
  });
});
