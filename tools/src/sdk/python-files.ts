// SPDX-License-Identifier: Apache-2.0
// The generated part of the Python client: models of the API's schemas, facts about its routes, and their methods, once
// for programs that block and once for those that await.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readApi, type Api, type ApiRoute, type Schema } from './api-document.ts';
import type { ClientFile } from './client-files.ts';
import { jsonAnswersOf, methodsOf, type Method } from './route-facts.ts';
import { docOf, modelOf, pythonLiteralOf, pythonNameOf, pythonTypeOf, snakeOf } from './python-type.ts';
import { typeNameOf } from './schema-type.ts';

const FOLDER = 'sdk/python/src/writ';
const HEAD = [
  '# SPDX-License-Identifier: Apache-2.0',
  '# Generated from the API by `node tools/with-node.mjs tools/src/sdk/main.ts`.',
  'from __future__ import annotations',
  '',
];

/** The generated files of the Python client. */
export async function pythonFilesOf(checkout: string): Promise<ClientFile[]> {
  const api = await readApi(checkout);
  const methods = methodsOf(api);
  const made = {
    'models.py': modelsOf(api),
    '_generated/routes.py': routesOf(methods),
    '_generated/record_schema.py': recordSchemaOf(api),
    '_generated/groups.py': groupsOf(api, methods, BLOCKING),
    '_generated/async_groups.py': groupsOf(api, methods, AWAITED),
  };
  return Object.entries(made).map(([name, text]) => {
    const path = `${FOLDER}/${name}`;
    const file = join(checkout, path);
    return { path, text: existsSync(file) ? readFileSync(file, 'utf8') : '', made: text };
  });
}

const pascal = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
const bodyName = ({ operationId }: ApiRoute): string => `${pascal(operationId)}Body`;
const answerName = ({ operationId }: ApiRoute): string => `${pascal(operationId)}Answer`;

const undeclared = (name: string): never => {
  throw new Error(`\`${name}\` needs a name in the API's document`);
};

const bodySchemaOf = ({ requestBody }: ApiRoute): Schema | undefined =>
  requestBody?.content['application/json']?.schema;

/** An empty body has no model: an empty mapping says the same. */
const isEmpty = ({ $ref, properties }: Schema): boolean =>
  typeof $ref !== 'string' && typeof properties === 'object' && Object.keys(properties ?? {}).length === 0;

function answerSchemaOf(route: ApiRoute): Schema | undefined {
  const alternatives = jsonAnswersOf(route).flatMap((schema) => (schema['anyOf'] ?? [schema]) as Schema[]);
  const [first, ...others] = new Map(alternatives.map((one) => [JSON.stringify(one), one])).values();
  return first === undefined || others.length === 0 ? first : { anyOf: [first, ...others] };
}

