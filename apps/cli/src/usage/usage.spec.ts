// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

let api: FakeApi;
beforeEach(async () => {
  api = await fakeApi(({ url }) => {
    const by = new URL(`http://x${url}`).searchParams.get('by');
    return {
      body: {
        from: 0,
        to: 9,
        by,
        items: [
          {
            of: by === 'day' ? '2026-01-31' : null,
            model: 'main',
            runs: 2,
            input_tokens: 300,
            cached_tokens: 20,
            output_tokens: 30,
            cost: 1_234_500,
            currency: 'EUR',
          },
        ],
      },
    };
  });
});
afterEach(() => api.close());
const run = (...args: string[]) => writ(['usage', ...args], { env: api.env });
const asked = (): URLSearchParams => new URL(`http://x${api.requests.at(-1)!.url}`).searchParams;

test('`writ usage` sums runs by model, and by another dimension on request', async () => {
  expect(await run()).toMatchObject({
    exit: 0,
    out: expect.stringMatching(/main +2 +300 +20 +30 +1\.2345 EUR/) as string,
  });
  const { out } = await run('--by', 'day', '--from', '2026-01-31', '--to', '2026-02-01T12:00:00Z');
  expect(out).toMatch(/2026-01-31 +main/);
  expect([asked().get('from'), asked().get('to'), asked().get('by')]).toEqual([
    String(Date.parse('2026-01-31')),
    String(Date.parse('2026-02-01T12:00:00Z')),
    'day',
  ]);
  expect(JSON.parse((await run('--json')).out)).toMatchObject({ items: [{ model: 'main', cost: 1_234_500 }] });
});

test('an invalid moment is a usage error, and nothing is sent', async () => {
  expect(await run('--from', 'yesterday')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('--from yesterday') as string,
  });
  expect((await run('--by', 'colour')).exit).toBe(2);
  expect(api.requests).toEqual([]);
});
