// SPDX-License-Identifier: Apache-2.0
import { KeyedQueue } from './keyed-queue.ts';

describe('work in turn', () => {
  it('runs one by one in order for one name, and in parallel for two names', async () => {
    const turns = new KeyedQueue();
    const log: string[] = [];
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const first = turns.run('a', async () => {
      log.push('a1 begins');
      await gate;
      log.push('a1 ends');
    });
    const second = turns.run('a', () => {
      log.push('a2');
      return Promise.resolve();
    });
    await turns.run('b', () => {
      log.push('b');
      return Promise.resolve();
    });
    open();
    await Promise.all([first, second]);
    expect(log).toEqual(['a1 begins', 'b', 'a1 ends', 'a2']);
  });

  it('continues after a failure, which only its own caller gets', async () => {
    const turns = new KeyedQueue();
    const failed = turns.run('a', () => Promise.reject(new Error('mine')));
    const next = turns.run('a', () => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('mine');
    expect(await next).toBe('done');
  });
});
