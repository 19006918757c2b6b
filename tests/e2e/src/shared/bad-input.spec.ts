// SPDX-License-Identifier: Apache-2.0
// What is wrong gets a clear answer with a code of the fault table, a record where it was a call, and harms nothing.
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { vi } from 'vitest';
import { FAULTS, isFaultCode } from '@writ/contract';
import {
  eventually,
  makeWorld,
  Observer,
  sharedStack,
  verifiedReceipt,
  type Answer,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';
import { ask, Document, sample, urlOf, type Named, type Route, type Schema } from '../openapi.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
let observer: Observer;
let routes: Route[];
let pids: Readonly<Record<string, number | null>>;

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n', 'c.txt': 'one\n' } });
  observer = new Observer(stack);
  routes = (await Document.of(world.admin)).routes;
  pids = stack.pids();
});
afterAll(async () => {
  await observer?.close();
});
afterEach(async () => {
  expect(stack.pids()).toEqual(pids);
  await liftFreezes();
  expect((await world.call('fs.read', { path: 'a.txt' })).body).toMatchObject({
    status: 'ok',
    result: { content: 'one\n' },
  });
});

/** All bodies of a route go at once, and some routes bound what is under way to a few: asks as `retry: later` says. */
async function whenThereIsRoom<T extends Answer<JsonValue>>(ask: () => Promise<T>): Promise<T> {
  return await eventually('room for the request', async () => {
    const answer = await ask();
    return answer.body?.code === 'overloaded' ? null : answer;
  });
}

/** A walk that sends every body sends one that stops everything. */
async function liftFreezes(): Promise<void> {
  const { items } = (await world.admin.get('/v1/freezes')).body;
  for (const { freeze_id, lifted_at } of items as { freeze_id: string; lifted_at: number | null }[])
    if (lifted_at === null) await world.admin.must(`/v1/freezes/${freeze_id}/lift`, {});
}

