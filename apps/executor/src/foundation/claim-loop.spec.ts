// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { ClaimLoop, type ClaimLoopOptions } from './claim-loop.ts';

let loop: ClaimLoop<string>;
let failures: unknown[];
let ends: (() => void)[];
beforeEach(() => {
  [failures, ends] = [[], []];
});
afterEach(async () => {
  for (const end of ends) end();
  await loop.stop();
});

/** Starts a loop that claims these pieces of work one after the other, and throws what is an error. */
async function start(due: (string | Error)[], own: Partial<ClaimLoopOptions<string>> = {}): Promise<void> {
  loop = new ClaimLoop<string>({
    askMs: 1,
    atOnce: 2,
    isNewRequest: false,
    claim: () => {
      const next = due.shift() ?? null;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    perform: () => Promise.resolve(),
    failed: (error) => failures.push(error),
    ...own,
  });
  await loop.start();
}

describe('a claim loop', () => {
  it('does what is due, and asks again after a pause in which nothing was', async () => {
    const done: string[] = [];
    const due = ['first', 'second'];
    await start(due, { perform: (work) => Promise.resolve(void done.push(work)) });
    await vi.waitFor(() => expect(done).toEqual(['first', 'second']));
    due.push('third');
    await vi.waitFor(() => expect(done).toEqual(['first', 'second', 'third']));
    expect(failures).toEqual([]);
  });

  it('has no more work under way than its bound, and tells each claim what that is', async () => {
    const [due, begun, told] = [['first', 'second', 'third'], [] as string[], [] as (readonly string[])[]];
    await start(due, {
      claim: (underWay) => {
        told.push(underWay);
        return Promise.resolve(due.shift() ?? null);
      },
      perform: (work) => {
        begun.push(work);
        return new Promise<void>((resolve) => ends.push(resolve));
      },
    });
    await vi.waitFor(() => expect(begun).toEqual(['first', 'second']));
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([[], ['first']]);
    ends[0]!();
    await vi.waitFor(() => expect(begun).toEqual(['first', 'second', 'third']));
    expect(told[2]).toEqual(['second']);
  });

  it('passes what a piece of work fails with on, and goes on', async () => {
    const done: string[] = [];
    const bug = new TypeError('x is no function');
    const perform = (work: string) => (work === 'broken' ? Promise.reject(bug) : Promise.resolve(void done.push(work)));
    await start(['broken', 'whole'], { perform });
    await vi.waitFor(() => expect(done).toEqual(['whole']));
    expect(failures).toEqual([bug]);
  });

  it.each([
    ['a kernel that is not there', new Fault('bus.unreachable'), false, 0],
    ['a kernel of the previous version', new Fault('request.malformed'), true, 0],
    ['a kernel that refuses a request that it knows', new Fault('request.malformed'), false, 1],
    ['a bug', new TypeError('x is no function'), true, 1],
  ])('asks %s again, and operators learn of what does not pass', async (_what, error, isNewRequest, reported) => {
    const done: string[] = [];
    await start([error, 'next'], { isNewRequest, perform: (work) => Promise.resolve(void done.push(work)) });
    await vi.waitFor(() => expect(done).toEqual(['next']));
    expect(failures).toEqual(reported === 0 ? [] : [error]);
  });

  it('stops when its work has ended, which learns of it, and claims nothing more', async () => {
    const due = ['first'];
    let hasEnded = false;
    await start(due, {
      perform: async (_work, stopping) => {
        await new Promise((resolve) => stopping.addEventListener('abort', resolve, { once: true }));
        due.push('second');
        await new Promise((resolve) => setTimeout(resolve, 20));
        hasEnded = true;
      },
    });
    await vi.waitFor(() => expect(due).toEqual([]));
    await loop.stop();
    expect([hasEnded, due]).toEqual([true, ['second']]);
  });
});
