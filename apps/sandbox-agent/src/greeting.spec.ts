// SPDX-License-Identifier: Apache-2.0
import { Greeting } from './greeting.ts';
import { parseOptions } from './options.ts';

const KEY = { type: 'greet', key: Buffer.alloc(32) } as const;
const canaries = (...refusedAt: string[]) => ({ type: 'canaries', refusedAt }) as const;
const FIRST = '--refused-at=10.0.0.1:443';

/** Opens no connection: each address counts as closed, or as open if listed. */
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

describe('the greeting of an agent', () => {
  it('is done at once without options', async () => {
    expect(await greetingOf([]).greeting.done()).toEqual([]);
  });

  it('is done after the greet message and refusals of all canaries, from arguments and host', async () => {
    const { greeting, tried } = greetingOf(['--wait-for-greeting', FIRST]);
    expect(greeting.handle(canaries('10.0.0.2:80', '[fd00::1]:443'))).toBe(true);
    expect(await isDone(greeting)).toBe(false);
    expect(greeting.handle(KEY)).toBe(true);
    expect(await greeting.done()).toEqual(['10.0.0.1:443', '10.0.0.2:80', '[fd00::1]:443']);
    expect(tried).toEqual(['10.0.0.1:443', '10.0.0.2:80', '[fd00::1]:443']);
  });

  it.each(['10.0.0.1:443', '10.0.0.2:80'])('fails when the canary %s answers', async (open) => {
    const { greeting } = greetingOf(['--wait-for-greeting', FIRST], [open]);
    greeting.handle(canaries('10.0.0.2:80'));
    greeting.handle(KEY);
    await expect(greeting.done()).rejects.toThrow(`the network is open: ${open} answers`);
  });

  it('refuses canaries after the greet message', () => {
    const { greeting } = greetingOf(['--wait-for-greeting']);
    greeting.handle(KEY);
    expect(() => greeting.handle(canaries('10.0.0.2:80'))).toThrow('canaries come before the greeting');
    expect(() => greetingOf([]).greeting.handle(canaries('10.0.0.2:80'))).toThrow('canaries come before the greeting');
  });

  it('refuses a second greet message, which another host would have sent', () => {
    const { greeting } = greetingOf(['--wait-for-greeting']);
    greeting.handle(KEY);
    expect(() => greeting.handle(KEY)).toThrow('an agent is greeted once');
  });

  it('refuses canaries that are no addresses or too many for a hello', () => {
    const { greeting } = greetingOf(['--wait-for-greeting', FIRST]);
    expect(() => greeting.handle(canaries('example.com:80'))).toThrow('takes `IP:port`');
    const eight = Array.from({ length: 8 }, (_, index) => `10.0.1.${index}:80`);
    expect(() => greeting.handle(canaries(...eight))).toThrow('more than 8 canaries');
  });

  it('returns false for other messages', () => {
    expect(greetingOf([]).greeting.handle({ type: 'stdin', bytes: Buffer.alloc(1) })).toBe(false);
  });
});
