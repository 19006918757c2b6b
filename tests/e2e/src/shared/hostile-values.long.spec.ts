// SPDX-License-Identifier: Apache-2.0
// Values of a wrong type and hostile ones, in every field of every body, every argument of every tool and every query.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { FAULTS, isFaultCode } from '@writ/contract';
import { eventually, type Answer, type JsonValue, type Observer, type SharedStack, type World } from '@writ/stack';
import { expectProblem, withTarget } from '../bad-input.ts';
import { ask, sample, urlOf, type Named, type Route, type Schema } from '../openapi.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
let observer: Observer;
let routes: readonly Route[];
withTarget((target) => {
  ({ stack, world, observer, routes } = target);
});

/**
 * All bodies of a route are sent at once, and some routes limit concurrency to a few: retries as `retry: later`
 * advises.
 */
async function whenUnderLimit<T extends Answer<JsonValue>>(ask: () => Promise<T>): Promise<T> {
  return await eventually('room for the request', async () => {
    const answer = await ask();
    return answer.body?.code === 'overloaded' ? null : answer;
  });
}

/** Every value that violates the schema's type, and hostile ones of the type. */
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

/** Every field of a schema, with its path. */
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

/** The value with another one at that path; missing parents are created. */
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

it('a wrong or hostile value in every field of every body gets a clear answer, and the log verifies', async () => {
  const bad: JsonValue[] = [];
  let [asked, called] = [0, 0];
  for (const route of routes.filter(({ body }) => body !== null)) {
    const api = ['createTenant', 'closeTenant', 'setTenantLimits', 'putTenantIdentityProvider'].includes(route.id)
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
          answer: await whenUnderLimit(() => api.request(route.method, urlOf(route, named()), body)),
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

it('a wrong or hostile value in every tool argument ends the call with a code and a record', async () => {
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
    const api = ['createTenant', 'closeTenant', 'setTenantLimits', 'putTenantIdentityProvider'].includes(route.id)
      ? world.admin.as(stack.keys.platformKey)
      : world.admin;
    const body = { ...sample(route.body!, named()), surprise: 1 };
    expectProblem(route.id, await api.request(route.method, urlOf(route, named()), body), ['request.malformed']);
  }
});

it('a wrong value of every query parameter is refused, or finds nothing', async () => {
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
