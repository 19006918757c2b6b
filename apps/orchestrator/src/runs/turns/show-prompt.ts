// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { prompt, type DialectName } from '@writ/dialects';
import type { Static } from 'typebox';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { Offers } from '../../calls/kernel/offers.ts';
import { parseCall } from '../../calls/parse-call.ts';
import type { Propose } from '../../calls/propose.ts';
import type { ShowOperation } from '../../calls/show-operation.ts';
import type { Models } from '../models/models.ts';
import { readText } from './read-text.ts';
import { systemPrompt } from './system-prompt.ts';
import type { PromptView } from './turn-schemas.ts';

/** What a prompt is for. */
export interface PromptQuery {
  readonly dialect: DialectName;
  readonly capability_token_id: string;
  /** the workspace whose notes it includes; absent: none */
  readonly workspace_id?: string;
}

/** How long the reading of the notes may take, in milliseconds: a file is read in a few, and a queue may be long. */
const NOTES_WAIT_MS = 30_000;

/** Shows the prompt that a session would begin with, to a client that drives its own model. */
export class ShowPrompt {
  readonly #kernel: KernelClient;
  readonly #offers: Offers;
  readonly #propose: Propose;
  readonly #show: ShowOperation;
  readonly #models: Pick<Models, 'views'>;

  constructor(
    kernel: KernelClient,
    offers: Offers,
    propose: Propose,
    show: ShowOperation,
    models: Pick<Models, 'views'>,
  ) {
    this.#models = models;
    this.#kernel = kernel;
    this.#offers = offers;
    this.#propose = propose;
    this.#show = show;
  }

  /**
   * Notes of a workspace are read by an ordinary call of the token's agent, as a session reads them: it is decided and
   * recorded.
   * @throws Fault `auth.role` for a caller that makes no calls, and those of an offer and of a proposal
   */
  async run(caller: Caller, query: PromptQuery, gone: AbortSignal): Promise<Static<typeof PromptView>> {
    const { dialect, capability_token_id, workspace_id } = query;
    if (workspace_id !== undefined && caller.role !== 'admin' && caller.role !== 'agent')
      throw new Fault(
        'auth.role',
        'the notes of a workspace are read by a call, which administrators and agents make; leave out `workspace_id`',
      );
    // A sub-agent runs here, so it needs a model.
    const subAgents = this.#models.views().length > 0;
    const offer = await this.#offers.of(caller, capability_token_id, { subAgents });
    const readNotes = async (path: string): Promise<string | null> =>
      workspace_id === undefined ? null : await this.#read(caller, { path, capability_token_id, workspace_id, gone });
    return {
      dialect,
      system: await systemPrompt(dialect, offer, { readNotes, own: null }),
      tools: prompt(dialect, offer).tools as Record<string, unknown>[] | null,
    };
  }

  async #read(
    caller: Caller,
    {
      path,
      capability_token_id,
      workspace_id,
      gone,
    }: Required<Omit<PromptQuery, 'dialect'>> & { readonly path: string; readonly gone: AbortSignal },
  ): Promise<string | null> {
    const { agent_id, workspace_id: only } = await this.#kernel.ask('token.read', caller, { capability_token_id });
    if (only !== null && only !== workspace_id)
      throw new Fault('token.scope', 'the capability token is for another workspace', { pointer: '/workspace_id' });
    const body = { tool_id: 'fs.read', args: { path }, agent_id, capability_token_id, workspace_id };
    return await readText(
      { propose: (...given) => this.#propose.run(...given), show: (reader, view) => this.#show.view(reader, view) },
      caller,
      parseCall(body, undefined, caller),
      { waitMs: NOTES_WAIT_MS, gone },
    );
  }
}
