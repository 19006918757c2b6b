// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import { applyDecorators, HttpCode, RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import type { Caller, FaultCode, IdKind } from '@writ/contract';
import { ROLES, type Role } from '../../store/keys/roles.ts';
import type { Static, TObject, TSchema } from 'typebox';

export { ROLES, type Role };

/**
 * Who may ask: keys of these roles, and the platform key where it stands among them; the platform key alone; or
 * everybody.
 */
export type Audience = readonly (Role | 'platform')[] | 'platform' | 'public';

export type ParamKind =
  | IdKind
  | 'policy'
  | 'secret'
  | 'sandbox'
  | 'profile'
  | 'skill'
  | 'keyid'
  | 'container'
  | 'tool'
  | 'path'
  | 'tile'
  | 'leaf';

/** One answer that isn't a problem. `schema` for JSON, `media` for anything else. */
export interface Answer {
  readonly says: string;
  readonly schema?: TSchema;
  readonly media?: string;
}

/**
 * One route as data: guard, parser, OpenAPI document and the table of roles are all made from this row, so that none of
 * them can differ.
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
   * ids in the path by their kind; `policy`: a set by hash or name; `secret`, `tool`, `sandbox`, `profile`, `skill`: by
   * name; `keyid`: a registrar's key by its thumbprint; `container`: by the operation or the shell that it has; `leaf`:
   * by its index in the log; `path` and `tile` are the rest of the URL: a path in a workspace, and one below a log's
   * tiles
   */
  readonly params?: Readonly<Record<string, ParamKind>>;
  readonly query?: TObject;
  /** the JSON body; with `bytes` the body is bytes instead */
  readonly body?: TSchema;
  readonly bytes?: true;
  /**
   * what kind of bytes they are, `application/octet-stream` unless said, and how many are taken, those of one file
   * unless said
   */
  readonly bytesOf?: { readonly media: string; readonly bytesMax: number };
  /** what the document says of the body, where a handler reads it by more rules than a schema has */
  readonly documentedBody?: TSchema;
  /** bytes of a JSON body, where more than usual are taken */
  readonly bodyBytesMax?: number;
  /** by status; the first is what a handler answers unless it says otherwise */
  readonly answers: Readonly<Record<number, Answer>>;
  /** what is asked joins the tenant's queue at the kernel: turned away at once while that is full */
  readonly queued?: true;
  /** beside those that every route may answer */
  readonly faults?: readonly FaultCode[];
}

/** Whether the parameter is the rest of the URL, slashes and all. */
export const isRest = (kind: ParamKind | undefined): kind is 'path' | 'tile' => kind === 'path' || kind === 'tile';

export const ROUTE = Symbol('route');

/** Keeps a row's own type. */
export const route = <const R extends RouteRow>(row: R): R => row;

type StaticOf<S> = S extends TSchema ? Static<S> : undefined;

/** A request to the route, parsed: what `@Asked()` gives to a handler. */
export interface AskedOf<R extends RouteRow> {
  /** null for the platform key, and for everybody */
  readonly caller: R['allowed'] extends readonly Role[] ? Caller : R['allowed'] extends string ? null : Caller | null;
  readonly params: { readonly [K in keyof R['params']]: string };
  readonly query: StaticOf<R['query']>;
  readonly body: StaticOf<R['body']>;
  /** the body's bytes as they come, on a route that takes bytes */
  readonly stream: R['bytes'] extends true ? Readable : null;
}

/** Puts a handler on its route. A handler without it is refused by the guard. */
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
