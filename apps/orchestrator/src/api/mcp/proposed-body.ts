// SPDX-License-Identifier: Apache-2.0
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Fault, IdempotencyKey, type OperationId, type Provenance } from '@writ/contract';
import { Compile } from 'typebox/compile';
import type { McpAccess } from './access.ts';

/** The members of `_meta` that a request may have. */
export const META = {
  /** a repeated request with the same key is the same call */
  idempotencyKey: 'writ.dev/idempotency-key',
  sessionId: 'writ.dev/session-id',
  taskClass: 'writ.dev/task-class',
  dryRun: 'writ.dev/dry-run',
} as const;

const KEY = Compile(IdempotencyKey);

/** The members of `_meta` that say what a call is, with null for those that are absent. */
export const saidInMeta = (meta: Readonly<Record<string, unknown>> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.values(META).map((name) => [name, meta[name] ?? null]));

/** What is known about the origin of a call. */
export const originOf = (client: string | undefined): Provenance => ({
  source: 'mcp',
  ...(client === undefined ? {} : { client }),
});

/** The call as the API's own route would read it, so that the same rules apply to both. @throws Fault, ProtocolError */
export function bodyOf(
  { agentId, tokenId, workspaceId }: McpAccess,
  {
    name,
    args,
    meta,
    operationId,
  }: {
    readonly name: string;
    readonly args: Record<string, unknown>;
    readonly meta: Readonly<Record<string, unknown>>;
    readonly operationId: OperationId;
  },
): Record<string, unknown> {
  if (workspaceId === null)
    throw new Fault('request.malformed', 'the capability token is of no workspace: name one with `?workspace_id=`');
  const key = meta[META.idempotencyKey];
  if (key !== undefined && !KEY.Check(key))
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `\`_meta["${META.idempotencyKey}"]\` is no idempotency key`,
    );
  return {
    tool_id: name,
    args,
    agent_id: agentId,
    capability_token_id: tokenId,
    workspace_id: workspaceId,
    // A changing call needs a key. Without one from the client, no other request means this call.
    idempotency_key: key ?? `mcp:${operationId}`,
    ...optional('session_id', meta[META.sessionId]),
    ...optional('task_class', meta[META.taskClass]),
    ...optional('dry_run', meta[META.dryRun]),
  };
}

const optional = (name: string, value: unknown): Record<string, unknown> =>
  value === undefined ? {} : { [name]: value };
