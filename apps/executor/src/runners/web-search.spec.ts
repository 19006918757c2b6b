// SPDX-License-Identifier: Apache-2.0
import { searchTool, type Redemption } from '@writ/contract';
import { EgressGate } from '../egress/gate.ts';
import { Outside } from '../specs/outside.ts';
import { ScriptedKernel } from '../specs/scripted-kernel.ts';
import { BrokerRunner } from './broker-runner.ts';

let outside: Outside;
let kernel: ScriptedKernel;
let root: string;
beforeEach(async () => {
  outside = await Outside.open();
  kernel = await new ScriptedKernel().start();
  kernel.leaseMs = 60_000;
  root = await kernel.tree({});
});
afterEach(async () => {
  await kernel.close();
  await outside.close();
});

const providerAt = (url: string) =>
  ({ v: 1, tool_id: 'web.search', version: 1, provider: { kind: 'searxng', url } }) as const;
const net: Redemption['net'] = [[{ domain: '*.outside.example', methods: ['GET'] }]];

async function search(
  args: Record<string, unknown> = { query: 'x' },
  {
    url = 'https://searx.outside.example',
    inside = [],
    redemption = {},
  }: { url?: string; inside?: readonly string[]; redemption?: Partial<Redemption> } = {},
) {
  const search_tool = providerAt(url);
  const message = kernel.order('web.search', args, root, {
    definition: searchTool(search_tool),
    redemption: { net, search_tool, ...redemption },
  });
  const gate = new EgressGate(outside.ports, () => performance.now(), inside);
  expect(
    await kernel.executor([new BrokerRunner(kernel.blobs, gate, () => performance.now())]).run(message, 'broker'),
  ).toBe('reported');
  return kernel.reports.at(-1)!;
}
const answers = (body: unknown, status = 200): void => {
  outside.answer = (_request, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
};
/** As SearXNG writes one. */
const found = (n: number, more: object = {}) => ({
  url: `https://page.example/${n}`,
  title: `Page ${n}`,
  content: `About ${n}.`,
  engine: 'duckduckgo',
  engines: ['duckduckgo'],
  score: 1.5,
  category: 'general',
  parsed_url: ['https', 'page.example', `/${n}`],
  publishedDate: null,
  ...more,
});
const page = (results: unknown, more: object = {}) => ({
  query: 'x',
  number_of_results: 0,
  results,
  answers: [],
  corrections: [],
  infoboxes: [],
  suggestions: [],
  unresponsive_engines: [],
  ...more,
});

it('asks the provider once, and tells titles, addresses and what stands there', async () => {
  answers(page([found(1), found(2, { content: null })]));
  const report = await search({ query: 'two words & more' });
  expect(outside.seen).toMatchObject([
    { method: 'GET', url: '/search?q=two%20words%20%26%20more&format=json', host: 'searx.outside.example' },
  ]);
  expect(report).toMatchObject({
    ended: 'exited',
    error: null,
    delta: null,
    result: {
      truncated: false,
      results: [
        { title: 'Page 1', url: 'https://page.example/1', snippet: 'About 1.' },
        { title: 'Page 2', url: 'https://page.example/2', snippet: '' },
      ],
    },
    requests: [{ method: 'GET', outcome: 'answered', status: 200 }],
  });
});

it('gives as many results as were asked for, each no longer than is read', async () => {
  const resultsOf = async (args: Record<string, unknown>) =>
    (await search(args)).result as { results: { title: string; snippet: string }[]; truncated: boolean };
  answers(page(Array.from({ length: 51 }, (_, n) => found(n))));
  for (const [args, count] of [
    [{ query: 'x' }, 10],
    [{ query: 'x', max_results: 50 }, 50],
  ] as const) {
    const { results, truncated } = await resultsOf(args);
    expect([results.length, truncated]).toEqual([count, true]);
  }
  answers(page([found(1, { title: 't'.repeat(5_000), content: 'c\0'.repeat(1_000) })]));
  const {
    results: [only],
    truncated,
  } = await resultsOf({ query: 'x' });
  expect([only?.title.length, only?.snippet, truncated]).toEqual([300, 'c\uFFFD'.repeat(500), false]);
});

it('leaves out what is no result that somebody could read', async () => {
  answers(
    page([
      null,
      7,
      'x',
      {},
      found(1, { url: 'javascript:alert(1)' }),
      found(2, { url: 'file:///etc/passwd' }),
      found(3, { url: `https://x.example/${'y'.repeat(3_000)}` }),
      found(4, { title: { a: 1 }, content: ['x'] }),
      found(5),
    ]),
  );
  expect((await search()).result).toEqual({
    truncated: false,
    results: [
      { title: '', url: 'https://page.example/4', snippet: '' },
      { title: 'Page 5', url: 'https://page.example/5', snippet: 'About 5.' },
    ],
  });
});

it.each([
  ['no JSON', '<html>', 200, /no JSON/],
  ['half of it', '{"results":[', 200, /no JSON/],
  ['nesting without an end', '['.repeat(1_000_000), 200, /no JSON|list of results/],
  ['bytes that are no text', '\ud800', 200, /list of results|no JSON/],
  ['no list', { results: { a: 1 } }, 200, /list of results/],
  ['null', 'null', 200, /list of results/],
  ['too much', `{"results":[],"x":"${'x'.repeat(3_000_000)}"}`, 200, /more than 2097152 bytes/],
  ['that the format is off', 'no', 403, /answered 403/],
  ['that it is busy', 'no', 429, /answered 429/],
  ['that it is elsewhere', 'no', 302, /answered 302/],
])('a provider that answers %s fails the search, and says why', async (_what, body, status, message) => {
  answers(body, status);
  expect(await search()).toMatchObject({
    ended: 'failed',
    result: null,
    error: { code: 'egress.failed', message: expect.stringMatching(message) as unknown },
  });
});

it('a provider that breaks off fails the search', async () => {
  outside.answer = (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{"results":[', () => response.destroy());
  };
  expect(await search()).toMatchObject({ ended: 'failed', error: { code: 'egress.failed' } });
});

it('a provider that never ends is given up', async () => {
  outside.answer = (_request, response) => void response.writeHead(200).write('{');
  const limits = { ...searchTool(providerAt('https://searx.outside.example')).limits, wall_ms: 300 };
  expect(await search({ query: 'x' }, { redemption: { limits: limits as Redemption['limits'] } })).toMatchObject({
    ended: 'timeout',
    error: { code: 'command.timeout' },
  });
});

it("goes nowhere that the token doesn't name, and to no host inside that whoever runs the platform hasn't named", async () => {
  answers(page([found(1)]));
  expect(await search({ query: 'x' }, { redemption: { net: [[]] } })).toMatchObject({
    ended: 'failed',
    error: { code: 'token.scope' },
  });
  outside.addressesOf = () => ['10.0.0.7'];
  for (const inside of [[], ['other.outside.example', 'outside.example']])
    expect(await search({ query: 'x' }, { inside })).toMatchObject({
      ended: 'failed',
      error: { code: 'egress.refused' },
    });
  expect(outside.seen).toEqual([]);
  expect(await search({ query: 'x' }, { inside: ['searx.outside.example'] })).toMatchObject({
    ended: 'exited',
    result: { results: [{ title: 'Page 1' }] },
  });
  expect(outside.dialled).toMatchObject([{ address: '10.0.0.7' }]);
});

it('a host inside is for searches alone', async () => {
  outside.addressesOf = () => ['10.0.0.7'];
  const message = kernel.order('web.fetch', { url: 'https://searx.outside.example/' }, root, { redemption: { net } });
  await kernel
    .executor([
      new BrokerRunner(
        kernel.blobs,
        new EgressGate(outside.ports, () => performance.now(), ['searx.outside.example']),
        () => performance.now(),
      ),
    ])
    .run(message, 'broker');
  expect(kernel.reports.at(-1)).toMatchObject({ ended: 'failed', error: { code: 'egress.refused' } });
  expect(outside.dialled).toEqual([]);
});

it('runs at no other provider than the one that was decided on', async () => {
  answers(page([]));
  const report = await search(
    { query: 'x' },
    { redemption: { search_tool: providerAt('https://evil.outside.example') } },
  );
  expect(report).toMatchObject({ ended: 'invalid', result: null, error: { code: 'permit.invalid' } });
  expect(outside.seen).toEqual([]);
});