/** A clear answer: RFC 9457 with a code of the table and its status, and nothing from inside of a process. */
function expectProblem(
  what: string,
  { status, headers, body, text }: Answer<JsonValue>,
  codes?: readonly string[],
): void {
  const code = body?.code as unknown;
  const row = isFaultCode(code) ? FAULTS[code] : undefined;
  expect({
    what,
    status,
    type: headers.get('content-type'),
    isKnown: row !== undefined,
    isClients: status >= 400 && status < 500,
  }).toEqual({ what, status: row?.status ?? 'none', type: 'application/problem+json', isKnown: true, isClients: true });
  expect({ what, body }).toMatchObject({
    what,
    body: {
      type: `https://writ.dev/errors/${String(code)}`,
      title: expect.any(String),
      detail: expect.any(String),
      instance: expect.stringContaining('urn:writ:request:'),
    },
  });
  expect(text).not.toMatch(/\n\s+at |node_modules|\.ts:|\.js:|FST_|SELECT |relation "/);
  if (codes !== undefined)
    expect({ what, code, isExpected: codes.includes(String(code)) }).toEqual({ what, code, isExpected: true });
}

const callBody = (over: Record<string, unknown> = {}): Record<string, unknown> => ({
  tool_id: 'fs.write',
  args: { path: 'x.txt', content: 'x' },
  capability_token_id: world.tokenId,
  workspace_id: world.workspaceId,
  idempotency_key: randomUUID(),
  ...over,
});
const raw = (
  text: string | Uint8Array,
  path = '/v1/tool-calls',
  headers: Record<string, string> = {},
): Promise<Answer<JsonValue>> =>
  world.agent.request('POST', path, text, { 'content-type': 'application/json', ...headers });

describe("a body that isn't I-JSON never becomes an operation", () => {
  const text = (): string => JSON.stringify(callBody());
  const operations = () =>
    observer.rows('SELECT count(*) FROM kernel.operation WHERE tenant_id = $1', [world.tenantId]);
  const cases: readonly [string, () => string | Uint8Array, readonly string[]][] = [
    ['nothing', () => '', ['request.malformed']],
    ['half of it', () => text().slice(0, -20), ['request.malformed']],
    ['something after it', () => `${text()} x`, ['request.malformed']],
    ['no JSON', () => 'tool_id=fs.write', ['request.malformed']],
    ['a byte order mark', () => `\ufeff${text()}`, ['request.malformed']],
    ['an array', () => '[]', ['request.malformed']],
    ['a scalar', () => '42', ['request.malformed']],
    ['null', () => 'null', ['request.malformed']],
    ['a key twice', () => text().replace('{', '{"tool_id":"fs.read",'), ['request.malformed']],
    ['a key twice, deep', () => text().replace('"path":', '"path":"y.txt","path":'), ['request.malformed']],
    [
      'a key twice, once escaped',
      () => text().replace('"path":', '"p\\u0061th":"y.txt","path":'),
      ['request.malformed'],
    ],
    ['an unknown field', () => JSON.stringify(callBody({ surprise: 1 })), ['request.malformed']],
    ['`__proto__`', () => text().replace('{', '{"__proto__":{"tool_id":"fs.read"},'), ['request.malformed']],
    ['NUL', () => JSON.stringify(callBody({ args: { path: 'x.txt', content: 'a\0b' } })), ['request.malformed']],
    [
      'NUL in a key',
      () => JSON.stringify(callBody({ args: { path: 'x.txt', content: 'a', 'b\0': 1 } })),
      ['request.malformed'],
    ],
    ['a lone surrogate', () => text().replace('"x"', '"\\ud800"'), ['request.malformed']],
    ['a lone low surrogate', () => text().replace('"x"', '"\\udc00"'), ['request.malformed']],
    ['an unsafe integer', () => text().replace('"x"', '9007199254740993'), ['request.malformed']],
    ['an infinite number', () => text().replace('"x"', '1e999'), ['request.malformed']],
    [
      "bytes that aren't UTF-8",
      () => Buffer.concat([Buffer.from(text().slice(0, -2)), Buffer.from([0xff, 0xfe, 0x22, 0x7d])]),
      ['request.malformed'],
    ],
    ['UTF-16', () => Buffer.from(text(), 'utf16le'), ['request.malformed']],
    ['10,000 levels', () => text().replace('"x"', `${'['.repeat(10_000)}${']'.repeat(10_000)}`), ['request.malformed']],
    ['10,000 levels that never close', () => '['.repeat(10_000), ['request.malformed']],
    ['a million levels', () => '{"a":'.repeat(300_000), ['request.malformed']],
    [
      '33 levels of arguments',
      () => text().replace('"x"', `${'['.repeat(33)}${']'.repeat(33)}`),
      ['request.malformed'],
    ],
    [
      '10 MiB of arguments',
      () => text().replace('"x"', `"${'x'.repeat(10 * 1024 * 1024)}"`),
      ['request.too_large', 'args.too_large'],
    ],
    ['1.5 MiB of arguments', () => text().replace('"x"', `"${'x'.repeat(1.5 * 1024 * 1024)}"`), ['args.too_large']],
  ];

  it.each(cases)('%s', async (what, make, codes) => {
    const before = await operations();
    expectProblem(what, await raw(make()), codes);
    expect(await operations()).toEqual(before);
  });

  it('says where in the body it is', async () => {
    const { body } = await raw(JSON.stringify(callBody({ args: { path: 'x.txt', content: 'a\0b' } })));
    expect(body.pointer).toBe('/args/content');
  });
});

describe("a request that isn't one", () => {
  /** Sends bytes of one's own choosing as the request target. */
  const target = (path: string, method = 'GET'): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(stack.url);
      const sent = httpRequest(
        { hostname, port, path, method, headers: { authorization: `Bearer ${String(world.admin.key)}` } },
        (response) => {
          const parts: Buffer[] = [];
          response
            .on('data', (part: Buffer) => parts.push(part))
            .on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
        },
      );
      sent.on('error', reject).end();
    });

  it('gets 404, 405, 415 or 400 as a problem', async () => {
    expectProblem('unknown route', await world.admin.get('/v1/nothing-here'), ['not_found']);
    expectProblem('root', await world.admin.get('/'), ['not_found']);
    expectProblem('method', await world.admin.request('PATCH', '/v1/agents'), ['request.method_not_allowed']);
    expectProblem('media type', await raw('<call/>', '/v1/tool-calls', { 'content-type': 'application/xml' }), [
      'request.unsupported_media_type',
    ]);
    expectProblem('form', await raw('a=b', '/v1/tool-calls', { 'content-type': 'application/x-www-form-urlencoded' }), [
      'request.unsupported_media_type',
    ]);
    expectProblem('unknown query', await world.admin.get('/v1/operations?surprise=1'), ['request.malformed']);
    expectProblem('query twice', await world.admin.get('/v1/operations?limit=1&limit=2'), ['request.malformed']);
    expectProblem('limit', await world.admin.get('/v1/operations?limit=201'), ['request.malformed']);
    expectProblem('cursor', await world.admin.get('/v1/operations?cursor=%00'), ['request.malformed']);
    expectProblem(
      'made-up cursor',
      await world.admin.get(`/v1/operations?cursor=${Buffer.from('{"at":"x"}').toString('base64url')}`),
      ['request.malformed'],
    );
    expectProblem(
      'keys that differ',
      await world.agent.post('/v1/tool-calls', callBody(), { 'idempotency-key': 'other' }),
      ['request.malformed'],
    );
    for (const path of [
      '/v1/agents/%',
      '/v1/agents/%zz',
      '/v1/agents/%00',
      '/v1/agents/%ff',
      `/v1/workspaces/${world.workspaceId}/files/%00`,
      `/v1/workspaces/${world.workspaceId}/files/a%ff`,
      '//v1/agents',
      '/v1//agents',
      `/v1/agents/${'a'.repeat(10_000)}`,
    ]) {
      const { status, text } = await target(path);
      expect({
        path: path.slice(0, 60),
        is4xx: status >= 400 && status < 500,
        code: isFaultCode((JSON.parse(text || '{}') as JsonValue).code),
      }).toEqual({ path: path.slice(0, 60), is4xx: true, code: true });
    }
  });

  it('a client that goes away in the middle of a body harms nobody', async () => {
    const { hostname, port } = new URL(stack.url);
    await new Promise<void>((resolve) => {
      const sent = httpRequest({
        hostname,
        port,
        path: '/v1/tool-calls',
        method: 'POST',
        headers: {
          authorization: `Bearer ${String(world.agent.key)}`,
          'content-type': 'application/json',
          'content-length': '1000',
        },
      });
      sent.on('error', () => resolve()).on('close', () => resolve());
      sent.write('{"tool_id":', () => sent.destroy());
    });
  });
});

