// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFinal } from '@writ/contract';
import { Api, type Answer, type JsonValue } from './api.ts';

/** A tenant with everything that a call needs. */
export interface World {
  readonly tenantId: string;
  readonly admin: Api;
  readonly operator: Api;
  readonly auditor: Api;
  readonly agent: Api;
  readonly agentId: string;
  readonly workspaceId: string;
  readonly tokenId: string;
  /** Makes a call as the agent, with a new idempotency key unless `over` has one. */
  call(toolId: string, args: unknown, over?: Record<string, unknown>, waitMs?: number): Promise<Answer<JsonValue>>;
  /**
   * Reads the operation until it is in one of the states. Fails at once, with the operation, where it ended in another
   * state.
   */
  until(operationId: string, states: readonly string[], timeoutMs?: number): Promise<JsonValue>;
  /** The content of a file at the head, or null. */
  file(path: string): Promise<string | null>;
}

export interface WorldOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly fs?: readonly { path: string; read: boolean; write: boolean }[];
  readonly budgets?: Readonly<Record<string, number>>;
}

const HOUR_MS = 3_600_000;

/** Whether a state is final. `ambiguous` is not: a person can still resolve it. */
const isLasting = (state: string): boolean => isFinal(state) && state !== 'ambiguous';

/** The shortest and the longest pause between two polls, in milliseconds. */
const [PAUSE_MIN_MS, PAUSE_MAX_MS] = [25, 200] as const;
/** The longest time without answer of a ready stack on a busy machine. */
const TENANT_MS = 20_000;
/** A slow condition is polled less often: its delay is at most this share of the time that has passed. */
const PAUSE_SHARE = 0.1;

/**
 * Polls until `probe` returns a value, and throws after the time limit. Each poll of a stack costs several processes
 * some milliseconds, and other specs run in parallel. So the pauses grow with the time that has passed. `what` names
 * the condition in the error.
 */
export async function eventually<T>(
  what: string | (() => string),
  probe: () => Promise<T | null | undefined | false>,
  timeoutMs = 30_000,
): Promise<T> {
  const began = Date.now();
  for (;;) {
    const found = await probe();
    if (found) return found;
    const passed = Date.now() - began;
    if (passed > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}`);
    await sleep(Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, passed * PAUSE_SHARE)));
  }
}

async function keyOf(admin: Api, role: string, agentId?: string): Promise<string> {
  return (
    (await admin.must('/v1/api-keys', {
      name: `${role} of a test`,
      role,
      ...(agentId === undefined ? {} : { agent_id: agentId }),
    })) as { api_key: string }
  ).api_key;
}

/** Creates a tenant. Retries while the kernel gives no answer yet, as the answer advises. */
async function newTenant(platform: Api): Promise<JsonValue> {
  const until = Date.now() + TENANT_MS;
  for (;;) {
    const answer = await platform.post('/v1/tenants', { name: `test ${randomUUID().slice(0, 8)}` });
    if (answer.status < 300) return answer.body;
    if (answer.status !== 503 || Date.now() > until)
      throw new Error(`POST /v1/tenants answered ${answer.status}: ${answer.text}`);
    await sleep(PAUSE_MAX_MS);
  }
}

/** Makes a tenant through the public API alone. */
export async function makeWorld(url: string, platformKey: string, options: WorldOptions = {}): Promise<World> {
  const tenant = await newTenant(new Api(url, platformKey));
  const admin = new Api(url, tenant.api_key as string);
  const agentId = (await admin.must('/v1/agents', { name: 'fixer' })).agent_id as string;
  const workspaceId = (await admin.must('/v1/workspaces', { name: 'repository' })).workspace_id as string;
  const files = Object.entries(options.files ?? {}).map(([path, content]) => ({ path, content }));
  if (files.length > 0) await admin.must(`/v1/workspaces/${workspaceId}/files`, { files });
  const token = await admin.must('/v1/capability-tokens', {
    agent_id: agentId,
    workspace_id: workspaceId,
    grant: {
      tools: ['fs.*', 'shell.*'],
      fs: options.fs ?? [{ path: '', read: true, write: true }],
      net: [],
      secrets: [],
      budgets: options.budgets ?? {},
      not_before: 0,
      expires_at: Date.now() + HOUR_MS,
    },
  });
  const tokenId = token.capability_token_id as string;
  const agent = admin.as(await keyOf(admin, 'agent', agentId));
  return {
    tenantId: tenant.tenant_id as string,
    admin,
    agent,
    agentId,
    workspaceId,
    tokenId,
    operator: admin.as(await keyOf(admin, 'operator')),
    auditor: admin.as(await keyOf(admin, 'auditor')),
    call: (toolId, args, over = {}, waitMs = 30_000) =>
      agent.post(`/v1/tool-calls?wait=${waitMs}`, {
        tool_id: toolId,
        args,
        capability_token_id: tokenId,
        workspace_id: workspaceId,
        idempotency_key: randomUUID(),
        ...over,
      }),
    until: (operationId, states, timeoutMs = 60_000) => {
      let seen = 'nothing';
      const wanted = (): string => `${operationId} in ${states.join('|')}, last seen: ${seen}`;
      return eventually(
        wanted,
        async () => {
          const { status, body } = await admin
            .get(`/v1/operations/${operationId}`)
            .catch(() => ({ status: 0, body: null }));
          if (status !== 200) return null;
          seen = JSON.stringify({ state: body.state, result: body.result });
          if (states.includes(body.state as string)) return body;
          if (isLasting(body.state as string)) throw new Error(`never: ${wanted()}`);
          return null;
        },
        timeoutMs,
      );
    },
    file: async (path) => {
      // A process that was frozen or killed may answer with a fault for a moment: that is not the content of the file.
      const answer = await eventually(`an answer about ${path}`, async () => {
        const { status, text } = await admin.get(`/v1/workspaces/${workspaceId}/files/${path}`);
        return status < 500 ? { status, text } : null;
      });
      return answer.status === 404 ? null : answer.text;
    },
  };
}
