// SPDX-License-Identifier: Apache-2.0
import type { Caller } from '@writ/contract';
import { offeredTools, prompt, type TextDialect } from '@writ/dialects';
import type { OpenRun, RunPrompt } from '../../store/sessions/sessions.ts';
import type { Offers } from '../../calls/kernel/offers.ts';

/**
 * Reads a file of the workspace as the agent may: by a call like every other. Null where there is none, or none for
 * this agent.
 */
export type ReadNotes = (caller: Caller, open: OpenRun, path: string) => Promise<string | null>;

const IDENTITY = [
  'You work in a workspace through tools. Each call is decided by a policy before it runs, and is a transaction: it takes effect whole or not at all, and a command that fails is rolled back.',
  "Paths are relative to the workspace. When a call is refused or denied, accept that: don't try the same in another way; say what you could not do and why.",
].join(' ');

/** What people write down for whoever works in a repository. */
const NOTES = 'CODE.md';
const NOTES_CHARS_MAX = 20_000;

/**
 * What a model is told before it begins, layer by layer: who it is, its tools and what its token reaches, the
 * workspace's notes, the session's own words. Exactly the tools that the token grants are offered.
 */
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
    const offer = await this.#offers.of(caller, session.capability_token_id, 'run');
    const tools = offeredTools(offer);
    const notes = tools.some(({ tool_id }) => tool_id === 'fs.read')
      ? await this.#readNotes(caller, open, NOTES)
      : null;
    const layers = [
      IDENTITY,
      prompt(dialect ?? 'openai', offer).system,
      notes === null ? '' : `Notes of this workspace (\`${NOTES}\`):\n${notes.slice(0, NOTES_CHARS_MAX)}`,
      session.content.system ?? '',
    ];
    return {
      system: layers.filter((layer) => layer !== '').join('\n\n'),
      // A dialect of text has said them.
      tools:
        dialect === null
          ? tools.map(({ tool_id, description, parameters }) => ({ tool_id, description, parameters }))
          : [],
    };
  }
}
