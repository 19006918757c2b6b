// SPDX-License-Identifier: Apache-2.0
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
});

const DOCUMENT = `
openapi: 3.1.0
info: {title: Shop, version: '1'}
servers: [{url: 'https://shop.example'}]
paths:
  /orders:
    get: {operationId: listOrders, responses: {}}
  /files:
    post:
      operationId: upload
      requestBody: {required: true, content: {multipart/form-data: {}}}
      responses: {}
`;
const applied = () => api.kernel.requests.filter(({ verb }) => verb === 'tool.apply');
const run = async (body: Record<string, unknown>, key = tenant.admin) =>
  await api.ask('POST', '/v1/tools/imports/openapi', {
    key,
    body: { document: DOCUMENT, options: { name: 'shop' }, ...body },
  });

test('an import sends the tools to the kernel in one request, and reports what was left out', async () => {
  const { status, json } = await run({ dry_run: true });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    title: 'Shop',
    server: 'https://shop.example',
    operations: [
      { operation: 'listOrders', tool_id: 'api.shop.listOrders', outcome: 'tool' },
      { operation: 'upload', tool_id: null, outcome: 'unusable' },
    ],
    problems: [{ pointer: '/paths/~1files/post/requestBody/content' }],
    applied: { valid: true },
  });
  expect(applied()).toMatchObject([
    { request: { dry_run: true, file: { http: [{ kind: 'http', tool_id: 'api.shop.listOrders' }] } } },
  ]);
});

test.each([
  ['an operation has a problem and the import is strict', { strict: true }],
  ['an option names no operation', { options: { name: 'shop', exclude: ['other'] } }],
  ['the document is none', { document: 'nothing' }],
])('nothing is registered where %s', async (_what, body) => {
  const { status, json } = await run(body);
  expect([status, json['applied']]).toEqual([200, null]);
  expect(applied()).toEqual([]);
});

test('only administrators import', async () => {
  expect((await run({}, tenant.agent)).status).toBe(403);
  expect(applied()).toEqual([]);
});

test.each(['include', 'exclude'])(
  "Writ's own document makes a tool of each operation, but for bodies of bytes and patterns that look around (%s)",
  async (part) => {
    // The whole document has more than one import may.
    const half = { [part]: ['list*', 'read*', 'download*'] };
    const { text } = await api.ask('GET', '/openapi.json', { key: tenant.admin });
    const options = { name: 'writ', server: 'https://writ.example', secrets: { apiKey: 'WRIT_KEY' }, ...half };
    const { json } = await run({ document: text, options, dry_run: true });
    const problems = json['problems'] as { message: string }[];
    const expected =
      /^a body of `application\/(?:octet-stream|x-tar)` can't be sent$|unsupported Perl syntax: `\(\?[=!]`$/;
    expect(problems.map(({ message }) => message).filter((message) => !expected.test(message))).toEqual([]);
    const operations = json['operations'] as { outcome: string }[];
    const tools = operations.filter(({ outcome }) => outcome === 'tool');
    expect(tools.length).toBeGreaterThan(40);
    expect(operations.filter(({ outcome }) => outcome !== 'excluded').length - problems.length).toBe(tools.length);
    expect(json['applied']).toMatchObject({ valid: true });
  },
);
