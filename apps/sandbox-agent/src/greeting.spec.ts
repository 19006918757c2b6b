// SPDX-License-Identifier: Apache-2.0
import { Greeting } from './greeting.ts';
import { parseOptions } from './options.ts';

const KEY = { type: 'greet', key: Buffer.alloc(32) } as const;
const canaries = (...refusedAt: string[]) => ({ type: 'canaries', refusedAt }) as const;
const FIRST = '--refused-at=10.0.0.1:443';

/** Tries nothing: each address is closed, or not. */
function greetingOf(args: readonly string[], open: readonly string[] = []) {
  const tried: string[] = [];
  const greeting = new Greeting(parseOptions(args), async (addresses) => {
    for (const { text } of addresses) {
      tried.push(text);
      if (open.includes(text)) throw new Error(`the network is open: ${text} answers this container`);
    }
  });
  return { greeting, tried };
}

const isDone = async (greeting: Greeting): Promise<boolean> =>
  await Promise.race([greeting.done().then(() => true), new Promise<false>((resolve) => setImmediate(resolve, false))]);

describe('before an agent says hello', () => {
  it('nothing must come where it is asked for nothing', async () => {
    expect(await greetingOf([]).greeting.done()).toEqual([]);
  });

  it('it is greeted, and refused by the canaries of its arguments and of its host', async () => {
    const { greeting, tried } = greetingOf(['--wait-for-greeting', FIRST]);
    expect(greeting.take(canaries('10.0.0.2:80', '[fd00::1]:443'))).toBe(true);
    expect(await isDone(greeting)).toBe(false);
    expect(greeting.take(KEY)).toBe(true);
    expect(await greeting.done()).toEqual(['10.0.0.1:443', '10.0.0.2:80', '[fd00::1]:443']);
    expect(tried).toEqual(['10.0.0.1:443', '10.0.0.2:80', '[fd00::1]:443']);
  });

  it.each(['10.0.0.1:443', '10.0.0.2:80'])('the canary %s must not answer', async (open) => {
    const { greeting } = greetingOf(['--wait-for-greeting', FIRST], [open]);
    greeting.take(canaries('10.0.0.2:80'));
    greeting.take(KEY);
    await expect(greeting.done()).rejects.toThrow(`the network is open: ${open} answers`);
  });

  it('no canary comes after the greeting: it would go untried', () => {
    const { greeting } = greetingOf(['--wait-for-greeting']);
    greeting.take(KEY);
    expect(() => greeting.take(canaries('10.0.0.2:80'))).toThrow('canaries come before the greeting');
    expect(() => greetingOf([]).greeting.take(canaries('10.0.0.2:80'))).toThrow('canaries come before the greeting');
  });

  it('it is greeted once: a second greeting is another host, and the container would be of both', () => {
    const { greeting } = greetingOf(['--wait-for-greeting']);
    greeting.take(KEY);
    expect(() => greeting.take(KEY)).toThrow('an agent is greeted once');
  });

  it('a canary is an address, and there are no more than a hello can name', () => {
    const { greeting } = greetingOf(['--wait-for-greeting', FIRST]);
    expect(() => greeting.take(canaries('example.com:80'))).toThrow('takes `IP:port`');
    const eight = Array.from({ length: 8 }, (_, index) => `10.0.1.${index}:80`);
    expect(() => greeting.take(canaries(...eight))).toThrow('more than 8 canaries');
  });

  it('a message that is no part of it is left to others', () => {
    expect(greetingOf([]).greeting.take({ type: 'stdin', bytes: Buffer.alloc(1) })).toBe(false);
  });
});
