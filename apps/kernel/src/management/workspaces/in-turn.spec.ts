// SPDX-License-Identifier: Apache-2.0
import { InTurn } from './in-turn.ts';

describe('turns', () => {
  it('of one name come one by one in the order of asking, of two names at once', async () => {
    const turns = new InTurn();
    const log: string[] = [];
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const first = turns.take('a', async () => {
      log.push('a1 begins');
      await gate;
      log.push('a1 ends');
    });
    const second = turns.take('a', () => {
      log.push('a2');
      return Promise.resolve();
    });
    await turns.take('b', () => {
      log.push('b');
      return Promise.resolve();
    });
    open();
    await Promise.all([first, second]);
    expect(log).toEqual(['a1 begins', 'b', 'a1 ends', 'a2']);
  });

  it('go on after one that failed, whose asker alone hears of it', async () => {
    const turns = new InTurn();
    const failed = turns.take('a', () => Promise.reject(new Error('mine')));
    const next = turns.take('a', () => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('mine');
    expect(await next).toBe('done');
  });
});
