// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import {
  applyDecorators,
  HttpCode,
  RequestMapping,
  RequestMethod,
  SetMetadata,
  type ExecutionContext,
} from '@nestjs/common';
import type { Caller, FaultCode, IdKind } from '@writ/contract';
import { KEY_ROLES, ROLES, type Role } from '../../store/keys/roles.ts';
import type { Static, TObject, TSchema } from 'typebox';

export { KEY_ROLES, ROLES, type Role };

/**
 * Who may call a route: keys of the listed roles and, if listed, the platform key; only the platform key; or everybody.
 */
export type Audience = readonly (Role | 'platform')[] | 'platform' | 'public';

export type ParamKind =
  | IdKind
  | 'policy'
  | 'secret'
  | 'sandbox'
  | 'profile'
  | 'approverGroup'
  | 'imageName'
  | 'mcpServer'
  | 'skill'
  | 'provider'
  | 'keyid'
  | 'container'
  | 'tool'
  | 'path'
  | 'tile'
  | 'leaf';

/** One answer that isn't a problem. `schema` for JSON, `media` for anything else. */
export interface Answer {
  readonly description: string;
  readonly schema?: TSchema;
  readonly media?: string;
  /** the media type of the same answer as a stream, for a request that asks for it */
  readonly streamed?: string;
}

/** Most rows of a page whose request expands something: each may cost as much as a request. */
export const EXPANDED_ROWS_MAX = 50;

/** What an answer can show beside: what another route shows, under the rules of that route. */
export interface Expansion {
  /** the id of the other route */
  readonly route: string;
  /** the parameter of the other route */
  readonly param: string;
  /** the member of the answer that has its value; by default it has the parameter's name */
  readonly member?: string;
  /** the member of the other route's answer that is shown; by default all of it */
  readonly shows?: string;
}

/**
 * One route as data. Guard, parser, OpenAPI document and the table of roles are all generated from this row, so that
 * they cannot differ.
 */
export interface RouteRow {
  /** the operation's name in the OpenAPI document */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** with `{name}` for each of `params` */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly allowed: Audience;
  /**
   * ids in the path by their kind; `policy`: a set by hash or name; `secret`, `tool`, `sandbox`, `profile`,
   * `imageName`, `mcpServer`, `skill`, `provider`: by name; `keyid`: a registrar's key by its thumbprint; `container`:
   * by its operation or its session shell; `leaf`: by its index in the log; `path` and `tile` are the rest of the URL:
   * a path in a workspace, and one below a log's tiles
   */
  readonly params?: Readonly<Record<string, ParamKind>>;
  readonly query?: TObject;
  /** the JSON body; with `bytes` the body is bytes instead */
  readonly body?: TSchema;
  readonly bytes?: true;
  /**
   * the media type of the bytes, by default `application/octet-stream`, and the most that are accepted, by default the
   * limit of one file
   */
  readonly bytesOf?: { readonly media: string; readonly bytesMax: number };
  /** the fields of a form that the handler reads by `@InForm()`; for OAuth, whose errors have a form of their own */
  readonly form?: TObject;
  /** the body's schema in the document, where a handler applies more rules than a schema can express */
  readonly documentedBody?: TSchema;
  /** the size limit of a JSON body in bytes, where it is higher than usual */
  readonly bodyBytesMax?: number;
  /** by status; the first one is the handler's default status */
  readonly answers: Readonly<Record<number, Answer>>;
  /** the request joins the tenant's queue at the kernel; it is rejected at once while that is full */
  readonly queued?: true;
  /** a key may use it whatever its scopes: it tells or changes nothing but the key itself */
  readonly unscoped?: true;
  /**
   * With GET the answer has an `ETag`, and `If-None-Match` is compared with it. With another method the handler passes
   * `ifMatch` of its request to whoever makes the change. `reply`: the tag is the view's, and the answer, which shows
   * something else, has none. `file`: the tag is the SHA-256 of a file's content, `policy`: the hash of a set; the
   * handler sets both.
   */
  readonly tagged?: 'view' | 'reply' | 'file' | 'policy';
  /** the change also makes what isn't there, so that `If-Match: *` is compared with what is */
  readonly makes?: true;
  /** what `expand` of the query adds to the answer, or to each item of a page, by name */
  readonly expands?: Readonly<Record<string, Expansion>>;
  /** besides the faults that every route may answer */
  readonly faults?: readonly FaultCode[];
}

/** Whether the parameter is the rest of the URL, slashes and all. */
export const isRest = (kind: ParamKind | undefined): kind is 'path' | 'tile' => kind === 'path' || kind === 'tile';

const ROUTE = Symbol('route');

/** The row of the current handler; undefined where it is on no route. */
export const routeOf = (context: ExecutionContext): RouteRow | undefined =>
  context.getType() === 'http' ? (Reflect.getMetadata(ROUTE, context.getHandler()) as RouteRow | undefined) : undefined;

/** Preserves a row's literal type. */
export const route = <const R extends RouteRow>(row: R): R => row;

type StaticOf<S> = S extends TSchema ? Static<S> : undefined;

/** A parsed request to the route, which `@RequestInput()` passes to a handler. */
export interface RequestInputOf<R extends RouteRow> {
  /** null for the platform key, and for everybody */
  readonly caller: R['allowed'] extends readonly Role[] ? Caller : R['allowed'] extends string ? null : Caller | null;
  readonly params: { readonly [K in keyof R['params']]: string };
  readonly query: StaticOf<R['query']>;
  readonly body: StaticOf<R['body']>;
  /** the tags of `If-Match`; null without a condition */
  readonly ifMatch: readonly string[] | null;
  /** whether `If-None-Match: *` allows the change only where nothing is yet */
  readonly ifAbsent: boolean;
  /** the body's bytes as they come, on a route that takes bytes */
  readonly stream: R['bytes'] extends true ? Readable : null;
}

/** Binds a handler to its route. The guard rejects requests to a handler without it. */
export function Route(row: RouteRow): MethodDecorator {
  const [status] = Object.keys(row.answers);
  return applyDecorators(
    SetMetadata(ROUTE, row),
    RequestMapping({ path: nestPathOf(row), method: RequestMethod[row.method] }),
    HttpCode(Number(status)),
  );
}

/** `/v1/agents/{agent_id}` as Fastify writes it: `/v1/agents/:agent_id`; the rest of a URL is `*`. */
function nestPathOf({ path, params = {} }: RouteRow): string {
  return path.replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) => (isRest(params[name]) ? '*' : `:${name}`));
}
