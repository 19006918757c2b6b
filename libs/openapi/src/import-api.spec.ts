// SPDX-License-Identifier: Apache-2.0
import { HttpTool } from '@writ/contract';
import { httpDefinition, httpToolProblems } from '@writ/http-tool';
import { Value } from 'typebox/value';
import { importApi } from './import-api.ts';
import type { ImportOptions } from './import-options.ts';
import { PETSTORE_30, SEARCH_31 } from './specs/documents.ts';

const OPTIONS: ImportOptions = {
  name: 'shop',
  server_variables: {},
  secrets: { api_key: 'SHOP_KEY', oauth: 'SHOP_TOKEN' },
  categories: {},
  idempotency_headers: {},
  include: [],
  exclude: [],
  deprecated: false,
  timeout_ms: 30_000,
};
const run = (document: unknown, more: Partial<ImportOptions> = {}) =>
  importApi(typeof document === 'string' ? document : JSON.stringify(document), { ...OPTIONS, ...more });
const toolOf = (imported: ReturnType<typeof run>, name: string) =>
  imported.tools.find(({ tool_id }) => tool_id === `api.shop.${name}`);
/** A document of one operation. */
const one = (operation: unknown, more: Record<string, unknown> = {}, path = '/x', method = 'get') => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  servers: [{ url: 'https://a.example' }],
  paths: { [path]: { [method]: { operationId: 'x', responses: {}, ...(operation as object) } } },
  ...more,
});
const problemOf = (document: unknown, more: Partial<ImportOptions> = {}) => {
  const { tools, problems } = run(document, more);
  expect(tools).toEqual([]);
  expect(problems).toHaveLength(1);
  return problems[0];
};

describe('an import of the pet store in OpenAPI 3.0', () => {
  it('names what becomes of each operation', () => {
    const { operations, problems, notes, server } = run(PETSTORE_30);
    expect(server).toBe('https://eu.outside.example/v2');
    expect(operations.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
      'listPets tool',
      'createPet tool',
      'showPet tool',
      'oldUpdate excluded',
      'delete_pets_by_petId tool',
      'uploadPhoto unusable',
    ]);
    expect(problems).toMatchObject([
      { pointer: '/paths/~1pets~1{petId}~1photo/post/requestBody/content', of: 'document' },
    ]);
    expect(notes).toMatchObject([{ pointer: '/paths/~1pets/get/parameters/3/in' }]);
  });

  it('makes documents that are tools, with definitions that refuse other arguments', () => {
    const { tools } = run(PETSTORE_30);
    for (const tool of tools) {
      expect(Value.Check(HttpTool, { ...tool, version: 1 })).toBe(true);
      expect(httpToolProblems(tool)).toEqual([]);
    }
    const [list] = tools;
    if (list === undefined) throw new Error('there is no tool');
    const { faults, requests } = httpDefinition({ ...list, version: 1 });
    expect(faults?.({ limit: 5, tags: ['a'] })).toEqual([]);
    expect(faults?.({ limit: 0 })).toMatchObject([{ pointer: '/limit' }]);
    expect(faults?.({ other: 1 })).not.toEqual([]);
    expect(requests?.({ tags: ['a b', 'c'], status: ['sold', 'pending'] })).toEqual([
      { method: 'GET', url: 'https://eu.outside.example/v2/pets?tags=a%20b&tags=c&status=sold,pending', purpose: '' },
    ]);
  });

  it('takes categories from methods, credentials from secrets, and converts schemas to JSON Schema', () => {
    const imported = run(PETSTORE_30);
    expect(imported.tools.map(({ method, category }) => [method, category])).toEqual([
      ['GET', 'read'],
      ['POST', 'write'],
      ['GET', 'read'],
      ['DELETE', 'admin'],
    ]);
    expect(toolOf(imported, 'showPet')?.credentials).toEqual([
      { in: 'header', name: 'x-api-key', prefix: '', secret: 'SHOP_KEY' },
    ]);
    expect(toolOf(imported, 'listPets')?.parameters).toMatchObject({
      properties: { limit: { exclusiveMinimum: 0, maximum: 100 }, 'X-Trace': { type: 'string' } },
      required: [],
      additionalProperties: false,
    });
    // What is sent has no `readOnly` members, and what comes no `writeOnly` ones. Recursion becomes a definition.
    expect(toolOf(imported, 'createPet')?.parameters).toMatchObject({
      properties: { body: { $ref: '#/$defs/Pet' } },
      required: ['body'],
      $defs: {
        Pet: {
          required: ['name'],
          properties: {
            name: { type: 'string', examples: ['Rex'] },
            nick: { type: ['string', 'null'] },
            parent: { $ref: '#/$defs/Pet' },
          },
        },
      },
    });
    expect(JSON.stringify(toolOf(imported, 'createPet')?.parameters)).not.toContain('"id"');
    expect(JSON.stringify(toolOf(imported, 'showPet')?.result)).not.toContain('password');
  });

  it.each([
    ['an override', { categories: { showPet: 'admin' } }, 'showPet', { category: 'admin' }],
    [
      'an idempotency header',
      { idempotency_headers: { createPet: 'Idempotency-Key' } },
      'createPet',
      { idempotency_header: 'Idempotency-Key' },
    ],
    ['a deprecated operation', { deprecated: true }, 'oldUpdate', { method: 'PUT' }],
    [
      'another server',
      { server: 'https://test.outside.example/' },
      'showPet',
      { server: 'https://test.outside.example' },
    ],
    ['a variable', { server_variables: { region: 'us' } }, 'showPet', { server: 'https://us.outside.example/v2' }],
  ] as const)('lets the importer decide: %s', (_what, more, name, expected) => {
    expect(toolOf(run(PETSTORE_30, more), name)).toMatchObject(expected);
  });

  it('imports what is included and not excluded, and names options that name nothing', () => {
    const ids = (more: Partial<ImportOptions>) => run(PETSTORE_30, more).tools.map(({ tool_id }) => tool_id);
    expect(ids({ include: ['list*', 'showPet'], exclude: ['showPet'] })).toEqual(['api.shop.listPets']);
    expect(run(PETSTORE_30, { exclude: ['listPet'] }).problems).toMatchObject([
      { pointer: '/options/exclude', of: 'options' },
      {},
    ]);
  });
});

