// SPDX-License-Identifier: Apache-2.0
import { FAULTS } from '@writ/contract';
import { ROUTES } from './routes.ts';
import { openTestApi } from '../specs/test-api.ts';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { ApiDocument } from '../edge/openapi/document.ts';
import { exampleOf } from '../edge/openapi/example-of.ts';
import type { RouteRow } from '../edge/requests/route.ts';
import { EXAMPLE_REQUESTS } from './example-requests.ts';
import { NAMED } from './named-schemas.ts';
import { WEBHOOK_MESSAGES } from './messages.ts';
import { TAGS } from './tags.ts';
import { runFinished } from '../store/fan-out-messages.ts';
import type { RunRow, SessionRow } from '../store/session-rows/sessions.ts';
import { WEBHOOK_KINDS } from '../store/webhooks/webhooks.ts';

type Json = Record<string, unknown>;
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Json;
}
interface Content {
  readonly schema?: Json;
  readonly example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly tags: string[];
  readonly parameters: Parameter[];
  readonly description: string;
  readonly requestBody?: { content: Record<string, Content> };
  readonly responses: Record<string, { description: string; headers?: Json; content?: Record<string, Content> }>;
  readonly security?: unknown[];
}

const document = JSON.parse(
  JSON.stringify(
    new ApiDocument('1.2.3', {
      ...{ routes: ROUTES, named: NAMED, tags: TAGS, messages: WEBHOOK_MESSAGES, examples: EXAMPLE_REQUESTS },
    }).json,
  ),
) as {
  openapi: string;
  info: Json;
  paths: Record<string, Record<string, Operation>>;
  security: unknown;
  tags: { name: string; description: string }[];
  webhooks: Record<string, { post: { summary: string; requestBody: { content: Record<string, Content> } } }>;
  components: { schemas: Record<string, Json>; headers: Record<string, Json>; securitySchemes: Record<string, Json> };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** An object that has every member. */
const anyMember: unknown = new Proxy({}, { get: () => 'x' });

/** Everything in a value, with the way to it. */
function* within(value: unknown, at = '#'): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  yield [at, value as Json];
  for (const [name, inner] of Object.entries(value)) yield* within(inner, `${at}/${name}`);
}

// The rules of OpenAPI 3.1.1 that a machine can hold against the document: https://spec.openapis.org/oas/v3.1.1
/** What has another form beside that of problems: readiness, and errors as clients of OAuth and MCP read them. */
const OTHERWISE: ReadonlySet<string> = new Set([
  'readReadiness 503',
  'issueAccessToken 400',
  'createDeviceAuthorization 400',
  ...['postMcp', 'postMcpWithToken'].flatMap((id) => [400, 404, 406, 415].map((status) => `${id} ${status}`)),
]);

