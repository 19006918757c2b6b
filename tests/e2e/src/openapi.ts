// SPDX-License-Identifier: Apache-2.0
// Reads the API's own document as a third party would, so that tests cover a new route or field without being changed.
import type { Api, JsonValue } from '@writ/stack';

export type Schema = Readonly<Record<string, JsonValue>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Route {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly isPublic: boolean;
  readonly parameters: readonly Parameter[];
  /** of the JSON body, with every reference resolved; null where there is none */
  readonly body: Schema | null;
  /** the media type of a binary body; null where there is none */
  readonly binaryMediaType: string | null;
  readonly statuses: readonly number[];
  /** the example of the JSON body or of the form; null where there is none */
  readonly example: JsonValue;
  /** JSON schemas of answers that aren't problems, with every reference resolved, by status */
  readonly answers: Readonly<Record<string, Schema>>;
}

export class Document {
  readonly #document: JsonValue;

  constructor(document: JsonValue) {
    this.#document = document;
  }

  static async of(api: Api): Promise<Document> {
    const { status, body } = await api.get('/openapi.json');
    if (status !== 200) throw new Error(`/openapi.json answered ${status}`);
    return new Document(body);
  }

  get routes(): Route[] {
    return Object.entries(this.#document.paths as Record<string, JsonValue>).flatMap(([path, item]) =>
      Object.entries(item as Record<string, JsonValue>).map(([method, row]) => ({
        id: row.operationId as string,
        method: method.toUpperCase(),
        path,
        isPublic: Array.isArray(row.security) && row.security.length === 0,
        parameters: ((row.parameters ?? []) as Parameter[]).map((parameter) => ({
          ...parameter,
          schema: this.#resolved(parameter.schema),
        })),
        body:
          row.requestBody?.content?.['application/json'] === undefined
            ? null
            : this.#resolved(row.requestBody.content['application/json'].schema as Schema),
        binaryMediaType:
          ['application/octet-stream', 'application/x-tar'].find(
            (media) => row.requestBody?.content?.[media] !== undefined,
          ) ?? null,
        statuses: Object.keys(row.responses as object).map(Number),
        example: Object.values((row.requestBody?.content ?? {}) as Record<string, JsonValue>)[0]?.example ?? null,
        answers: this.#answersOf(row),
      })),
    );
  }

  #answersOf(row: JsonValue): Record<string, Schema> {
    const shown = Object.entries(row.responses as Record<string, JsonValue>).flatMap(([status, { content }]) => {
      const schema = (content as JsonValue | undefined)?.['application/json']?.schema as Schema | undefined;
      return schema === undefined ? [] : [[status, this.#resolved(schema)] as const];
    });
    return Object.fromEntries(shown) as Record<string, Schema>;
  }

  /** Replaces references by what they refer to. One to a schema around it stands for any value. */
  #resolved(schema: JsonValue, around: readonly string[] = []): JsonValue {
    if (Array.isArray(schema)) return schema.map((item) => this.#resolved(item, around));
    if (typeof schema !== 'object' || schema === null) return schema;
    const reference = (schema as Schema)['$ref'] as unknown;
    if (typeof reference === 'string') {
      if (around.includes(reference)) return {};
      return this.#resolved(
        reference
          .split('/')
          .slice(1)
          .reduce<JsonValue>((at, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], this.#document),
        [...around, reference],
      );
    }
    return Object.fromEntries(
      Object.entries(schema as object).map(([key, value]) => [key, this.#resolved(value, around)]),
    );
  }
}

/** Values for fields by name, such as ids of existing objects. */
export type Named = Readonly<Record<string, JsonValue>>;

/** The smallest value that the schema accepts; `named` has precedence over the schema. */
export function sample(schema: Schema, named: Named, name = ''): JsonValue {
  if (Object.hasOwn(named, name)) return named[name];
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const one = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (one !== undefined) return sample(one[0]!, named, name);
  switch (schema['type']) {
    case 'object': {
      const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
      const required = (schema['required'] ?? []) as string[];
      return Object.fromEntries(required.map((key) => [key, sample(properties[key]!, named, key)]));
    }
    case 'array':
      return Array.from({ length: (schema['minItems'] as number | undefined) ?? 0 }, () =>
        sample(schema['items'] as Schema, named),
      );
    case 'integer':
    case 'number':
      return Math.max(0, (schema['minimum'] as number | undefined) ?? 0);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return idFor(schema) ?? 'sample';
  }
}

/** A well-formed id of nothing, where the schema requires an id. */
function idFor({ pattern }: Schema): string | null {
  const prefix = typeof pattern === 'string' ? /^\^([a-z]+)_/.exec(pattern)?.[1] : undefined;
  return prefix === undefined ? null : `${prefix}_${'0'.repeat(26)}`;
}

/** The URL of a route with its path and required query parameters filled in. */
export function urlOf({ path, parameters }: Route, named: Named, query: Readonly<Record<string, string>> = {}): string {
  const schemaOf = (name: string): Schema =>
    parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.schema ?? {};
  const filled = path.replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) => String(sample(schemaOf(name), named, name)));
  const asked = new URLSearchParams({
    ...Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === 'query' && parameter.required)
        .map(({ name, schema }) => [name, String(sample(schema, named, name))]),
    ),
    ...query,
  }).toString();
  return asked === '' ? filled : `${filled}?${asked}`;
}

/** Calls a route with its smallest request. Throws for an answer that the API's document doesn't list. */
export async function ask(
  api: Api,
  route: Route,
  named: Named,
  query?: Readonly<Record<string, string>>,
): ReturnType<Api['request']> {
  const answer = await send(api, route, named, query);
  if (!route.statuses.includes(answer.status))
    throw new Error(`the document of the API does not list that ${route.id} answers ${answer.status}: ${answer.text}`);
  return answer;
}

function send(
  api: Api,
  route: Route,
  named: Named,
  query?: Readonly<Record<string, string>>,
): ReturnType<Api['request']> {
  if (route.binaryMediaType !== null)
    return api.request(route.method, urlOf(route, named, query), new TextEncoder().encode('sample'), {
      'content-type': route.binaryMediaType,
    });
  return api.request(
    route.method,
    urlOf(route, named, query),
    route.body === null ? undefined : sample(route.body, named),
  );
}
