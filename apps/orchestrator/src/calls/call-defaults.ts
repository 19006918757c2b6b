// SPDX-License-Identifier: Apache-2.0
import { Fault, type CallDefaultsReply, type Caller } from '@writ/contract';
import { idempotencyKeyOf } from '../edge/requests/idempotency-key.ts';
import { agentOf } from './parsed-call.ts';
import type { KernelClient } from './kernel/kernel-client.ts';
import { readCall } from './parse-call.ts';

/** Choices that an error names. */
const CHOICES_MAX = 5;

type Named = Readonly<Record<string, unknown>>;

/**
 * Finds the capability token and the workspace of a call that names none. It never chooses: where there are several,
 * the caller does. The kernel decides the call under what was found, as under what is named.
 */
export class CallDefaults {
  readonly #kernel: Pick<KernelClient, 'ask'>;

  constructor(kernel: Pick<KernelClient, 'ask'>) {
    this.#kernel = kernel;
  }

  /**
   * The body of a call with a token and a workspace, which is attacker-controlled. A call with the idempotency key of
   * an earlier one gets what that one had: it stays the same call where the agent has further tokens meanwhile. Faults:
   * those of `readCall`; `conflict` with a pointer and the choices, `not_found` for a named token that the caller may
   * not see.
   */
  async complete(caller: Caller, body: Named, keyHeader: string | undefined): Promise<Named> {
    if (body['capability_token_id'] !== undefined && body['workspace_id'] !== undefined) return body;
    const call = readCall(body);
    const idempotency_key = idempotencyKeyOf(call, keyHeader);
    const found = await this.#kernel.ask('call.defaults', caller, {
      agent_id: agentOf(call.agent_id, caller),
      keyed: idempotency_key === null ? null : { tool_id: call.tool_id, idempotency_key },
    });
    if (found.claim !== null) return { ...found.claim, ...body };
    const { capability_token_id: named, workspace_id } = call;
    const token =
      named === undefined
        ? onlyTokenOf(found, 'name one in `capability_token_id`')
        : await this.#kernel.ask('token.read', caller, { capability_token_id: named });
    return {
      ...body,
      capability_token_id: token.capability_token_id,
      workspace_id: workspace_id ?? token.workspace_id ?? onlyWorkspaceOf(found),
    };
  }

  /**
   * The id of the only usable token of an agent. Tokens that Writ made for a session grant, a job, a sub-agent or an
   * exchanged credential don't count: no other call of a client names them. Fault `conflict`.
   *
   * @param how tells the caller how to name one
   */
  async onlyTokenOf(caller: Caller, agentId: string, how: string): Promise<string> {
    const found = await this.#kernel.ask('call.defaults', caller, { agent_id: agentId, keyed: null });
    return onlyTokenOf(found, how).capability_token_id;
  }
}

function onlyTokenOf({ tokens }: CallDefaultsReply, how: string): CallDefaultsReply['tokens'][number] {
  const [only, another] = tokens;
  const pointer = { pointer: '/capability_token_id' };
  if (only === undefined) throw new Fault('conflict', `the agent has no usable capability token: ${how}`, pointer);
  if (another === undefined) return only;
  const choices = choicesOf(tokens.map(({ capability_token_id }) => capability_token_id));
  throw new Fault('conflict', `the agent has several capability tokens: ${how} (${choices})`, pointer);
}

/** The only workspace of the tenant, for a token of none. Fault `conflict`. */
function onlyWorkspaceOf({ workspaces }: CallDefaultsReply): string {
  const [only, another] = workspaces;
  const how = 'name one in `workspace_id`';
  const pointer = { pointer: '/workspace_id' };
  if (only === undefined) throw new Fault('conflict', `the tenant has no workspace: ${how}`, pointer);
  if (another === undefined) return only;
  const said = 'the capability token is of no workspace, and the tenant has several';
  throw new Fault('conflict', `${said}: ${how} (${choicesOf(workspaces)})`, pointer);
}

const choicesOf = (ids: readonly string[]): string => {
  const shown = ids.slice(0, CHOICES_MAX).map((id) => `\`${id}\``);
  return `${shown.join(', ')}${ids.length > CHOICES_MAX ? ' and others' : ''}`;
};
