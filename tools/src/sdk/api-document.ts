// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { AuditRecord } from '@writ/contract';

/** A JSON Schema as the document has it. */
export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** A route with its method and its path. */
export interface ApiRoute extends Operation {
  readonly method: string;
  readonly path: string;
}

export interface Api {
  readonly routes: readonly ApiRoute[];
  readonly schemas: Readonly<Record<string, Schema>>;
}

interface DocumentJson {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/**
 * The API by its own OpenAPI document. Imported by path: no tool depends on an app, and this only reads its data. The
 * record of a receipt is added, since no route returns one outside of its receipt.
 */
export async function readApi(checkout: string): Promise<Api> {
  const load = async <T>(file: string): Promise<T> =>
    (await import(join(checkout, 'apps/orchestrator/src', file))) as T;
  const { ROUTES } = await load<{ ROUTES: unknown }>('api/routes.ts');
  const { NAMED } = await load<{ NAMED: unknown }>('api/named-schemas.ts');
  const { TAGS } = await load<{ TAGS: unknown }>('api/tags.ts');
  const { WEBHOOK_MESSAGES } = await load<{ WEBHOOK_MESSAGES: unknown }>('api/messages.ts');
  const { ApiDocument } = await load<{
    ApiDocument: new (version: string, parts: Readonly<Record<string, unknown>>) => { json: unknown };
  }>('edge/openapi/document.ts');
  const plain = <T>(value: unknown): T => JSON.parse(JSON.stringify(value)) as T;
  const parts = { routes: ROUTES, named: NAMED, tags: TAGS, messages: WEBHOOK_MESSAGES };
  const { paths, components } = plain<DocumentJson>(new ApiDocument('0', parts).json);
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
  return { routes, schemas: { ...components.schemas, AuditRecord: plain<Schema>(AuditRecord) } };
}
