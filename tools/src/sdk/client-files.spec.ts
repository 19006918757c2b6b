// SPDX-License-Identifier: Apache-2.0
import { readApi } from './api-document.ts';
import { clientFilesOf } from './client-files.ts';
import { checkout } from '../setup.ts';
import { WITHOUT_METHOD } from './method-names.ts';
import { methodsOf } from './route-facts.ts';
import { typeOf } from './schema-type.ts';

test('the generated client matches the API: else run `node tools/with-node.mjs tools/src/sdk/main.ts`', async () => {
  for (const { path, text, made } of await clientFilesOf(checkout)) expect([path, text]).toEqual([path, made]);
});

test('every route has a method, but those of protocols with clients of their own', async () => {
  const api = await readApi(checkout);
  const methods = methodsOf(api);
  expect(methods.length).toBe(api.routes.length - WITHOUT_METHOD.size);
  const names = new Map(methods.map(({ group, name, route }) => [route.operationId, `${group}.${name}`]));
  // What users learn by heart: a rename here breaks their programs.
  expect(
    Object.fromEntries(
      [
        'listAgents',
        'readAgent',
        'readApprovalDiff',
        'issueToken',
        'deleteSession',
        'removeSecret',
        'listJobRuns',
        'readPublicKeys',
        'takeOwnPermit',
        'addRegistrarKey',
        'listPolicies',
        'readCheckpoint',
      ].map((id) => [id, names.get(id)]),
    ),
  ).toEqual({
    listAgents: 'agents.list',
    readAgent: 'agents.get',
    readApprovalDiff: 'approvals.getDiff',
    issueToken: 'capabilityTokens.issue',
    deleteSession: 'sessions.delete',
    removeSecret: 'secrets.delete',
    listJobRuns: 'jobs.listRuns',
    readPublicKeys: 'system.getPublicKeys',
    takeOwnPermit: 'permits.takeOwn',
    addRegistrarKey: 'registrarKeys.add',
    listPolicies: 'policies.list',
    readCheckpoint: 'log.getCheckpoint',
  });
});

test('two routes of one method stop the generator, and name both', async () => {
  const { routes, schemas } = await readApi(checkout);
  const agents = routes.find(({ operationId }) => operationId === 'readAgent')!;
  const twin = { ...agents, operationId: 'removeAgents', method: 'DELETE' };
  expect(() => methodsOf({ routes: [agents, twin, { ...twin, operationId: 'deleteAgent' }], schemas })).toThrow(
    '`removeAgents` and `deleteAgent` would both be the method `agents.delete`',
  );
});

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ anyOf: [{ const: 'a' }, { type: 'null' }] }, '"a" | null'],
  [{ enum: ['a', 'b'] }, '"a" | "b"'],
  [{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, 'readonly (string | null)[]'],
  [{ type: 'array', items: { type: 'array', items: { type: 'integer' } } }, 'readonly (readonly number[])[]'],
  [{ $ref: '#/components/schemas/Record' }, 'RecordEntry'],
  [{}, 'unknown'],
  [{ type: 'object', patternProperties: { '^.*$': { type: 'number' } } }, '{\n  [name: string]: number;\n}'],
  [
    { type: 'object', required: ['a'], properties: { a: { type: 'string', description: 'the */ end' }, 'b-c': {} } },
    '{\n  /** the *\\/ end */\n  a: string;\n  "b-c"?: unknown;\n}',
  ],
])('the type of %j is %s', (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});
