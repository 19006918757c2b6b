// SPDX-License-Identifier: Apache-2.0
import { FAULTS } from '@writ/contract';
import { ROUTES } from './routes.ts';
import { openTestApi } from '../specs/test-api.ts';
import { ApiDocument } from '../edge/openapi/document.ts';
import { NAMED } from './named-schemas.ts';

type Json = Record<string, unknown>;
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Json;
}
interface Operation {
  readonly operationId: string;
  readonly tags: string[];
  readonly parameters: Parameter[];
  readonly requestBody?: { content: Record<string, { schema?: Json }> };
  readonly responses: Record<string, { description: string; content?: Record<string, { schema?: Json }> }>;
  readonly security?: unknown[];
}

const document = JSON.parse(JSON.stringify(new ApiDocument('1.2.3', ROUTES, NAMED).json)) as {
  openapi: string;
  info: Json;
  paths: Record<string, Record<string, Operation>>;
  security: unknown;
  tags: { name: string }[];
  components: { schemas: Record<string, Json>; securitySchemes: Record<string, Json> };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Everything in a value, with the way to it. */
function* within(value: unknown, at = '#'): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  yield [at, value as Json];
  for (const [name, inner] of Object.entries(value)) yield* within(inner, `${at}/${name}`);
}

// The rules of OpenAPI 3.1.1 that a machine can hold against the document: https://spec.openapis.org/oas/v3.1.1
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
        if (Number(status) >= 400 && !(operation.operationId === 'readReadiness' && status === '503')) {
          expect(content).toEqual({ 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } });
        }
      }
      if (operation.security?.length !== 0) expect(statuses).toEqual(expect.arrayContaining(['401', '403', '429']));
    }
  });

  it('has no dangling references, and contains every named schema', () => {
    const names = new Set(Object.keys(document.components.schemas));
    const referred = new Set<string>();
    for (const [at, { $ref: ref }] of within(document)) {
      if (typeof ref !== 'string') continue;
      const name = /^#\/components\/schemas\/(\w+)$/.exec(ref)?.[1] ?? '';
      expect([at, names.has(name)]).toEqual([at, true]);
      referred.add(name);
    }
    expect([...names].filter((name) => !referred.has(name))).toEqual([]);
    expect([...names].sort()).toEqual(Object.keys(NAMED).sort());
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
  expect((await api.ask('GET', '/docs/api/no-such-file.js')).json['code']).toBe('not_found');
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
