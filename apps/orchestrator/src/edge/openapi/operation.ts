// SPDX-License-Identifier: Apache-2.0
import {
  ApproverGroupName,
  ContainerView,
  DeclaredToolName,
  FAULTS,
  idSchema,
  PolicyRef,
  ImageName,
  MCP_SERVER_NAME,
  ProfileName,
  RegistrarKeyView,
  SandboxName,
  SkillName,
  ValueName,
  type FaultCode,
} from '@writ/contract';
import { IsOptional, Type, type TSchema } from 'typebox';
import { PROBLEM_TYPE } from '../problems/problem.ts';
import { FORM_TYPE } from '../requests/form.ts';
import type { Answer, ParamKind, RouteRow } from '../requests/route.ts';
import { exampleOf } from './example-of.ts';
import { headerNames, headersOf } from './headers.ts';
import { pascal, type SchemaWriter } from './schemas.ts';

type Json = Record<string, unknown>;

/** Bodies of requests, by the id of the route. */
export type ExampleRequests = Readonly<Record<string, unknown>>;

/** One route as an OpenAPI operation; with the table of requests also with examples of its request and answer. */
export function operationOf(row: RouteRow, schemas: SchemaWriter, examples?: ExampleRequests): Json {
  return {
    operationId: row.id,
    tags: [row.tag],
    summary: row.summary,
    ...(row.allowed === 'public' ? { security: [] } : {}),
    description: row.allowed === 'public' ? 'Needs no key.' : `Roles: ${rolesOf(row)}.`,
    'x-writ-roles': row.allowed === 'public' ? ['nobody'] : row.allowed === 'platform' ? ['platform'] : row.allowed,
    parameters: [...pathParameters(row, schemas), ...queryParameters(row, schemas), ...headerParameters(row, schemas)],
    ...requestBodyOf(row, schemas, examples?.[row.id]),
    responses: responsesOf(row, schemas, examples !== undefined),
  };
}

/** The name of a schema that has none of its own: `createJob` and `request` make `CreateJobRequest`. */
const placeOf = (id: string, part: string): string => `${pascal(id)}${pascal(part)}`;

/** The roles that may call a route, as text. */
export function rolesOf({ allowed }: RouteRow): string {
  if (allowed === 'public') return 'everybody';
  return allowed === 'platform'
    ? 'the platform key alone'
    : allowed.map((role) => (role === 'platform' ? 'the platform key' : role)).join(', ');
}

function pathParameters({ id, params = {} }: RouteRow, schemas: SchemaWriter): Json[] {
  return Object.entries(params).map(([name, kind]) => ({
    name,
    in: 'path',
    required: true,
    schema: schemas.referred(schemaOf(kind), placeOf(id, name)),
  }));
}

function schemaOf(kind: ParamKind): TSchema {
  if (kind === 'policy') return PolicyRef;
  if (kind === 'secret') return ValueName;
  if (kind === 'container') return ContainerView.properties.container_id;
  if (kind === 'sandbox') return SandboxName;
  if (kind === 'skill') return SkillName;
  if (kind === 'profile' || kind === 'provider') return ProfileName;
  if (kind === 'imageName') return ImageName;
  if (kind === 'mcpServer') return Type.String({ pattern: MCP_SERVER_NAME, description: 'the name of an MCP server' });
  if (kind === 'approverGroup') return ApproverGroupName;
  if (kind === 'keyid') return RegistrarKeyView.properties.keyid;
  if (kind === 'tool') return DeclaredToolName;
  if (kind === 'leaf')
    return Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "a position in the tenant's log",
    });
  if (kind === 'tile')
    return Type.String({
      minLength: 3,
      maxLength: 64,
      description:
        'a tile as C2SP tlog-tiles names it, such as `0/x001/234` or `000.p/7`; its `/` are not percent-encoded',
    });
  return kind === 'path'
    ? Type.String({
        minLength: 1,
        maxLength: 4096,
        description: 'a path of the workspace; its `/` need no percent-encoding',
      })
    : idSchema(kind);
}

function queryParameters({ id, query }: RouteRow, schemas: SchemaWriter): Json[] {
  return Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !IsOptional(schema),
    schema: schemas.referred(schema, placeOf(id, name)),
  }));
}

/** Request headers that a route reads, besides those that HTTP requires. */
function headerParameters({ id, method, tagged }: RouteRow, schemas: SchemaWriter): Json[] {
  const header = (name: string, schema: TSchema): Json => ({
    name,
    in: 'header',
    required: false,
    schema: schemas.referred(schema, placeOf(id, name)),
  });
  const prefer = header('Prefer', Type.String({ description: '`wait=<seconds>` (RFC 7240), instead of `wait`' }));
  const version = header('Writ-Version', Type.String({ description: 'the version of the API; default: the newest' }));
  const key = header('Idempotency-Key', Type.String({ maxLength: 255, description: 'instead of `idempotency_key`' }));
  if (id === 'proposeToolCall') return [version, key, prefer];
  if (id === 'startRun' || id === 'runJob') return [version, key];
  if (id === 'runTurn') return [version, prefer];
  if (tagged === undefined) return [version];
  const none = header('If-None-Match', Type.String({ description: NONE_MATCH[method === 'GET' ? 'GET' : 'PUT'] }));
  if (method === 'GET') return [version, none];
  const match = header('If-Match', Type.String({ description: IF_MATCH }));
  return tagged === 'file' && method === 'PUT' ? [version, match, none] : [version, match];
}

