// SPDX-License-Identifier: Apache-2.0
import { createInterface, emitKeypressEvents } from 'node:readline';
import { Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { isDecodedWhole } from '../utf8.ts';
import type { QuestionOptions, Terminal, TypedInput } from './terminal-port.ts';

/** Lines of history for the arrow keys. */
const HISTORY_MAX = 200;

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
  readonly sequence?: string;
}

const discardingStream = (): Writable =>
  new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });

/** The terminal of the process. Between two questions it is in the shell's mode, so that ctrl-c is a signal then. */
export class NodeTerminal implements Terminal {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  #history: string[] = [];
  /** lines that arrived together with the requested one, as in a paste; below, the unfinished line after them */
  readonly #typedAhead: string[] = [];
  #unfinished = '';

  constructor(input: ReadStream, output: WriteStream) {
    this.#input = input;
    this.#output = output;
  }

  readonly readLine = async (prompt: string, asking: QuestionOptions = {}): Promise<TypedInput> => {
    for (;;) {
      const typed = await this.#readRawLine(prompt, asking);
      if (typed.kind !== 'text' || isDecodedWhole(typed.text)) return typed;
      this.#output.write(
        'That line is not UTF-8, so it was not taken: write it again, or set the terminal to UTF-8.\n',
      );
    }
  };

  readonly #readRawLine = async (prompt: string, { hidden = false, signal }: QuestionOptions): Promise<TypedInput> => {
    // A secret is only what is typed at its own prompt, not input that was typed ahead.
    const typedAhead = hidden ? undefined : this.#typedAhead.shift();
    if (typedAhead !== undefined) {
      this.#output.write(`${prompt}${typedAhead}\n`);
      return { kind: 'text', text: typedAhead };
    }
    const lines = createInterface({
      input: this.#input,
      output: hidden ? discardingStream() : this.#output,
      terminal: true,
      historySize: hidden ? 0 : HISTORY_MAX,
      history: hidden ? [] : this.#history,
      prompt: hidden ? '' : prompt,
    });
    // INVARIANT (unseen): the prompt appears only after the terminal has stopped echoing, which the interface ensures.
    if (hidden) this.#output.write(prompt);
    else {
      lines.on('history', (history) => {
        this.#history = [...history];
      });
      lines.prompt();
      if (this.#unfinished !== '') lines.write(this.#unfinished);
      this.#unfinished = '';
    }
    const typed = await firstInput(signal, (say) => {
      let isFirst = true;
      lines.on('line', (text) => {
        if (isFirst) say({ kind: 'text', text });
        else if (!hidden) this.#typedAhead.push(text);
        isFirst = false;
      });
      lines.once('SIGINT', () => say({ kind: 'interrupt' }));
      lines.once('close', () => say({ kind: 'end' }));
    });
    if (typed.kind === 'text' && !hidden) this.#unfinished = lines.line;
    lines.close();
    if (typed.kind !== 'text' || hidden) this.#output.write('\n');
    return typed;
  };

  readonly readKey = async (prompt: string, { signal }: QuestionOptions = {}): Promise<TypedInput> => {
    emitKeypressEvents(this.#input);
    this.#input.setRawMode(true);
    this.#output.write(prompt);
    this.#input.resume();
    let onKey: ((text: string | undefined, key: Key) => void) | null = null;
    let onEnd: (() => void) | null = null;
    try {
      return await firstInput(signal, (say) => {
        onKey = (text, { name, ctrl = false, sequence }) =>
          say(
            ctrl && name === 'c'
              ? { kind: 'interrupt' }
              : ctrl && name === 'd'
                ? { kind: 'end' }
                : { kind: 'text', text: name ?? text ?? sequence ?? '' },
          );
        onEnd = () => say({ kind: 'end' });
        this.#input.on('keypress', onKey);
        this.#input.once('end', onEnd);
      });
    } finally {
      if (onKey !== null) this.#input.off('keypress', onKey);
      if (onEnd !== null) this.#input.off('end', onEnd);
      this.#input.setRawMode(false);
      this.#input.pause();
      this.#output.write('\n');
    }
  };
}

/**
 * Resolves with the first input, or with the withdrawal of the question. It resolves after the present chunk of input
 * was processed.
 */
async function firstInput(
  signal: AbortSignal | undefined,
  listen: (resolveWith: (typed: TypedInput) => void) => void,
): Promise<TypedInput> {
  return await new Promise((resolve) => {
    const withdrawn = (): void => resolve({ kind: 'withdrawn' });
    if (signal?.aborted === true) return withdrawn();
    signal?.addEventListener('abort', withdrawn, { once: true });
    listen((typed) => {
      signal?.removeEventListener('abort', withdrawn);
      resolve(typed);
    });
  });
}
