// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { agentOf } from './parsed-call.ts';
import type { KernelClient } from './kernel/kernel-client.ts';
import type { TokenView } from './kernel/token-view.ts';
import { readCall } from './parse-call.ts';

/** Tokens are looked through for the only usable one by pages: more than anybody gives to one agent by hand. */
const PAGE_ROWS = 200;
const PAGES_MAX = 4;
/** Choices that an error names. */
const CHOICES_MAX = 5;

/**
 * Finds the capability token and the workspace of a call that names none. It never chooses: where there are several,
 * the caller does. The kernel decides the call under what was found, as under what is named.
 */
export class CallDefaults {
  readonly #kernel: Pick<KernelClient, 'ask'>;
  readonly #now: () => number;

  /** @param now milliseconds since the epoch */
  constructor(kernel: Pick<KernelClient, 'ask'>, now: () => number) {
    this.#kernel = kernel;
    this.#now = now;
  }

  /**
   * The body of a call with a token and a workspace, which is attacker-controlled. Faults: those of `readCall`;
   * `conflict` with a pointer and the choices, `not_found` for a named token that the caller may not see.
   */
  async complete(caller: Caller, body: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
    if (body['capability_token_id'] !== undefined && body['workspace_id'] !== undefined) return body;
    const { capability_token_id: named, workspace_id, agent_id } = readCall(body);
    const agentId = agentOf(agent_id, caller);
    const token =
      named === undefined
        ? await this.onlyTokenOf(caller, agentId, 'name one in `capability_token_id`')
        : await this.#kernel.ask('token.read', caller, { capability_token_id: named });
    return {
      ...body,
      capability_token_id: token.capability_token_id,
      workspace_id: workspace_id ?? token.workspace_id ?? (await this.#onlyWorkspaceOf(caller)),
    };
  }

  /**
   * The only usable token of an agent. Tokens that Writ made for a session grant, a job or a sub-agent don't count:
   * no call of a client names them. Fault `conflict`.
   *
   * @param how tells the caller how to name one
   */
  async onlyTokenOf(caller: Caller, agentId: string, how: string): Promise<TokenView> {
    const usable = await this.#usableTokensOf(caller, agentId, how);
    const [only, another] = usable;
    const pointer = { pointer: '/capability_token_id' };
    if (only === undefined) throw new Fault('conflict', `the agent has no usable capability token: ${how}`, pointer);
    if (another === undefined) return only;
    const choices = choicesOf(usable.map(({ capability_token_id }) => capability_token_id));
    throw new Fault('conflict', `the agent has several capability tokens: ${how} (${choices})`, pointer);
  }

  async #usableTokensOf(caller: Caller, agentId: string, how: string): Promise<TokenView[]> {
    const usable: TokenView[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const page: { items: readonly TokenView[]; next_cursor: string | null } = await this.#kernel.ask(
        'token.list',
        caller,
        { page: { cursor, limit: PAGE_ROWS }, agent_id: agentId, parent_id: null },
      );
      usable.push(
        ...page.items.filter((token) => token.agent_id === agentId && isNamed(token) && this.#isUsable(token)),
      );
      if (page.next_cursor === null || usable.length > CHOICES_MAX) return usable;
      cursor = page.next_cursor;
    }
    // Unknown means refused: the tokens that were not looked at may have a second usable one.
    throw new Fault('conflict', `the agent has too many capability tokens to look for the only usable one: ${how}`, {
      pointer: '/capability_token_id',
    });
  }

  #isUsable({ revoked, grant }: TokenView): boolean {
    const now = this.#now();
    return !revoked && grant.not_before <= now && now < grant.expires_at;
  }

  /** The only workspace of the tenant, for a token of none. Fault `conflict`. */
  async #onlyWorkspaceOf(caller: Caller): Promise<string> {
    const page = { cursor: null, limit: CHOICES_MAX + 1 };
    const { items } = await this.#kernel.ask('workspace.list', caller, { page });
    const [only, another] = items;
    const how = 'name one in `workspace_id`';
    const pointer = { pointer: '/workspace_id' };
    if (only === undefined) throw new Fault('conflict', `the tenant has no workspace: ${how}`, pointer);
    if (another === undefined) return only.workspace_id;
    const choices = choicesOf(items.map(({ workspace_id }) => workspace_id));
    throw new Fault(
      'conflict',
      `the capability token is of no workspace, and the tenant has several: ${how} (${choices})`,
      pointer,
    );
  }
}

/** Whether a call could name the token. */
const isNamed = ({ session_approval, spawned_by, job }: TokenView): boolean =>
  session_approval === undefined && spawned_by === undefined && job === undefined;

const choicesOf = (ids: readonly string[]): string => {
  const shown = ids.slice(0, CHOICES_MAX).map((id) => `\`${id}\``);
  return `${shown.join(', ')}${ids.length > CHOICES_MAX ? ' and others' : ''}`;
};