/** Everything that isn't of the schema's type, and what is hostile within it. */
const WRONG: Readonly<Record<string, JsonValue>> = {
  null: null,
  boolean: true,
  number: 1.5,
  negative: -1,
  huge: 9_000_000_000_000_000,
  string: 'x',
  empty: '',
  array: [],
  object: {},
  nested: [[{}]],
  sql: `'; DROP TABLE kernel.operation; --`,
  escape: '\u001b[2J\u0007',
  controls: 'a\u0001\u001f\u007f\u0085',
  newline: 'a\r\nX-Evil: 1',
  bidi: '\u202e\u2066evil',
  path: '../../etc/passwd',
  percent: '%00%2e%2e',
  template: '${jndi:ldap://127.0.0.1/x}{{7*7}}',
  prototype: '__proto__',
  long: 'x'.repeat(10_000),
  emoji: '\u{1f4a9}'.repeat(200),
  subject: 'writ.>',
};

interface Field {
  readonly at: readonly string[];
  readonly schema: Schema;
}

/** Every field of a schema, with the way to it. */
function fieldsOf(schema: Schema, at: readonly string[] = []): Field[] {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const items = schema['items'] as Schema | undefined;
  return [
    ...(at.length === 0 ? [] : [{ at, schema }]),
    ...properties.flatMap(([name, inner]) => fieldsOf(inner, [...at, name])),
    ...(items === undefined ? [] : fieldsOf(items, [...at, '0'])),
    ...((schema['anyOf'] ?? []) as Schema[])
      .filter((inner) => inner['properties'] !== undefined)
      .flatMap((inner) => fieldsOf(inner, at).slice(1)),
  ];
}