describe('the document', () => {
  it('has its version, its title and what its tags and keys are', () => {
    expect(document).toMatchObject({
      openapi: '3.1.1',
      info: { title: 'Writ', version: '1.2.3' },
      security: [{ apiKey: [] }],
    });
    expect(document.components.securitySchemes).toMatchObject({ apiKey: { type: 'http', scheme: 'bearer' } });
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const { operation } of operations) expect(operation.tags.every((tag) => tags.has(tag))).toBe(true);
    const used = new Set(operations.flatMap(({ operation }) => operation.tags));
    expect([...tags].filter((tag) => !used.has(tag))).toEqual([]);
    for (const { description } of document.tags) expect(description).toMatch(/^[A-Z].{15,}\.$/);
  });

  it('names each operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(ROUTES.length);
  });

  it('declares exactly the parameters of each path as required, and no parameter twice', () => {
    for (const { path, operation } of operations) {
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect([path, declared.map(({ name }) => name).sort()]).toEqual([
        path,
        [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name).sort(),
      ]);
      expect(declared.every(({ required }) => required)).toBe(true);
      const names = operation.parameters.map((parameter) => `${parameter.in}/${parameter.name}`);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it('gives every operation an answer and every problem its shape', () => {
    for (const { operation } of operations) {
      const statuses = Object.keys(operation.responses);
      expect(statuses.every((status) => /^[2-5]\d\d$/.test(status))).toBe(true);
      expect(statuses.some((status) => status.startsWith('2'))).toBe(true);
      for (const [status, { description, content = {} }] of Object.entries(operation.responses)) {
        expect(description).not.toBe('');
        if (Number(status) < 400) continue;
        const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
        const isOtherwise = OTHERWISE.has(`${operation.operationId} ${status}`);
        expect([operation.operationId, status, isOtherwise ? { ...problem, ...content } : content]).toEqual([
          operation.operationId,
          status,
          isOtherwise ? { ...problem, 'application/json': expect.anything() } : problem,
        ]);
      }
      if (operation.security?.length === 0) continue;
      expect(statuses).toEqual(expect.arrayContaining(['401', '403', '429']));
      const shown = Object.entries(operation.responses).filter(([status]) => /^2|429/.test(status));
      for (const [, { headers = {} }] of shown)
        expect(Object.keys(headers)).toEqual(expect.arrayContaining(['RateLimit-Policy', 'RateLimit']));
    }
  });

  it('has no pattern that only one dialect of regular expressions reads', () => {
    const patterns = [...within(document)].flatMap(([at, { pattern }]) =>
      typeof pattern === 'string' && /\\[pu]|\(\?[<P]/i.test(pattern) ? [`${at}: ${pattern}`] : [],
    );
    expect(patterns).toEqual([]);
  });

  it('has no dangling references, and contains every named schema', () => {
    const names = new Set(Object.keys(document.components.schemas));
    const headers = Object.fromEntries(
      Object.keys(document.components.headers).map((name) => [`#/components/headers/${name}`, true]),
    );
    const referred = new Set<string>();
    for (const [at, { $ref: ref }] of within(document)) {
      if (typeof ref !== 'string' || Object.hasOwn(headers, ref)) continue;
      const name = /^#\/components\/schemas\/(\w+)$/.exec(ref)?.[1] ?? '';
      expect([at, names.has(name)]).toEqual([at, true]);
      referred.add(name);
    }
    expect([...names].filter((name) => !referred.has(name))).toEqual([]);
    expect([...names]).toEqual(expect.arrayContaining(Object.keys(NAMED)));
  });

  it('has a name for every object with members and every closed list, so that generated types have no numbers', () => {
    const inline = [...within(document)].filter(
      ([at, { properties, enum: values }]) =>
        !/^#\/components\/schemas\/\w+$/.test(at) &&
        !at.endsWith('/properties') &&
        ((typeof properties === 'object' && Object.keys(properties as Json).length > 0) ||
          (Array.isArray(values) && values.length > 1)),
    );
    expect(inline.map(([at]) => at)).toEqual([]);
    for (const name of Object.keys(document.components.schemas)) expect(name).toMatch(/^[A-Z][A-Za-z]+$/);
  });

  it('names a schema that occurs in several places by hand, since a place would name it by chance', () => {
    const places = new Map<string, Set<string>>();
    for (const [at, { $ref: ref }] of within(document)) {
      const name = /^#\/components\/schemas\/(\w+)$/.exec(String(ref))?.[1] ?? '';
      if (name !== '') places.set(name, (places.get(name) ?? new Set()).add(at.replace(/\/responses\/\d+\//, '/')));
    }
    const shared = [...places].filter(([name, at]) => at.size > 1 && !Object.hasOwn(NAMED, name));
    expect(shared.map(([name, at]) => [name, ...at])).toEqual([]);
  });

  it('has schemas of JSON Schema 2020-12 alone: known types, closed lists of required members, patterns that compile', () => {
    for (const [at, schema] of within(document.components.schemas)) {
      if (at.endsWith('/properties')) continue;
      const { type, required, properties, pattern, items, nullable, definitions } = schema;
      expect([at, nullable, definitions]).toEqual([at, undefined, undefined]);
      if (typeof type === 'string' && !at.endsWith('/type'))
        expect([at, ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'].includes(type)]).toEqual([
          at,
          true,
        ]);
      if (Array.isArray(required))
        expect([at, required.filter((name) => !Object.hasOwn((properties ?? {}) as object, String(name)))]).toEqual([
          at,
          [],
        ]);
      if (typeof pattern === 'string') expect(() => new RegExp(pattern, 'u')).not.toThrow();
      if (Array.isArray(items)) throw new Error(`\`${at}\` has a list of items`);
    }
  });

  it('has a section for every message that webhooks can receive, with the members that are sent', () => {
    expect(Object.keys(document.webhooks).sort()).toEqual([...WEBHOOK_KINDS, 'webhook.ping'].sort());
    const sent = runFinished(anyMember as RunRow, anyMember as SessionRow, 0);
    const { data } = JSON.parse(sent.body) as { data: Json };
    expect(Object.keys(data).sort()).toEqual(
      Object.keys(document.components.schemas['RunFinished']!['properties'] as Json).sort(),
    );
  });

  it('says of every operation what it does and who may call it', () => {
    for (const { operation } of operations)
      expect([operation.operationId, operation.description]).toEqual([
        operation.operationId,
        operation.security?.length === 0 ? 'Needs no key.' : expect.stringMatching(/^Roles: .+\.$/),
      ]);
  });

  it('has an example of each request, of each answer and of each message that has a schema', () => {
    const shown = (content: Record<string, Content> = {}): boolean[] =>
      Object.values(content).flatMap(({ schema, example }) => (schema === undefined ? [] : [example !== undefined]));
    for (const { operation } of operations) {
      const { operationId, requestBody, responses } = operation;
      const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const all = [...shown(requestBody?.content), ...answers.flatMap(([, { content }]) => shown(content))];
      expect([operationId, all.every(Boolean)]).toEqual([operationId, true]);
    }
    for (const [kind, { post }] of Object.entries(document.webhooks))
      expect([kind, shown(post.requestBody.content)]).toEqual([kind, [true]]);
  });

  it('has no example that its schema refuses, and none of a request that there is not', () => {
    const wrong = (id: string, schema: TSchema | undefined, example: unknown): unknown[] =>
      schema === undefined ? [] : Value.Errors(schema, example).map((error) => [id, error.instancePath, error.message]);
    for (const row of ROUTES as readonly RouteRow[]) {
      const { id, body, documentedBody, form, answers } = row;
      for (const schema of [body, documentedBody, form]) expect(wrong(id, schema, EXAMPLE_REQUESTS[id])).toEqual([]);
      for (const { schema } of Object.values(answers))
        expect(wrong(id, schema, schema && exampleOf(schema))).toEqual([]);
    }
    for (const [kind, { data }] of Object.entries(WEBHOOK_MESSAGES))
      expect(wrong(kind, data, exampleOf(data))).toEqual([]);
    const ids = new Set<string>(ROUTES.map(({ id }) => id));
    expect(Object.keys(EXAMPLE_REQUESTS).filter((id) => !ids.has(id))).toEqual([]);
  });

  it('describes every fault by its code', () => {
    for (const row of ROUTES)
      for (const code of row.faults ?? []) expect(FAULTS[code].status).toBeGreaterThanOrEqual(400);
  });
});

test('the pages show the document without resources of other hosts, under a policy that forbids them', async () => {
  const api = await openTestApi();
  const page = await api.ask('GET', '/docs/api');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  const parts = [...page.text.matchAll(/(?:src|href)="\.?\/?([^"]+)"/g)].map(([, path]) => path ?? '');
  expect(parts.length).toBeGreaterThan(3);
  for (const part of parts)
    expect([part, (await api.ask('GET', `/docs/api/${part.replace(/^api\//, '')}`)).status]).toEqual([part, 200]);
  expect((await api.ask('GET', '/docs/api/swagger-ui-init.js')).text).toContain('proposeToolCall');
  // The documentation site leads here with a slash at the end.
  expect((await api.ask('GET', '/docs/api/')).text).toContain('<title>Writ API</title>');
  expect((await api.ask('GET', '/docs/api/no-such-file.js')).json['code']).toBe('route.unknown');
  await api.close();
});

test('the public keys are those of the files', async () => {
  const api = await openTestApi();
  expect((await api.ask('GET', '/.well-known/writ-keys.json')).json).toEqual({
    record_keys: [{ keyid: 'k', jwk: { kty: 'OKP' } }],
    log_keys: ['writ.local+00000000+AAAA'],
  });
  api.readiness.add('kernel', () => {
    throw new Error('away');
  });
  expect(await api.ask('GET', '/readyz')).toMatchObject({
    status: 503,
    json: { ready: false, checks: { kernel: 'failed' } },
  });
  await api.close();
});
