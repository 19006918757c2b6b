// SPDX-License-Identifier: Apache-2.0
import { visible } from '../visible.ts';

/** Where a conversation is shown. Callers MUST pass external text through `visible` first; `say` does that itself. */
export interface ChatOutput {
  /** the model's text, piece by piece */
  readonly text: (text: string) => void;
  /** a line about progress, on a line below the current text */
  readonly note: (line: string) => void;
  /** a warning line, shown even where notes are hidden */
  readonly warn: (line: string) => void;
  /** ends an unfinished line of text */
  readonly endLine: () => void;
}

interface Sinks {
  readonly say: (text: string) => void;
  readonly note: ((text: string) => void) | null;
  readonly warn: (text: string) => void;
}

/**
 * Combines text and notes, each note on a separate line. With `note` null, no notes are shown. In a terminal all sinks
 * are the same; in a pipe only text goes to standard output.
 */
export function combineOutputs({ say, note, warn }: Sinks): ChatOutput {
  let isOpen = false;
  const settle = (): void => {
    if (isOpen) say('\n');
    isOpen = false;
  };
  return {
    text: (text) => {
      if (text === '') return;
      say(visible(text));
      isOpen = !text.endsWith('\n');
    },
    note: (line) => {
      if (note === null) return;
      settle();
      note(`${line}\n`);
    },
    warn: (line) => {
      settle();
      warn(`${line}\n`);
    },
    endLine: settle,
  };
}