/** The value with another one in that place; the way there is made where it is missing. */
function withValue(value: JsonValue, [first, ...rest]: readonly string[], put: JsonValue, schema: Schema): JsonValue {
  if (first === undefined) return put;
  const isList = schema['type'] === 'array';
  const inner = ((isList ? schema['items'] : (schema['properties'] as Record<string, Schema> | undefined)?.[first]) ??
    {}) as Schema;
  const there = (value ?? {})[first] as JsonValue | undefined;
  const next = withValue(there === undefined && rest.length > 0 ? sample(inner, named()) : there, rest, put, inner);
  return isList ? [next] : { ...value, [first]: next };
}

const named = (): Named => ({
  agent_id: world.agentId,
  capability_token_id: world.tokenId,
  workspace_id: world.workspaceId,
  operation_id: 'op_00000000000000000000000000',
  approval_id: 'apr_00000000000000000000000000',
  api_key_id: 'key_00000000000000000000000000',
  name: 'sample',
  role: 'auditor',
  tool_id: 'fs.read',
  args: { path: 'a.txt' },
  idempotency_key: randomUUID(),
  dialect: 'blocks',
  output: '[TOOL_CALL:a] {"action":"fs.list"}',
  session_id: 'ses_00000000000000000000000000',
  run_id: 'run_00000000000000000000000000',
  job_id: 'job_00000000000000000000000000',
  cron: '@yearly',
  time_zone: 'UTC',
  tools: [],
  conversation: 'fresh',
  turn_id: 'sample',
  files: [{ path: 'b.txt', content: 'x' }],
  path: 'b.txt',
  at: '2999-01-01T00:00:00Z',
  container_id: '0'.repeat(32),
  sandbox: 'sample',
  profile: 'sample',
  skill: 'sample',
  shells: ['Bash'],
  limits: { wall_ms: 1_000, memory_bytes: 67_108_864 },
  keyid: '0'.repeat(43),
  public_key: { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) },
  files_max: 1_000_000,
  bytes_max: 1_000_000_000_000,
  grant: {
    tools: ['fs.read'],
    fs: [{ path: '', read: true, write: false }],
    net: [],
    secrets: [],
    budgets: {},
    not_before: 0,
    expires_at: Date.now() + 3_600_000,
  },
});

it('a wrong or hostile value in every field of every body gets a clear answer, and the log of it is whole', async () => {
  const bad: JsonValue[] = [];
  let [asked, called] = [0, 0];
  for (const route of routes.filter(({ body }) => body !== null)) {
    const api = ['createTenant', 'setTenantLimits'].includes(route.id)
      ? world.admin.as(stack.keys.platformKey)
      : world.admin;
    const isCall = route.id === 'proposeToolCall';
    const own = (): JsonValue =>
      isCall
        ? { agent_id: world.agentId, idempotency_key: randomUUID() }
        : route.id === 'runTurn'
          ? { agent_id: world.agentId, turn_id: randomUUID() }
          : {};
    const whole = (): JsonValue => ({ ...sample(route.body!, named()), ...own() });
    for (const { at } of fieldsOf(route.body!)) {
      const bodies = Object.entries(WRONG).map(([what, value]) => ({
        what,
        body: withValue(whole(), at, value, route.body!),
      }));
      const answers = await Promise.all(
        bodies.map(async ({ what, body }) => ({
          what,
          answer: await whenThereIsRoom(() => api.request(route.method, urlOf(route, named()), body)),
        })),
      );
      for (const { what, answer } of answers) {
        asked += 1;
        const { status, body, text } = answer;
        const isAnswered =
          status < 300
            ? true
            : status < 500 && isFaultCode(body?.code) && FAULTS[body.code as keyof typeof FAULTS].status === status;
        const leaks = /\n\s+at |node_modules|relation "|syntax error/.test(text);
        if (!isAnswered || leaks)
          bad.push({ route: route.id, at: at.join('/'), what, status, text: text.slice(0, 300) });
        if (isCall && status === 200) called += 1;
      }
    }
  }
  expect(bad).toEqual([]);
  expect(asked).toBeGreaterThan(500);
  expect(called).toBeGreaterThan(0);
  await expectAllRecorded();
});

