// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { IssuerCache, type IssuerCacheOptions } from './issuer-cache.ts';

const ISSUER = 'https://login.example.org';
let now: number;
let fetches: PromiseWithResolvers<string>[];
beforeEach(() => {
  [now, fetches] = [10_000_000, []];
});

/** A cache whose fetches the test ends. */
const cacheOf = (own: Partial<IssuerCacheOptions<string>> = {}): IssuerCache<string> =>
  new IssuerCache({
    fetch: () => {
      const fetching = Promise.withResolvers<string>();
      fetches.push(fetching);
      return fetching.promise;
    },
    unavailable: (_issuer, cause) => new Fault('auth.issuer_unavailable', 'not now', { cause }),
    monotonic: () => now,
    freshMs: 1_000,
    maxAgeMs: 2_000,
    ...own,
  });

/** What the call resolves with, when the fetch that it began has resolved with `value`. */
async function fetched(call: Promise<string>, value: string): Promise<string> {
  fetches.at(-1)!.resolve(value);
  return await call;
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the cache of what issuers publish', () => {
  it('asks an issuer once for callers that arrive together, and each issuer on its own', async () => {
    const cache = cacheOf();
    const calls = [cache.of(ISSUER), cache.of(ISSUER)];
    const other = cache.of('https://other.example.org');
    expect(fetches).toHaveLength(2);
    expect(await fetched(other, 'other')).toBe('other');
    fetches[0]!.resolve('own');
    expect(await Promise.all(calls)).toEqual(['own', 'own']);
  });

  it('answers at once with what is no longer fresh, and asks in the background', async () => {
    const cache = cacheOf();
    await fetched(cache.of(ISSUER), 'old');
    now += 1_001;
    expect(await cache.of(ISSUER)).toBe('old');
    expect(fetches).toHaveLength(2);
    fetches[1]!.resolve('new');
    await settled();
    expect(await cache.of(ISSUER)).toBe('new');
    expect(fetches).toHaveLength(2);
  });

  it('uses nothing beyond its greatest age, which counts from the beginning of the fetch', async () => {
    const cache = cacheOf();
    const call = cache.of(ISSUER);
    now += 2_001;
    expect(await fetched(call, 'old')).toBe('old');
    const again = cache.of(ISSUER);
    fetches.at(-1)!.reject(new Error('down'));
    await expect(again).rejects.toMatchObject({ code: 'auth.issuer_unavailable' });
  });

  it('leaves an issuer that failed alone for some seconds, and says why', async () => {
    const cache = cacheOf();
    const [call, down] = [cache.of(ISSUER), new Error('down')];
    fetches[0]!.reject(down);
    await expect(call).rejects.toMatchObject({ cause: down });
    now += 4_999;
    await expect(cache.of(ISSUER)).rejects.toMatchObject({ code: 'auth.issuer_unavailable', cause: down });
    expect(fetches).toHaveLength(1);
    now += 1;
    expect(await fetched(cache.of(ISSUER), 'up')).toBe('up');
  });

  it('asks for what lacks once in a while, and answers with what there is meanwhile', async () => {
    const cache = cacheOf({ lackingMs: 500 });
    const find = (wanted: string) => cache.of(ISSUER, (value) => value.includes(wanted));
    await fetched(find('a'), 'a');
    expect(await fetched(find('b'), 'a')).toBe('a');
    expect(await find('b')).toBe('a');
    expect(fetches).toHaveLength(2);
    now += 500;
    expect(await fetched(find('b'), 'a b')).toBe('a b');
    expect(await find('b')).toBe('a b');
    expect(fetches).toHaveLength(3);
  });

  it('refuses callers beyond a number while an issuer is slow', async () => {
    const cache = cacheOf({ waitingMax: 2 });
    const calls = [cache.of(ISSUER), cache.of(ISSUER)];
    await expect(cache.of(ISSUER)).rejects.toMatchObject({ code: 'auth.issuer_unavailable' });
    fetches[0]!.resolve('value');
    expect(await Promise.all(calls)).toEqual(['value', 'value']);
    now += 2_001;
    expect(await fetched(cache.of(ISSUER), 'again')).toBe('again');
  });
});
