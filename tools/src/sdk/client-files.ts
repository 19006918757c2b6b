// SPDX-License-Identifier: Apache-2.0
// The generated part of the TypeScript client: types of the API's schemas, facts about its routes, and their methods.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readApi, type Api, type ApiRoute, type Schema } from './api-document.ts';
import { jsonAnswersOf, methodsOf, type Method } from './route-facts.ts';
import { commentOf, objectTypeOf, typeNameOf, typeOf } from './schema-type.ts';

const FOLDER = 'libs/client/src/generated';
const HEAD =
  '// SPDX-License-Identifier: Apache-2.0\n// Generated from the API by `node tools/with-node.mjs tools/src/sdk/main.ts`.\n';

/** A generated file: what it is, and what it should be. */
export interface ClientFile {
  readonly path: string;
  readonly text: string;
  readonly made: string;
}

/** The generated files of the client. */
export async function clientFilesOf(checkout: string): Promise<ClientFile[]> {
  const api = await readApi(checkout);
  const methods = methodsOf(api);
  const made = { 'types.ts': typesOf(api), 'routes.ts': routesOf(methods), 'api-groups.ts': groupsOf(methods) };
  return Object.entries(made).map(([name, text]) => {
    const path = `${FOLDER}/${name}`;
    const file = join(checkout, path);
    return { path, text: existsSync(file) ? readFileSync(file, 'utf8') : '', made: text };
  });
}

const pascal = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** The names of a route's own types. */
const bodyName = ({ operationId }: ApiRoute): string => `${pascal(operationId)}Body`;
const queryName = ({ operationId }: ApiRoute): string => `${pascal(operationId)}Query`;
const answerName = ({ operationId }: ApiRoute): string => `${pascal(operationId)}Answer`;

const bodySchemaOf = ({ requestBody }: ApiRoute): Schema | undefined =>
  requestBody?.content['application/json']?.schema;

function typesOf({ routes, schemas }: Api): string {
  const named = Object.entries(schemas).map(([name, schema]) => declared(typeNameOf(name), schema));
  const own = routes.flatMap(ownSchemasOf).flatMap(([name, schema]) => {
    // What a schema of the API is called like already is that schema.
    if (typeOf(schema) === name) return [];
    if (schemas[name] !== undefined) throw new Error(`the schema \`${name}\` has the name of another type of a route`);
    return [declared(name, schema)];
  });
  return `${HEAD}\n${[...named, ...own].join('\n\n')}\n`;
}

/** A route's query, body and answer by the names of their types. */
function ownSchemasOf(route: ApiRoute): [string, Schema][] {
  const query = querySchemaOf(route);
  const [body, answers] = [bodySchemaOf(route), jsonAnswersOf(route)];
  return [
    ...(query === null ? [] : [[queryName(route), query] as [string, Schema]]),
    ...(body === undefined ? [] : [[bodyName(route), body] as [string, Schema]]),
    ...answers
      .slice(0, 1)
      .map((first): [string, Schema] => [answerName(route), answers.length === 1 ? first : { anyOf: answers }]),
  ];
}

function declared(name: string, schema: Schema): string {
  const comment = commentOf(schema['description']);
  const isObject = schema['type'] === 'object' && schema['properties'] !== undefined;
  const type = isObject ? `interface ${name} ${objectTypeOf(schema, 0)}` : `type ${name} = ${typeOf(schema)};`;
  return `${comment === '' ? '' : `${comment}\n`}export ${type}`;
}