describe('an import of OpenAPI 3.1', () => {
  it('reads OAuth 2, deepObject, delimiters, forms, clashing names and recursion', () => {
    const imported = run(SEARCH_31);
    expect(imported.problems).toEqual([]);
    const [search, form] = imported.tools;
    expect(search?.credentials).toEqual([
      { in: 'header', name: 'authorization', prefix: 'Bearer ', secret: 'SHOP_TOKEN' },
    ]);
    expect(search?.inputs.map(({ argument, style }) => `${argument} ${style}`)).toEqual([
      'filter deepObject',
      'ids pipeDelimited',
      'id_query form',
      'id_header simple',
    ]);
    expect(search?.result).toMatchObject({ $ref: '#/$defs/Tree', $defs: { Tree: {} } });
    expect(form).toMatchObject({ tool_id: 'api.shop.send_form', body: { media: 'application/x-www-form-urlencoded' } });
  });
});

describe('what can not be had exactly is a problem with its place:', () => {
  it.each([
    [
      'another document',
      one({ parameters: [{ $ref: 'https://b.example/p.json#/p' }] }),
      '/paths/~1x/get/parameters/0/$ref',
      'https://b.example/p.json',
    ],
    [
      'a reference to nothing',
      one({ parameters: [{ $ref: '#/components/parameters/p' }] }),
      '/paths/~1x/get/parameters/0/$ref',
      'hasn',
    ],
    [
      'a cookie that is required',
      one({ parameters: [{ name: 'c', in: 'cookie', required: true, schema: {} }] }),
      '/paths/~1x/get/parameters/0/in',
      'cookie',
    ],
    [
      'a list of lists in a query',
      one({
        parameters: [{ name: 'q', in: 'query', required: true, schema: { type: 'array', items: { type: 'array' } } }],
      }),
      '/paths/~1x/get/parameters/0/schema',
      'no style',
    ],
    [
      'a header that frames the message',
      one({ parameters: [{ name: 'Content-Length', in: 'header', required: true, schema: {} }] }),
      '/paths/~1x/get/parameters/0/name',
      'Content-Length',
    ],
    [
      'credentials without a secret',
      one(
        { security: [{ other: [] }] },
        { components: { securitySchemes: { other: { type: 'http', scheme: 'bearer' } } } },
      ),
      '/paths/~1x/get/security',
      'other',
    ],
    [
      'a scheme that is not offered',
      one({ security: [{ oauth: [] }] }, { components: { securitySchemes: { oauth: { type: 'mutualTLS' } } } }),
      '/paths/~1x/get/security',
      'oauth',
    ],
    [
      'a body of a GET',
      one({ requestBody: { required: true, content: { 'application/json': {} } } }),
      '/paths/~1x/get/requestBody',
      'GET',
    ],
    [
      'a dynamic reference',
      one({ requestBody: { content: { 'application/json': { schema: { $dynamicRef: '#x' } } } } }, {}, '/x', 'post'),
      '/paths/~1x/post/requestBody/content/application~1json/schema/$dynamicRef',
      '$dynamicRef',
    ],
    ['a path that leads upwards', one({}, {}, '/a/../b'), '/paths/~1a~1..~1b/get', 'path'],
    ['a path with an encoded slash', one({}, {}, '/a%2fb'), '/paths/~1a%2fb/get', 'path'],
    ['a path input without a parameter', one({}, {}, '/a/{b}'), '/paths/~1a~1{b}/get', 'path'],
    ['a method that is not sent', one({}, {}, '/x', 'trace'), '/paths/~1x/trace', 'TRACE'],
    [
      'another host of one operation',
      one({ servers: [{ url: 'https://b.example' }] }),
      '/paths/~1x/get/servers',
      'https://a.example',
    ],
    ['OpenAPI 2', { swagger: '2.0' }, '/swagger', '2.0'],
    ['OpenAPI 4', { openapi: '4.0.0' }, '/openapi', '3.0'],
    ['no TLS', one({}, { servers: [{ url: 'http://a.example' }] }), '/servers/0', 'https'],
    ['a relative server', one({}, { servers: [{ url: '/v1' }] }), '/servers/0', 'https'],
    [
      'two servers',
      one({}, { servers: [{ url: 'https://a.example' }, { url: 'https://b.example' }] }),
      '/servers',
      '2 servers',
    ],
    ['a user in a server', one({}, { servers: [{ url: 'https://u:p@a.example' }] }), '/servers/0', 'a.example'],
    ['text that is no document', 'a: [', '', 'YAML'],
    [
      'aliases of aliases',
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c]`,
      '',
      'alias',
    ],
  ])('%s', (_what, document, pointer, text) => {
    const problem = problemOf(document);
    expect(problem?.pointer).toBe(pointer);
    expect(problem?.message).toContain(text);
  });

  it('schemas that would grow without end', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `S${n}`,
        {
          type: 'object',
          properties: { a: { $ref: `#/components/schemas/S${n + 1}` }, b: { $ref: `#/components/schemas/S${n + 1}` } },
        },
      ]),
    );
    const document = one(
      { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } } },
      { components: { schemas: { ...schemas, S40: { type: 'string' } } } },
      '/x',
      'post',
    );
    const { tools } = run(document);
    expect(Object.keys((tools[0]?.parameters['$defs'] ?? {}) as object)).toHaveLength(41);
  });

  it('an operation whose arguments have a pattern that RE2 can not match', () => {
    const query = (pattern: string) =>
      one({ parameters: [{ name: 'a', in: 'query', schema: { type: 'string', pattern } }] });
    expect(problemOf(query('(?=a)'))).toMatchObject({
      pointer: '/paths/~1x/get',
      message: expect.stringContaining('parameters/properties/a/pattern') as unknown,
    });
    expect(run(query('^(a+)+$')).problems).toEqual([]);
  });

  it('two operations of one name', () => {
    const { problems, tools } = run({
      ...one({}),
      paths: {
        '/a': { get: { operationId: 'x y', responses: {} } },
        '/b': { get: { operationId: 'x/y', responses: {} } },
      },
    });
    expect([problems.length, tools.length]).toEqual([2, 0]);
  });
});
