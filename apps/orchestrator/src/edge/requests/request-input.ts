// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import {
  APPROVER_GROUP_NAME,
  CONTAINER_ID,
  Fault,
  isId,
  KEYID,
  LIMITS,
  MCP_SERVER_NAME,
  parseMessage,
  POLICY_REF,
  PROFILE_NAME,
  SANDBOX_NAME,
  SKILL_NAME,
  VALUE_NAME,
} from '@writ/contract';
import type { FastifyRequest } from 'fastify';
import { callerOf } from '../access/caller.ts';
import { conditionsOf } from './conditions.ts';
import { readJsonBody, tooLarge } from './json-body.ts';
import { parseQuery, unknownParameter } from './query.ts';
import { isRest, routeOf, type RequestInputOf, type ParamKind, type RouteRow } from './route.ts';
import { NO_TENANT } from '../work/worker-tasks.ts';
import { tasksOf } from '../server/request-tasks.ts';

const ONE_FILE = { media: 'application/octet-stream', bytesMax: LIMITS.uploadBytes.max };

/** Passes a handler its request, parsed by its route's row: `@RequestInput() request: RequestInputOf<typeof ROW>`. */
export const RequestInput = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Promise<RequestInputOf<RouteRow>> =>
    readRequestInput(rowOf(context), context.switchToHttp().getRequest<FastifyRequest>()),
);

/** The route's row of the current handler. */
export function rowOf(context: ExecutionContext): RouteRow {
  const row = routeOf(context);
  if (row === undefined) throw new Error(`\`${context.getClass().name}\` has a handler that is on no route`);
  return row;
}

async function readRequestInput(row: RouteRow, request: FastifyRequest): Promise<RequestInputOf<RouteRow>> {
  const params = parseParams(row, request.params as Readonly<Record<string, string | undefined>>);
  const query =
    row.query === undefined
      ? parseNoQuery(request.query)
      : parseQuery(row.query, request.query as Record<string, unknown>);
  const stream = (row.bytes === true ? byteStreamOf(row, request) : null) as null;
  return {
    caller: callerOf(request) as null,
    params,
    ...conditionsOf(row, request.headers),
    query: query as undefined,
    body: (await readBody(row, request)) as undefined,
    stream,
  };
}

/** A malformed id gets the same answer as an id that names nothing of the caller's tenant: `not_found`. */
function parseParams(row: RouteRow, given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row.params ?? {}).map(([name, kind]) => {
      const text = isRest(kind) ? given['*'] : given[name];
      if (text === undefined || !isValidParam(kind, text)) throw new Fault('not_found');
      return [name, text];
    }),
  );
}

const POLICY = new RegExp(POLICY_REF);
const TOOL = /^[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)*$/;
const TOOL_CHARS_MAX = 128;
const SECRET = new RegExp(VALUE_NAME);
const MCP_SERVER = new RegExp(MCP_SERVER_NAME);
/** A leaf index without leading zeros, so that each record has one URL. */
const LEAF = /^(0|[1-9]\d{0,14})$/;
const CONTAINER = new RegExp(CONTAINER_ID);
const SANDBOX = new RegExp(SANDBOX_NAME);
const SKILL = new RegExp(SKILL_NAME);
const PROFILE = new RegExp(PROFILE_NAME);
const APPROVER_GROUP = new RegExp(APPROVER_GROUP_NAME);
const THUMBPRINT = new RegExp(KEYID);

function isValidParam(kind: ParamKind, text: string): boolean {
  if (isRest(kind)) return true;
  if (kind === 'secret') return SECRET.test(text);
  if (kind === 'tool') return text.length <= TOOL_CHARS_MAX && TOOL.test(text);
  if (kind === 'leaf') return LEAF.test(text);
  if (kind === 'container') return CONTAINER.test(text);
  if (kind === 'sandbox') return SANDBOX.test(text);
  if (kind === 'skill') return SKILL.test(text);
  if (kind === 'imageName') return PROFILE.test(text);
  if (kind === 'mcpServer') return MCP_SERVER.test(text);
  if (kind === 'provider') return PROFILE.test(text);
  if (kind === 'profile') return PROFILE.test(text);
  if (kind === 'approverGroup') return APPROVER_GROUP.test(text);
  if (kind === 'keyid') return THUMBPRINT.test(text);
  return kind === 'policy' ? POLICY.test(text) : isId(kind, text);
}

function parseNoQuery(query: unknown): undefined {
  const [name] = Object.keys(query as object);
  if (name !== undefined) throw unknownParameter(name, []);
  return undefined;
}

/** The media type of the body, without its parameters. */
function mediaTypeOf(request: FastifyRequest): string | undefined {
  return request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
}

async function readBody(row: RouteRow, request: FastifyRequest): Promise<unknown> {
  if (row.body === undefined) return undefined;
  const bytesMax = row.bodyBytesMax ?? LIMITS.httpBodyBytes.max;
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const media = mediaTypeOf(request);
  if (media !== undefined && media !== 'application/json' && !/^application\/[a-z0-9.-]+\+json$/.test(media))
    throw new Fault('request.unsupported_media_type');
  const tenantId = callerOf(request)?.tenant_id ?? NO_TENANT;
  const value = await readJsonBody(request.raw, {
    route: { id: row.id, body: row.body },
    bytesMax,
    tasks: tasksOf(request),
    tenantId,
  });
  if (value === undefined) return parseMessage(row.body, {});
  if (media === undefined) throw new Fault('request.unsupported_media_type');
  return value;
}

function byteStreamOf({ bytesOf = ONE_FILE }: RouteRow, request: FastifyRequest): Readable {
  if (mediaTypeOf(request) !== bytesOf.media)
    throw new Fault('request.unsupported_media_type', `the body comes as \`${bytesOf.media}\` here`);
  if (Number(request.headers['content-length'] ?? 0) > bytesOf.bytesMax) throw tooLarge(bytesOf.bytesMax);
  return request.raw;
}