/** Models first, and then the names that stand for several of them. */
function modelsOf({ routes, schemas }: Api): string {
  const own = routes.flatMap((route): [string, Schema | undefined][] => [
    [bodyName(route), bodySchemaOf(route)],
    [answerName(route), answerSchemaOf(route)],
  ]);
  const classes: string[] = [];
  const aliases = { values: [] as string[], models: [] as string[] };
  const declare = (name: string, schema: Schema): void => {
    classes.push(modelOf(name, schema, declare));
  };
  for (const [name, schema] of [...Object.entries(schemas), ...own]) {
    if (schema === undefined || typeof schema['$ref'] === 'string' || isEmpty(schema)) continue;
    const type = pythonTypeOf(schema, typeNameOf(name), declare);
    if (type === typeNameOf(name)) continue;
    const kind = /^(?:Annotated\[)?Literal\[/.test(type) ? 'values' : 'models';
    aliases[kind].push(
      [`${typeNameOf(name)}: TypeAlias = ${aliasedOf(type)}`, ...docOf(schema['description'], '')].join('\n'),
    );
  }
  return [
    ...HEAD,
    'from typing import Annotated, Any, Literal, TypeAlias, Union',
    '',
    'from pydantic import Field',
    '',
    'from ._model import OPEN, ApiObject',
    '',
    aliases.values.join('\n'),
    '',
    ...classes.map((text) => `\n${text}\n`),
    '',
    aliases.models.join('\n'),
    '',
  ].join('\n');
}

/** A union as a value: `|` between a model and None is one too, but not between texts. */
const aliasedOf = (type: string): string =>
  type.includes(' | ') && !type.startsWith('Annotated[') ? `Union[${type.split(' | ').join(', ')}]` : type;

const byGroup = (methods: readonly Method[]): [string, readonly Method[]][] =>
  [...Map.groupBy(methods, ({ group }) => group)].sort(([one], [other]) => (one < other ? -1 : 1));

const constantOf = ({ group, name }: Method): string => `${snakeOf(group)}__${snakeOf(name)}`.toUpperCase();

/** A route that may be sent twice without a key says so. */
type Facts = Method['facts'] & { readonly repeatable?: true };

function routesOf(methods: readonly Method[]): string {
  const rows = byGroup(methods).flatMap(([, own]) =>
    own.map((method) => {
      const { method: verb, path, answer, rest = [], body, keyed, repeatable }: Facts = method.facts;
      const more = [
        ...(rest.length === 0 ? [] : [`rest=(${rest.map((one) => `${JSON.stringify(one)}, `).join('')})`]),
        ...(body === undefined ? [] : [`body=${JSON.stringify(body)}`]),
        ...(keyed === undefined ? [] : [`keyed=${JSON.stringify(keyed)}`]),
        ...(repeatable === true ? ['repeatable=True'] : []),
      ];
      return `${constantOf(method)} = Route(${[JSON.stringify(verb), JSON.stringify(path), JSON.stringify(answer), ...more].join(', ')})`;
    }),
  );
  return [...HEAD, 'from .._requests import Route', '', ...rows, ''].join('\n');
}

/** The schema of a record, for the verifier of receipts. What only people read is left out. */
function recordSchemaOf({ schemas }: Api): string {
  const plain = JSON.parse(
    JSON.stringify(schemas['AuditRecord'], (name, value: unknown) => (name === 'description' ? undefined : value)),
  ) as Record<string, unknown>;
  if (JSON.stringify(plain).includes('"$ref"')) throw new Error('the schema of a record refers to others');
  const { properties, ...rest } = plain;
  const members = Object.entries(properties as Record<string, unknown>).map(
    ([name, schema]) => `        ${JSON.stringify(name)}: ${pythonLiteralOf(schema)},`,
  );
  return [
    ...HEAD,
    'from typing import Any',
    '',
    'RECORD_SCHEMA: dict[str, Any] = {',
    ...Object.entries(rest).map(([name, value]) => `    ${JSON.stringify(name)}: ${pythonLiteralOf(value)},`),
    '    "properties": {',
    ...members,
    '    },',
    '}',
    '',
  ].join('\n');
}

/** How methods look that block, and how those that are awaited. */
interface Flavour {
  readonly module: string;
  readonly prefix: string;
  readonly def: string;
  readonly wait: string;
}
const BLOCKING: Flavour = { module: '_shell', prefix: '', def: 'def', wait: '' };
const AWAITED: Flavour = { module: '_async_shell', prefix: 'Async', def: 'async def', wait: 'await ' };

function groupsOf(api: Api, methods: readonly Method[], flavour: Flavour): string {
  const groups = byGroup(methods);
  const { module, prefix } = flavour;
  const classes = groups.map(
    ([group, own]) =>
      `class ${prefix}${pascal(group)}Api(${prefix}Group):\n${own.map((one) => methodOf(api, one, flavour)).join('\n\n')}\n`,
  );
  const members = groups.flatMap(([group]) => [
    '    @cached_property',
    `    def ${snakeOf(group)}(self) -> ${prefix}${pascal(group)}Api:`,
    `        return ${prefix}${pascal(group)}Api(self._shell)`,
    '',
  ]);
  return [
    ...HEAD,
    'from collections.abc import Mapping',
    'from functools import cached_property',
    'from typing import Any, Union',
    '',
    'from .. import models',
    `from ..${module} import ${prefix}Download, ${prefix}Events, ${prefix}Group, ${prefix}Listed, ${prefix}Shell`,
    'from .._options import RequestOptions',
    'from . import routes',
    '',
    '',
    classes.join('\n\n'),
    '',
    `class ${prefix}ApiGroups:`,
    '    """The groups of all routes."""',
    '',
    `    def __init__(self, shell: ${prefix}Shell) -> None:`,
    '        self._shell = shell',
    '',
    ...members,
  ].join('\n');
}

/** A method: ids of the path, the body, and by their names those of the query and options. */
function methodOf(api: Api, method: Method, flavour: Flavour): string {
  const { name, route, facts } = method;
  const ids = [...route.path.matchAll(/\{([a-z_]+)\}/g)].map(([, id = '']) => id);
  const query = route.parameters.filter((one) => one.in === 'query');
  const parameters = [
    ...ids.map((id) => `${id}: ${idTypeOf(route, id)}`),
    ...(facts.body === undefined ? [] : [bodyParameterOf(route, facts.body)]),
    // What stands before it is named by its place alone.
    ...(ids.length === 0 && facts.body === undefined ? [] : ['/']),
    '*',
    ...query.map(({ name: one, schema, required }) => {
      const type = qualified(pythonTypeOf(schema, '', undeclared));
      return `${pythonNameOf(one)}: ${type}${required ? '' : ' | None = None'}`;
    }),
    'options: RequestOptions | None = None',
  ];
  const given = [
    `routes.${constantOf(method)}`,
    `(${ids.map((id) => `${id}, `).join('')})`,
    facts.body === undefined ? 'None' : 'body',
    `{${query.map(({ name: one }) => `${JSON.stringify(one)}: ${pythonNameOf(one)}`).join(', ')}}`,
    'options',
  ];
  const answer = answerOf(api, route, facts.answer, flavour);
  // Lists and streams are iterated, and nothing is sent before.
  const isSentAtOnce = facts.answer === 'json' || facts.answer === 'download';
  const [def, wait] = isSentAtOnce ? [flavour.def, flavour.wait] : ['def', ''];
  return [
    `    ${def} ${pythonNameOf(snakeOf(name)).replace(/^list_$/, 'list')}(self, ${parameters.join(', ')}) -> ${answer.type}:`,
    ...docOf([route.summary, route.description].filter(Boolean).join('. '), '        '),
    ...returning(answer.type, `${wait}self._${facts.answer}(${[...given, ...answer.more].join(', ')})`),
  ].join('\n');
}

/** A model has its type from here on. */
const returning = (type: string, value: string): string[] =>
  type.startsWith('models.') || type.startsWith('Union') || type.startsWith('dict')
    ? [`        answer: ${type} = ${value}`, '        return answer']
    : [`        return ${value}`];

/** A type of the models as other modules name it. */
const qualified = (type: string): string =>
  type.replaceAll(/\b[A-Z]\w*/g, (name) => (['Any', 'None', 'Union'].includes(name) ? name : `models.${name}`));

function bodyParameterOf(route: ApiRoute, kind: string): string {
  if (kind !== 'json') return 'body: bytes';
  const schema = bodySchemaOf(route) ?? {};
  const type = pythonTypeOf(schema, bodyName(route), () => undefined);
  const typed = isEmpty(schema) ? 'Mapping[str, Any]' : `${qualified(type)} | Mapping[str, Any]`;
  return route.requestBody?.required === true && !isEmpty(schema) ? `body: ${typed}` : `body: ${typed} | None = None`;
}

const idTypeOf = ({ parameters }: ApiRoute, id: string): string =>
  parameters.find((one) => one.in === 'path' && one.name === id)?.schema['type'] === 'integer' ? 'int' : 'str';

function answerOf(
  api: Api,
  route: ApiRoute,
  answer: Method['facts']['answer'],
  { prefix }: Flavour,
): { type: string; more: string[] } {
  const schema = answerSchemaOf(route);
  const type = schema === undefined ? 'Any' : qualified(pythonTypeOf(schema, answerName(route), () => undefined));
  const value = type.includes(' | ') ? `Union[${type.split(' | ').join(', ')}]` : type;
  switch (answer) {
    case 'list':
      return { type: `${prefix}Listed[${type}, ${itemTypeOf(api, type)}]`, more: [value] };
    case 'json':
      return { type, more: [value] };
    case 'download':
      return { type: `${prefix}Download`, more: [] };
    case 'events':
      return { type: `${prefix}Events`, more: [] };
  }
}

/** The type of the items of a page. */
function itemTypeOf({ schemas }: Api, page: string): string {
  const name = page.replace('models.', '');
  const items = (schemas[name]?.['properties'] as Record<string, Schema> | undefined)?.['items'];
  if (items === undefined) throw new Error(`the page \`${page}\` has no items`);
  return qualified(pythonTypeOf((items['items'] ?? {}) as Schema, `${name}ItemsItem`, () => undefined));
}
