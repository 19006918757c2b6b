// SPDX-License-Identifier: Apache-2.0
import type { RouteRow } from '../requests/route.ts';
import { SchemaWriter, type NamedSchemas } from './schemas.ts';
import { operationOf } from './operation.ts';

const ABOUT = [
  'Runs the tool calls of AI agents under a policy kernel, as transactions in disposable containers, with receipts that anybody can verify offline.',
  'Errors are problem details (RFC 9457) with a `code` of a closed table. Lists take `cursor` and `limit`. Times are milliseconds since the epoch.',
].join(' ');

/** The OpenAPI 3.1 document of this API, made from the routes and the schemas that its code runs on. */
export class ApiDocument {
  readonly json: Record<string, unknown>;

  /** @param named the schemas that the document shows by a name; others are written inline */
  constructor(version: string, routes: readonly RouteRow[], named: NamedSchemas) {
    const schemas = new SchemaWriter(named);
    this.json = {
      openapi: '3.1.1',
      info: { title: 'Writ', version, description: ABOUT, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      servers: [{ url: '/' }],
      security: [{ apiKey: [] }],
      tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
      paths: pathsOf(routes, schemas),
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'writ_<id>_<secret>',
            description: 'an API key of the tenant; for new tenants the platform key',
          },
        },
        schemas: Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, schemas.inlined(schema)])),
      },
    };
  }
}

function pathsOf(routes: readonly RouteRow[], schemas: SchemaWriter): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const row of routes) (paths[row.path] ??= {})[row.method.toLowerCase()] = operationOf(row, schemas);
  return paths;
}
