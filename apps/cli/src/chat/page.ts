// SPDX-License-Identifier: Apache-2.0
import { visible } from '../visible.ts';

/**
 * Where a conversation is shown. What comes from outside MUST come through `visible` before; `say` does that itself.
 */
export interface Page {
  /** what the model says, piece by piece */
  readonly say: (text: string) => void;
  /** a line about what happens, below whatever stands there */
  readonly note: (line: string) => void;
  /** a line for whoever must know it, even where nobody wants notes */
  readonly warn: (line: string) => void;
  /** ends a line that what was said left open */
  readonly settle: () => void;
}

interface Sinks {
  readonly say: (text: string) => void;
  readonly note: ((text: string) => void) | null;
  readonly warn: (text: string) => void;
}

/**
 * Text and notes in one place, each note on a line of its own. `note` null: none are shown. In a terminal all sinks are
 * one; in a pipe only text goes to standard output.
 */
export function pageOn({ say, note, warn }: Sinks): Page {
  let isOpen = false;
  const settle = (): void => {
    if (isOpen) say('\n');
    isOpen = false;
  };
  return {
    say: (text) => {
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
    settle,
  };
}
