// SPDX-License-Identifier: Apache-2.0
import type { RouteRow } from '../requests/route.ts';
import { SchemaWriter, type NamedSchemas } from './schemas.ts';
import { webhooksOf, type MessageRow } from './webhooks.ts';
import { HEADERS } from './headers.ts';
import { operationOf, type ExampleRequests } from './operation.ts';

const ABOUT = `Writ runs the tool calls of AI agents under a policy kernel, as transactions in disposable containers, with
receipts that anybody can verify offline.

**Credentials.** Send \`Authorization: Bearer <key>\`: an API key of a tenant, an access token of an issuer that the
tenant registered, or the platform key. \`x-writ-roles\` of an operation lists who may call it.

**Refusals are answers.** A call that a rule or a person refused has status 200 and a result with \`status: error\`.
The header \`Writ-Outcome\` says how a call stands, and \`Writ-Fault\` names the fault, so that nobody must read the
body to see a refusal. Only requests that never became a call get an error status.

**Errors** are problem details (RFC 9457). \`code\` is one of a closed table, \`detail\` says what was found, what is
allowed and what to do, and \`retry\` is the whole instruction for a retry: \`never\`, \`later\` (nothing happened), or
\`same-key\` (it may have happened: send it again with the same idempotency key).

**Idempotency.** Send \`Idempotency-Key\` with each call that changes something. The same key with the same call
answers with the first operation, and \`Idempotent-Replayed: true\`. With another call it is \`idempotency.mismatch\`.

**Conditions.** Answers about a single thing that can change have an \`ETag\`. Send it as \`If-Match\` with a change:
in another state nothing is changed, and the answer is \`precondition.failed\` (412) with the present tag. A route that
compares no tags refuses the header.

**Expansions.** \`expand=a,b\` of some reads shows related objects beside, in the member \`expanded\`. You see what the
route of each object would show you.

**Rates.** \`RateLimit-Policy\` and \`RateLimit\` are on every answer to a key of a tenant. After 429, wait as long as
\`Retry-After\` says.

**Lists** take \`cursor\` and \`limit\`, newest first. **Times** are milliseconds since the epoch, UTC. Something that
isn't yours answers as something that isn't there: \`not_found\`, with the same bytes.`;

/** Routes, and what the document says of them. */
export interface DocumentParts {
  readonly routes: readonly RouteRow[];
  /** schemas that have a name in the document; others are named after their place */
  readonly named: NamedSchemas;
  /** what each group of routes is about */
  readonly tags: Readonly<Record<string, string>>;
  /** what webhooks receive, by kind */
  readonly messages: Readonly<Record<string, MessageRow>>;
  /** an example of each request that has a body, by the id of its route; none: the document has no examples */
  readonly examples?: ExampleRequests;
}

/** The OpenAPI 3.1 document of this API, made from the routes and the schemas that its code runs on. */
export class ApiDocument {
  readonly json: Record<string, unknown>;

  constructor(version: string, { routes, named, tags, messages, examples }: DocumentParts) {
    const schemas = new SchemaWriter(named);
    const paths = pathsOf(routes, schemas, examples);
    const webhooks = webhooksOf(messages, schemas, examples !== undefined);
    this.json = {
      openapi: '3.1.1',
      info: { title: 'Writ', version, description: ABOUT, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      servers: [{ url: '/' }],
      security: [{ apiKey: [] }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      paths,
      webhooks,
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'writ_<id>_<secret>',
            description: 'an API key of the tenant, an access token of its issuer, or the platform key',
          },
        },
        headers: HEADERS,
        schemas: schemas.components,
      },
    };
  }
}

function pathsOf(
  routes: readonly RouteRow[],
  schemas: SchemaWriter,
  examples?: ExampleRequests,
): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const row of routes) (paths[row.path] ??= {})[row.method.toLowerCase()] = operationOf(row, schemas, examples);
  return paths;
}