async function expectAllRecorded(): Promise<void> {
  await observer.untilLogged(undefined, world.tenantId);
  const unrecorded = `SELECT operation_id FROM kernel.operation o WHERE tenant_id = $1
    AND NOT EXISTS (SELECT 1 FROM ledger.leaf l WHERE l.record_id = o.decision_record_id)`;
  expect(await observer.rows(unrecorded, [world.tenantId])).toEqual([]);
}

it('a wrong or hostile value in every argument of every tool ends the call with a code and a record', async () => {
  const tools = (await world.agent.get('/v1/tools')).body.items as { tool_id: string; parameters: Schema }[];
  const whole: Named = {
    path: 'c.txt',
    content: 'x',
    command: 'true',
    pattern: 'x',
    find: 'one',
    replace: 'one',
    edits: [{ find: 'one', replace: 'one' }],
  };
  const bad: JsonValue[] = [];
  for (const { tool_id, parameters } of tools) {
    for (const { at } of fieldsOf(parameters)) {
      const answers = await Promise.all(
        Object.entries(WRONG).map(async ([what, value]) => ({
          what,
          answer: await world.call(tool_id, withValue(sample(parameters, whole), at, value, parameters)),
        })),
      );
      for (const {
        what,
        answer: { status, body, text },
      } of answers) {
        const isEnded = status === 200 && (body.status === 'ok' || isFaultCode(body.error?.code));
        const isHeld = status === 202 && body.state === 'held';
        if (!isEnded && !isHeld) bad.push({ tool_id, at: at.join('/'), what, status, text: text.slice(0, 300) });
      }
    }
  }
  expect(bad).toEqual([]);
  await expectAllRecorded();
});

it('an unknown field on every object of every body is refused', async () => {
  for (const route of routes.filter(({ body }) => body !== null)) {
    const api = ['createTenant', 'setTenantLimits'].includes(route.id)
      ? world.admin.as(stack.keys.platformKey)
      : world.admin;
    const body = { ...sample(route.body!, named()), surprise: 1 };
    expectProblem(route.id, await api.request(route.method, urlOf(route, named()), body), ['request.malformed']);
  }
});

it('a wrong value of every query parameter is refused, or found nothing with', async () => {
  for (const route of routes.filter(({ method }) => method === 'GET')) {
    for (const parameter of route.parameters.filter((one) => one.in === 'query')) {
      for (const value of [
        WRONG['sql'],
        WRONG['controls'],
        WRONG['long'],
        WRONG['emoji'],
        '-1',
        '',
        '9'.repeat(30),
        '\0',
      ] as string[]) {
        const answer = await ask(world.admin, route, named(), { [parameter.name]: value });
        if (answer.status >= 300) expectProblem(`${route.id} ${parameter.name}`, answer);
      }
    }
  }
});

