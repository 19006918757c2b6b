// SPDX-License-Identifier: Apache-2.0
// Errors of requests that are calls: each names its operation, however long the rest is. Over a fake kernel.
import type { McpRemoteTool } from '@writ/contract';
import { serverRequests } from '@writ/mcp-tool';
import { viewOf } from '../../specs/fake-views.ts';
import { ERAS } from '../../specs/mcp-client.ts';
import { messageOf, postLegacy, postModern } from '../../specs/mcp-request.ts';
import { keepTracker } from '../../specs/mounted-server.ts';
import { createFixture, type Fixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';

const LISTED: readonly McpRemoteTool[] = serverRequests({ resources: {}, prompts: {}, completions: {} });

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
let token: string;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
  token = keepTracker(api, tenant, has, LISTED, ['fs.*', 'skill.*']);
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
});

/** The lengths of texts: short, about as long as the data of an error may be, and longer. */
const LENGTHS = [10, 700, 800, 850, 900, 950, 1_000, 3_000];
const long = (length: number): string => 'a'.repeat(length);
const REF = { type: 'ref/prompt', name: 'review' };

/** Requests that are calls, with a text of some length in them. */
const REQUESTS: readonly (readonly [string, string, (length: number) => Record<string, unknown>])[] = [
  ['&server=tracker', 'resources/list', (length) => ({ cursor: long(length) })],
  ['&server=tracker', 'resources/templates/list', (length) => ({ cursor: long(length) })],
  ['&server=tracker', 'resources/read', (length) => ({ uri: `test://${long(length)}` })],
  ['&server=tracker', 'prompts/list', (length) => ({ cursor: long(length) })],
  ['&server=tracker', 'prompts/get', (length) => ({ name: 'review', arguments: { code: long(length) } })],
  ['&server=tracker', 'completion/complete', (length) => ({ ref: REF, argument: { name: 'a', value: long(length) } })],
  ['', 'resources/read', (length) => ({ uri: `writ://workspace/${long(length)}` })],
  ['', 'prompts/get', (length) => ({ name: long(length) })],
];

describe.each(ERAS)('with the revision %s', (era) => {
  it.each(REQUESTS)('an error names its operation, with%s %s', async (query, method, paramsOf) => {
    for (const length of LENGTHS)
      for (const words of [1, ...LENGTHS]) {
        api.kernel.admits = (call) => {
          const view = viewOf(call, 'refused');
          const error = { code: 'policy.denied', message: long(words), hint: null };
          return { ...view, result: { ...view.result!, status: 'error', error, result: null } };
        };
        const path = `${api.url}/mcp/${token}?workspace_id=${has.workspace_id}${query}`;
        const request = { method, params: paramsOf(length) };
        const answer = await (era === 'legacy' ? postLegacy : postModern)(path, tenant.agent, request);
        const { error } = await messageOf(answer);
        const { operation_id } = api.kernel.requests.findLast(({ verb }) => verb === 'admit')!.request;
        expect(error).toMatchObject({ code: -32602, data: { operation_id, state: 'refused', code: 'policy.denied' } });
        expect(JSON.stringify(error).length).toBeLessThan(2_100);
      }
  });
});

it('an error of a read repeats the address where it fits', async () => {
  api.kernel.admits = (call) => viewOf(call, 'refused');
  const path = `${api.url}/mcp/${token}?workspace_id=${has.workspace_id}&server=tracker`;
  for (const [length, fits] of [
    [500, true],
    [1_500, false],
  ] as const) {
    const uri = `test://${long(length)}`;
    const { error } = await messageOf(
      await postModern(path, tenant.agent, { method: 'resources/read', params: { uri } }),
    );
    expect((error?.data as { readonly uri?: string }).uri).toBe(fits ? uri : undefined);
  }
});
