// SPDX-License-Identifier: Apache-2.0
import { OperationWatch } from './operation-watch.ts';

/** Longer than a test's timeout: a promise that resolves was woken. */
const NEVER_MS = 3_600_000;
const stays = new AbortController().signal;
/** Resolves after all pending callbacks have run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a subscription to an operation', () => {
  it.each(['committed', 'rolled_back', 'no_op', 'refused', 'ambiguous', 'held'])(
    'is woken when it is %s, also when that was before the wait',
    async (state) => {
      const watch = new OperationWatch();
      const ear = watch.subscribe('op_a');
      watch.publish('op_a', state);
      expect(await ear.next(NEVER_MS, stays)).toBe(true);
      const waiting = ear.next(NEVER_MS, stays);
      watch.publish('op_a', state);
      expect(await waiting).toBe(true);
    },
  );

  it('ignores intermediate states, and events of other operations', async () => {
    const watch = new OperationWatch();
    const ear = watch.subscribe('op_a');
    let isAwake = false;
    const waiting = ear.next(NEVER_MS, stays).then(() => {
      isAwake = true;
    });
    for (const state of ['admitted', 'dispatched', 'performing', 'performed']) watch.publish('op_a', state);
    watch.publish('op_b', 'committed');
    await settled();
    expect(isAwake).toBe(false);
    watch.publish('op_a', 'committed');
    await waiting;
  });

  it('resolves after the given time', async () => {
    expect(await new OperationWatch().subscribe('op_a').next(1, stays)).toBe(true);
  });

  it('remembers that the operation left the state held', () => {
    const watch = new OperationWatch();
    const ear = watch.subscribe('op_a');
    watch.publish('op_a', 'held');
    expect(ear.hasLeftHold).toBe(false);
    watch.publish('op_a', 'admitted');
    expect(ear.hasLeftHold).toBe(true);
  });

  it('ends when no client waits any more, and when the process stops', async () => {
    const [watch, gone] = [new OperationWatch(), new AbortController()];
    const [one, other] = [
      watch.subscribe('op_a').next(NEVER_MS, gone.signal),
      watch.subscribe('op_a').next(NEVER_MS, stays),
    ];
    gone.abort();
    expect(await one).toBe(false);
    watch.close();
    expect(await other).toBe(false);
    expect(await watch.subscribe('op_a').next(NEVER_MS, stays)).toBe(false);
  });

  it('receives nothing after it has stopped', async () => {
    const watch = new OperationWatch();
    const ear = watch.subscribe('op_a');
    ear.stop();
    watch.publish('op_a', 'committed');
    expect(ear.hasLeftHold).toBe(false);
  });
});

describe('a pause', () => {
  it('is over after its time, when the client goes and when the process stops', async () => {
    const watch = new OperationWatch();
    const client = new AbortController();
    expect(await watch.pause(1, stays)).toBe(true);
    const left = watch.pause(NEVER_MS, client.signal);
    client.abort();
    expect(await left).toBe(false);
    const stopped = watch.pause(NEVER_MS, stays);
    watch.close();
    expect([await stopped, await watch.pause(NEVER_MS, stays)]).toEqual([false, false]);
  });
});
