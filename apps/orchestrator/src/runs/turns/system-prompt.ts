// SPDX-License-Identifier: Apache-2.0
import { offeredTools, prompt, type DialectName, type Offer } from '@writ/dialects';

const IDENTITY = [
  'You work in a workspace through tools. Each call is decided by a policy before it runs, and is a transaction: it takes effect whole or not at all, and a command that fails is rolled back.',
  "Paths are relative to the workspace. When a call is refused or denied, accept that: don't try the same in another way; say what you could not do and why.",
].join(' ');

/** The file with people's notes on a repository. */
const NOTES = 'CODE.md';
const NOTES_CHARS_MAX = 20_000;

/** What a system prompt is made of, beside the tools. */
export interface PromptLayers {
  /** reads a text of the workspace with the agent's rights; null where there is none, or it may not be read */
  readonly readNotes: (path: string) => Promise<string | null>;
  /** the session's own text; null without one */
  readonly own: string | null;
}

/**
 * Composes the system prompt from layers: the agent's identity with its tools and the reach of its token, the notes of
 * the workspace, and the session's own text. INVARIANT (one prompt): sessions and `GET /v1/prompts` get it from this
 * function, so a client that drives its own model gives it the same text as a session. The notes are read only where
 * the token grants `fs.read`.
 */
export async function systemPrompt(
  dialect: DialectName,
  offer: Offer,
  { readNotes, own }: PromptLayers,
): Promise<string> {
  const notes = offeredTools(offer).some(({ tool_id }) => tool_id === 'fs.read') ? await readNotes(NOTES) : null;
  const layers = [
    IDENTITY,
    prompt(dialect, offer).system,
    notes === null ? '' : `Notes of this workspace (\`${NOTES}\`):\n${notes.slice(0, NOTES_CHARS_MAX)}`,
    own ?? '',
  ];
  return layers.filter((layer) => layer !== '').join('\n\n');
}