describe('a path that leads out of the workspace is refused, with a record', () => {
  const PATHS = [
    '../x',
    '..',
    'a/../../x',
    './../x',
    '/etc/passwd',
    '//etc/passwd',
    '/workspace/../etc/passwd',
    '/workspacex',
    'a\\..\\..\\x',
    'a/./b',
    'a//b',
    'a/',
    '~/x',
    '',
    ' ',
    'x'.repeat(5000),
    `${'d/'.repeat(2000)}x`,
    'nul\u0001',
    '\u202etxt',
  ];
  const TOOLS: readonly [string, (path: string) => JsonValue][] = [
    ['fs.read', (path) => ({ path })],
    ['fs.write', (path) => ({ path, content: 'x' })],
    ['fs.edit', (path) => ({ path, edits: [{ find: 'a', replace: 'b' }] })],
    [
      'fs.edit_files',
      (path) => ({
        files: [
          { path: 'src/a.txt', edits: [{ find: 'one', replace: 'x' }] },
          { path, edits: [{ find: 'a', replace: 'b' }] },
        ],
      }),
    ],
    ['fs.list', (path) => ({ path })],
    ['fs.search', (path) => ({ pattern: 'x', path })],
    ['shell.run', (cwd) => ({ command: 'true', cwd })],
  ];

  it.each(TOOLS)('%s', async (tool, args) => {
    for (const path of PATHS) {
      const { status, body } = await world.call(tool, args(path));
      const isFine = body?.status === 'ok';
      // A path may be odd and still inside; then the call is answered like any other.
      expect({ path: path.slice(0, 40), status, code: isFine || isFaultCode(body.error?.code) }).toEqual({
        path: path.slice(0, 40),
        status: 200,
        code: true,
      });
      if (/(^|\/)\.\.(\/|$)|^\/(?!workspace(\/|$))/.test(path)) {
        expect({ path, code: body.error.code }).toEqual({ path, code: 'path.escape' });
        const { record } = await verifiedReceipt(stack, world, body.operation_id as string);
        expect(record).toMatchObject({ verdict: 'refused', tool_id: tool });
      }
    }
  });

  it('an absolute path below /workspace is the same as the relative one', async () => {
    expect((await world.call('fs.read', { path: '/workspace/a.txt' })).body.result.content).toBe('one\n');
  });

  it('a file route refuses it too', async () => {
    for (const path of ['%2e%2e/x', 'a/%2e%2e/%2e%2e/x', '%2Fetc/passwd', 'a%00b', 'a%5c..%5cx']) {
      for (const [method, headers] of [
        ['GET', {}],
        ['PUT', { 'content-type': 'application/octet-stream' }],
        ['DELETE', {}],
      ] as const) {
        const answer = await world.admin.request(
          method,
          `/v1/workspaces/${world.workspaceId}/files/${path}`,
          method === 'PUT' ? new Uint8Array([1]) : undefined,
          headers,
        );
        if (answer.status >= 300) expectProblem(`${method} ${path}`, answer);
        else expect({ path, method }).toEqual({ path: 'a%5c..%5cx', method });
      }
    }
  });

  it('a symlink that a command made is followed inside the workspace only, by no tool out of it', async () => {
    const made = await world.call('shell.run', {
      command:
        'mkdir -p links; cd links; ln -s /etc/passwd abs; ln -s ../../../etc/passwd rel; ln -s /proc/self/environ proc; ln -s ../a.txt fine; ln -s loop loop; ln -s / root; ln -s nowhere dangling',
    });
    expect(made.body).toMatchObject({ tx_outcome: 'committed' });
    for (const link of ['abs', 'rel', 'proc', 'loop', 'root/etc/passwd', 'dangling']) {
      for (const [tool, args] of TOOLS.slice(0, 3)) {
        const { status, body } = await world.call(tool, args(`links/${link}`));
        const isHarmless = tool === 'fs.write' && link === 'dangling';
        expect({ tool, link, status, said: body.status }).toEqual({
          tool,
          link,
          status: 200,
          said: isHarmless ? body.status : 'error',
        });
        if (body.status === 'error')
          expect({ tool, link, known: isFaultCode(body.error.code) }).toEqual({ tool, link, known: true });
        expect(JSON.stringify(body)).not.toContain('root:');
      }
    }
    expect((await world.call('fs.read', { path: 'links/fine' })).body).toMatchObject({
      status: 'ok',
      result: { content: 'one\n' },
    });
    // A command sees its own container's files through such a link, and nothing of the host's.
    const { body } = await world.call('shell.run', { command: 'cat links/proc | tr "\\0" "\\n"' });
    expect(JSON.stringify(body)).not.toContain('WRIT_');
  });
});