const IF_MATCH =
  'the `ETag` of the state that the change is meant for, or several with commas between: in another state nothing is changed, and the answer is `precondition.failed`';
const NONE_MATCH = {
  GET: 'an `ETag` that the client has: 304 without a body if it is still the tag',
  PUT: '`*`: only where nothing is at the path yet',
} as const;

function requestBodyOf(
  { id, bytes, bytesOf, body, documentedBody, form }: RouteRow,
  schemas: SchemaWriter,
  sent: unknown,
): Json {
  const example = sent === undefined ? {} : { example: sent };
  if (bytes === true)
    return { requestBody: { required: true, content: { [bytesOf?.media ?? 'application/octet-stream']: {} } } };
  if (form !== undefined)
    return {
      requestBody: {
        required: true,
        content: { [FORM_TYPE]: { schema: schemas.referred(form, placeOf(id, 'request')), ...example } },
      },
    };
  const schema = documentedBody ?? body;
  if (schema === undefined) return {};
  const { required = [] } = schema as { required?: readonly string[] };
  return {
    requestBody: {
      required: required.length > 0,
      content: { 'application/json': { schema: schemas.referred(schema, placeOf(id, 'request')), ...example } },
    },
  };
}

const isConditionalRead = ({ method, tagged }: RouteRow): boolean => method === 'GET' && tagged !== undefined;
const NOT_MODIFIED: Json = {
  description: 'The client has this state: `If-None-Match` names its tag',
  ...headersOf(['ETag']),
};

/** A status may have an answer of its own, and problems beside it. */
function responsesOf(row: RouteRow, schemas: SchemaWriter, hasExamples: boolean): Json {
  const answers: Record<string, Json> = {
    ...answersOf(row, schemas, hasExamples),
    ...(isConditionalRead(row) ? { 304: NOT_MODIFIED } : {}),
  };
  const problems = problemsOf(row);
  const both = Object.entries(problems).map(([status, problem]): [string, Json] => {
    const answer = answers[status];
    if (answer === undefined) return [status, problem];
    const description = `${String(answer['description'])}; or ${String(problem['description'])}`;
    const content = { ...(answer['content'] as Json), ...(problem['content'] as Json) };
    return [status, { ...problem, ...answer, description, content }];
  });
  return { ...answers, ...Object.fromEntries(both) };
}

function answersOf(row: RouteRow, schemas: SchemaWriter, hasExamples: boolean): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(row.answers).map(([status, answer]) => [
      status,
      {
        description: answer.description,
        ...headersOf(headerNames(row, status)),
        ...contentOf(answer, row.id, { schemas, hasExamples }),
      },
    ]),
  );
}

function contentOf(
  { schema, media, streamed }: Answer,
  id: string,
  { schemas, hasExamples }: { readonly schemas: SchemaWriter; readonly hasExamples: boolean },
): Json {
  if (schema === undefined && media === undefined) return {};
  const example = hasExamples && schema !== undefined ? { example: exampleOf(schema) } : {};
  return {
    content: {
      [media ?? 'application/json']:
        schema === undefined ? {} : { schema: schemas.referred(schema, placeOf(id, 'answer')), ...example },
      ...(streamed === undefined ? {} : { [streamed]: {} }),
    },
  };
}

/** Faults that a request may get before it reaches its handler. */
function edgeFaults({ allowed, params = {}, body, bytes, method, tagged }: RouteRow): FaultCode[] {
  return [
    // Headers may be too large on any route.
    'request.malformed',
    'query.invalid',
    'request.too_large',
    'version.unsupported',
    'internal',
    'overloaded',
    // A text that can't be an id is answered as not found.
    ...(Object.keys(params).length === 0 ? [] : (['not_found'] as const)),
    ...(allowed === 'public'
      ? []
      : ([
          'auth.missing',
          'auth.invalid',
          'auth.role',
          'tenant.closed',
          'rate.limited',
          'database.unavailable',
          'bus.unreachable',
          'deadline',
        ] as const)),
    ...(body === undefined && bytes === undefined ? [] : (['request.unsupported_media_type'] as const)),
    ...(tagged !== undefined && method !== 'GET' ? (['precondition.failed'] as const) : []),
  ];
}

function problemsOf(row: RouteRow): Record<string, Json> {
  const byStatus = new Map<number, Set<FaultCode>>();
  for (const code of [...edgeFaults(row), ...(row.faults ?? [])]) {
    const { status } = FAULTS[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: [...codes].map((code) => `\`${code}\`: ${FAULTS[code].message}`).join('; '),
        ...headersOf(status === 429 ? ['RateLimit-Policy', 'RateLimit', 'Retry-After'] : []),
        content: { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}