function querySchemaOf({ parameters }: ApiRoute): Schema | null {
  const query = parameters.filter((one) => one.in === 'query');
  if (query.length === 0) return null;
  return {
    type: 'object',
    properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    required: query.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

const byGroup = (methods: readonly Method[]): [string, readonly Method[]][] =>
  [...Map.groupBy(methods, ({ group }) => group)].sort(([one], [other]) => (one < other ? -1 : 1));

function routesOf(methods: readonly Method[]): string {
  const groups = byGroup(methods).map(([group, own]) => {
    const rows = own.map(({ name, facts }) => `    ${name}: ${literalOf(facts)},`);
    return `  ${group}: {\n${rows.join('\n')}\n  },`;
  });
  return `${HEAD}import type { RouteFacts } from '../route-facts.ts';\n\n/** The routes of each group, by the names of their methods. */\nexport const ROUTES = {\n${groups.join('\n')}\n} as const satisfies Readonly<Record<string, Readonly<Record<string, RouteFacts>>>>;\n`;
}

const literalOf = (facts: object): string =>
  `{ ${Object.entries(facts)
    .map(([name, value]) => `${name}: ${JSON.stringify(value).replaceAll('"', "'")}`)
    .join(', ')} }`;

function groupsOf(methods: readonly Method[]): string {
  const groups = byGroup(methods);
  const interfaces = groups.map(
    ([group, own]) => `export interface ${pascal(group)}Api {\n${own.map(signatureOf).join('\n')}\n}`,
  );
  const members = groups.map(([group]) => `  readonly ${group}: ${pascal(group)}Api;`);
  const bound = groups.map(([group]) => `    this.${group} = bind('${group}') as ${pascal(group)}Api;`);
  const types = [...new Set(methods.flatMap(({ route }) => ownTypesOf(route)))].sort();
  return [
    HEAD.trimEnd(),
    "import type { Download, Listed, ServerEvent } from '../answers.ts';",
    "import type { RequestOptions } from '../options.ts';",
    `import type {\n${types.map((name) => `  ${name},`).join('\n')}\n} from './types.ts';`,
    '',
    interfaces.join('\n\n'),
    '',
    '/** The groups of all routes. */',
    `export abstract class ApiGroups {\n${members.join('\n')}\n`,
    '  constructor(bind: (group: GroupName) => unknown) {',
    `${bound.join('\n')}\n  }\n}`,
    '',
    `export type GroupName =\n${groups.map(([group]) => `  | '${group}'`).join('\n')};`,
    '',
  ].join('\n');
}

const ownTypesOf = (route: ApiRoute): string[] => [
  ...(querySchemaOf(route) === null ? [] : [queryName(route)]),
  ...(bodySchemaOf(route) === undefined ? [] : [bodyName(route)]),
  ...(jsonAnswersOf(route).length === 0 ? [] : [answerName(route)]),
];

/** A method: ids of the path, the body, the query, options. */
function signatureOf({ name, route, facts }: Method): string {
  const ids = [...route.path.matchAll(/\{([a-z_]+)\}/g)].map(([, id = '']) => `${id}: ${idTypeOf(route, id)}`);
  const body = facts.body === undefined ? [] : [bodyParameter(route, facts.body)];
  const query = querySchemaOf(route);
  const isNeeded = ((query?.['required'] ?? []) as readonly string[]).length > 0;
  const queries = query === null ? [] : [`query${isNeeded ? '' : '?'}: ${queryName(route)}`];
  const parameters = inOrder([...ids, ...body, ...queries, 'options?: RequestOptions']);
  return `  ${commentOf([route.summary, route.description].filter(Boolean).join('. '))}\n  ${name}(${parameters.join(', ')}): ${returnOf(route, facts.answer)};`;
}

function bodyParameter(route: ApiRoute, kind: string): string {
  if (kind !== 'json') return 'body: Uint8Array';
  return `body${route.requestBody?.required === true ? '' : '?'}: ${bodyName(route)}`;
}

/** Before a parameter that is needed, all are. */
const inOrder = (parameters: readonly string[]): string[] => {
  const last = parameters.findLastIndex((one) => !one.includes('?: '));
  return parameters.map((one, place) => {
    if (place > last) return one;
    return /^\w+\?: /.test(one) ? `${one.replace('?: ', ': ')} | undefined` : one;
  });
};

const idTypeOf = ({ parameters }: ApiRoute, id: string): string =>
  parameters.find((one) => one.in === 'path' && one.name === id)?.schema['type'] === 'integer' ? 'number' : 'string';

function returnOf(route: ApiRoute, answer: Method['facts']['answer']): string {
  switch (answer) {
    case 'list':
      return `Listed<${answerName(route)}>`;
    case 'json':
      return `Promise<${jsonAnswersOf(route).length === 0 ? 'unknown' : answerName(route)}>`;
    case 'download':
      return 'Promise<Download>';
    case 'events':
      return 'AsyncIterable<ServerEvent>';
  }
}
