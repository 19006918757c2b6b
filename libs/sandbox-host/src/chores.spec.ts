// SPDX-License-Identifier: Apache-2.0
import { vi } from 'vitest';
import { Chores } from './chores.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const noting = (did: string[], name: string) => async () => void did.push(name);

describe('a chore', () => {
  it('runs at once where no job runs', async () => {
    const did: string[] = [];
    await new Chores().do(noting(did, 'a'));
    expect(did).toEqual(['a']);
  });

  it('waits for the running job, and until its answer is sent', async () => {
    const chores = new Chores();
    const did: string[] = [];
    const ended = chores.begin();
    void chores.do(noting(did, 'a'));
    await vi.advanceTimersByTimeAsync(50);
    expect(did).toEqual([]);
    ended();
    await vi.advanceTimersByTimeAsync(19);
    expect(did).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(did).toEqual(['a']);
  });

  it('waits at most 150 ms, however long the job takes', async () => {
    const chores = new Chores();
    const did: string[] = [];
    chores.begin();
    void chores.do(noting(did, 'a'));
    await vi.advanceTimersByTimeAsync(149);
    expect(did).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(did).toEqual(['a']);
  });

  it('runs after earlier ones, one at a time, also where one of them failed', async () => {
    const chores = new Chores();
    const did: string[] = [];
    const { promise, reject } = Promise.withResolvers<never>();
    const first = chores.do(() => promise);
    const second = chores.do(noting(did, 'b'));
    await vi.advanceTimersByTimeAsync(200);
    expect(did).toEqual([]);
    reject(new Error('no engine'));
    await expect(first).rejects.toThrow('no engine');
    await second;
    expect(did).toEqual(['b']);
  });

  it('with priority runs before those that wait, also in a quiet moment', async () => {
    const chores = new Chores();
    const did: string[] = [];
    const ended = chores.begin();
    void chores.do(noting(did, 'a'));
    void chores.doFirst(noting(did, 'b'));
    await vi.advanceTimersByTimeAsync(50);
    expect(did).toEqual([]);
    ended();
    await vi.advanceTimersByTimeAsync(21);
    expect(did).toEqual(['b', 'a']);
  });

  it('with priority runs within 150 ms, also beside one that hangs', async () => {
    const chores = new Chores();
    const did: string[] = [];
    void chores.do(() => new Promise<never>(() => undefined));
    await vi.advanceTimersByTimeAsync(0);
    void chores.doFirst(noting(did, 'b'));
    await vi.advanceTimersByTimeAsync(149);
    expect(did).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(did).toEqual(['b']);
    await vi.advanceTimersByTimeAsync(500);
    expect(did).toEqual(['b']);
  });

  it('waits for its own quiet moment where the time of the previous one ran out', async () => {
    const chores = new Chores();
    const did: string[] = [];
    chores.begin();
    void chores.doFirst(noting(did, 'first'));
    await vi.advanceTimersByTimeAsync(100);
    void chores.do(noting(did, 'later'));
    await vi.advanceTimersByTimeAsync(149);
    expect(did).toEqual(['first']);
    await vi.advanceTimersByTimeAsync(2);
    expect(did).toEqual(['first', 'later']);
  });

  it('runs nothing once the queue is closed', async () => {
    const chores = new Chores();
    const did: string[] = [];
    chores.begin();
    void chores.do(noting(did, 'a'));
    chores.close();
    await vi.advanceTimersByTimeAsync(0);
    expect(did).toEqual(['a']);
  });
});
