// SPDX-License-Identifier: Apache-2.0
import type { Caller } from '@writ/contract';
import { offeredTools, type TextDialect } from '@writ/dialects';
import type { OpenRun, RunPrompt } from '../../store/session-rows/sessions.ts';
import type { Offers } from '../../calls/kernel/offers.ts';
import { systemPrompt } from '../turns/system-prompt.ts';

/**
 * Reads a file of the workspace with the agent's rights, by an ordinary call. Null where it does not exist or the agent
 * may not read it.
 */
export type ReadNotes = (caller: Caller, open: OpenRun, path: string) => Promise<string | null>;

/** Composes the prompt of a run. It offers exactly the tools that the token grants. */
export class ComposePrompt {
  readonly #offers: Offers;
  readonly #readNotes: ReadNotes;

  constructor(offers: Offers, readNotes: ReadNotes) {
    this.#offers = offers;
    this.#readNotes = readNotes;
  }

  /** Faults: those of an offer, of the kernel. */
  async run(caller: Caller, open: OpenRun, dialect: TextDialect | null): Promise<RunPrompt> {
    const { session } = open;
    const offer = await this.#offers.of(caller, session.capability_token_id, { subAgents: true });
    return {
      system: await systemPrompt(dialect ?? 'openai', offer, {
        readNotes: (path) => this.#readNotes(caller, open, path),
        own: session.content.system,
      }),
      // A text dialect has the tools in the system prompt.
      tools:
        dialect === null
          ? offeredTools(offer).map(({ tool_id, description, parameters }) => ({ tool_id, description, parameters }))
          : [],
    };
  }
}
