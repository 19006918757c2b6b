// SPDX-License-Identifier: Apache-2.0
import { bindTool, WEB_SEARCH, type BoundResource, type Redemption } from '@writ/contract';
import { resourceDigest } from '@writ/digest';
import { parsePrivateEndpoints } from '@writ/egress';
import { EgressGate } from '../egress/gate.ts';
import { ExternalHosts } from '../specs/external-hosts.ts';
import { ScriptedKernel } from '../specs/scripted-kernel.ts';
import { BrokerRunner } from './broker-runner.ts';

let outside: ExternalHosts;
let kernel: ScriptedKernel;
let root: string;
beforeEach(async () => {
  outside = await ExternalHosts.open();
  kernel = await new ScriptedKernel().start();
  kernel.leaseMs = 60_000;
  root = await kernel.tree({});
});
afterEach(async () => {
  await kernel.close();
  await outside.close();
});

const engineAt = (url: string): BoundResource => {
  const meaning = { kind: 'search_engine', name: 'default', settings: { kind: 'searxng', url } } as const;
  return { resource_id: `res_${'0'.repeat(26)}`, ...meaning, owner_agent_id: null, digest: resourceDigest(meaning) };
};
const net: Redemption['net'] = [[{ domain: '*.outside.example', methods: ['GET'] }]];

async function search(
  args: Record<string, unknown> = { query: 'x' },
  {
    url = 'https://searx.outside.example',
    privateHosts = '',
    redemption = {},
  }: { url?: string; privateHosts?: string; redemption?: Partial<Redemption> } = {},
) {
  const resources = [engineAt(url)];
  const message = kernel.order('web.search', args, root, {
    definition: bindTool(WEB_SEARCH, resources),
    redemption: { net, resources, ...redemption },
  });
  const gate = new EgressGate(outside.ports, () => performance.now(), parsePrivateEndpoints(privateHosts));
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
/** A result in the form of SearXNG. */
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

it('a search sends one request and returns titles, addresses and snippets', async () => {
  answers(page([found(1), found(2, { content: null })]));
  const report = await search({ query: 'two words & more' });
  expect(outside.received).toMatchObject([
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

it('a search returns at most the requested number of results, each truncated', async () => {
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

it('a search leaves out malformed results and those with other schemes', async () => {
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
  ['incomplete JSON', '{"results":[', 200, /no JSON/],
  ['nesting without an end', '['.repeat(1_000_000), 200, /no JSON|list of results/],
  ['bytes that are no text', '\ud800', 200, /list of results|no JSON/],
  ['no list', { results: { a: 1 } }, 200, /list of results/],
  ['null', 'null', 200, /list of results/],
  ['too much', `{"results":[],"x":"${'x'.repeat(3_000_000)}"}`, 200, /more than 2097152 bytes/],
  ['403', 'no', 403, /answered 403/],
  ['429', 'no', 429, /answered 429/],
  ['a redirect', 'no', 302, /answered 302/],
])('an engine that answers with %s fails the search with the reason', async (_what, body, status, message) => {
  answers(body, status);
  expect(await search()).toMatchObject({
    ended: 'failed',
    result: null,
    error: { code: 'egress.failed', message: expect.stringMatching(message) as unknown },
  });
});

it('an engine that breaks the connection fails the search', async () => {
  outside.answer = (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{"results":[', () => response.destroy());
  };
  expect(await search()).toMatchObject({ ended: 'failed', error: { code: 'egress.failed' } });
});

it('an engine whose answer never ends makes the search time out', async () => {
  outside.answer = (_request, response) => void response.writeHead(200).write('{');
  const limits = { ...WEB_SEARCH.limits, wall_ms: 300 };
  expect(await search({ query: 'x' }, { redemption: { limits: limits as Redemption['limits'] } })).toMatchObject({
    ended: 'timeout',
    error: { code: 'command.timeout' },
  });
});

it('a search reaches only hosts of the token, and private addresses only for hosts that the operator named', async () => {
  answers(page([found(1)]));
  expect(await search({ query: 'x' }, { redemption: { net: [[]] } })).toMatchObject({
    ended: 'failed',
    error: { code: 'token.scope' },
  });
  outside.addressesOf = () => ['10.0.0.7'];
  for (const privateHosts of ['', 'other.outside.example,outside.example', 'searx.outside.example:8443'])
    expect(await search({ query: 'x' }, { privateHosts })).toMatchObject({
      ended: 'failed',
      error: { code: 'egress.refused' },
    });
  expect(outside.received).toEqual([]);
  expect(await search({ query: 'x' }, { privateHosts: 'searx.outside.example' })).toMatchObject({
    ended: 'exited',
    result: { results: [{ title: 'Page 1' }] },
  });
  expect(outside.dials).toMatchObject([{ address: '10.0.0.7' }]);
});

it('a private host of an engine is reachable for searches only', async () => {
  outside.addressesOf = () => ['10.0.0.7'];
  const message = kernel.order('web.fetch', { url: 'https://searx.outside.example/' }, root, { redemption: { net } });
  await kernel
    .executor([
      new BrokerRunner(
        kernel.blobs,
        new EgressGate(outside.ports, () => performance.now(), parsePrivateEndpoints('searx.outside.example')),
        () => performance.now(),
      ),
    ])
    .run(message, 'broker');
  expect(kernel.reports.at(-1)).toMatchObject({ ended: 'failed', error: { code: 'egress.refused' } });
  expect(outside.dials).toEqual([]);
});

it.each([
  ['another engine', [engineAt('https://evil.outside.example')]],
  [
    'other settings under the same digest',
    [{ ...engineAt('https://evil.outside.example'), digest: engineAt('https://searx.outside.example').digest }],
  ],
  ['an engine of another name', [{ ...engineAt('https://searx.outside.example'), name: 'other' }]],
  ['no engine', []],
])('a search that is redeemed with %s than the decided engine is invalid', async (_what, resources) => {
  answers(page([]));
  const report = await search({ query: 'x' }, { redemption: { resources } });
  expect(report).toMatchObject({ ended: 'invalid', result: null, error: { code: 'permit.invalid' } });
  expect(outside.received).toEqual([]);
});
