// SPDX-License-Identifier: Apache-2.0
import { createInterface, emitKeypressEvents } from 'node:readline';
import { Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { isDecodedWhole } from '../utf8.ts';
import type { Asking, Terminal, Typed } from './terminal-port.ts';

/** Lines that the arrow keys bring back. */
const HISTORY_MAX = 200;

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
  readonly sequence?: string;
}

const nowhere = (): Writable =>
  new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });

/** The terminal of the process. Between two questions it is as the shell left it, so that ctrl-c is a signal then. */
export class NodeTerminal implements Terminal {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  #history: string[] = [];
  /**
   * lines that came with the one that was asked for, as when a text is pasted, and what stands unfinished after them
   */
  readonly #ahead: string[] = [];
  #unfinished = '';

  constructor(input: ReadStream, output: WriteStream) {
    this.#input = input;
    this.#output = output;
  }

  readonly readLine = async (prompt: string, asking: Asking = {}): Promise<Typed> => {
    for (;;) {
      const typed = await this.#lineOf(prompt, asking);
      if (typed.kind !== 'text' || isDecodedWhole(typed.text)) return typed;
      this.#output.write(
        'That line is not UTF-8, so it was not taken: write it again, or set the terminal to UTF-8.\n',
      );
    }
  };

  readonly #lineOf = async (prompt: string, { hidden = false, signal }: Asking): Promise<Typed> => {
    // A secret is what is typed at its question, not what was typed before anybody asked.
    const ahead = hidden ? undefined : this.#ahead.shift();
    if (ahead !== undefined) {
      this.#output.write(`${prompt}${ahead}\n`);
      return { kind: 'text', text: ahead };
    }
    const lines = createInterface({
      input: this.#input,
      output: hidden ? nowhere() : this.#output,
      terminal: true,
      historySize: hidden ? 0 : HISTORY_MAX,
      history: hidden ? [] : this.#history,
      prompt: hidden ? '' : prompt,
    });
    // INVARIANT (unseen): nothing is asked before the terminal has stopped to echo, which it has with the interface.
    if (hidden) this.#output.write(prompt);
    else {
      lines.on('history', (history) => {
        this.#history = [...history];
      });
      lines.prompt();
      if (this.#unfinished !== '') lines.write(this.#unfinished);
      this.#unfinished = '';
    }
    const typed = await first(signal, (say) => {
      let isFirst = true;
      lines.on('line', (text) => {
        if (isFirst) say({ kind: 'text', text });
        else if (!hidden) this.#ahead.push(text);
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

  readonly readKey = async (prompt: string, { signal }: Asking = {}): Promise<Typed> => {
    emitKeypressEvents(this.#input);
    this.#input.setRawMode(true);
    this.#output.write(prompt);
    this.#input.resume();
    let heard: ((text: string | undefined, key: Key) => void) | null = null;
    let ended: (() => void) | null = null;
    try {
      return await first(signal, (say) => {
        heard = (text, { name, ctrl = false, sequence }) =>
          say(
            ctrl && name === 'c'
              ? { kind: 'interrupt' }
              : ctrl && name === 'd'
                ? { kind: 'end' }
                : { kind: 'text', text: name ?? text ?? sequence ?? '' },
          );
        ended = () => say({ kind: 'end' });
        this.#input.on('keypress', heard);
        this.#input.once('end', ended);
      });
    } finally {
      if (heard !== null) this.#input.off('keypress', heard);
      if (ended !== null) this.#input.off('end', ended);
      this.#input.setRawMode(false);
      this.#input.pause();
      this.#output.write('\n');
    }
  };
}

/**
 * The first thing that is said, or that the question is taken back. It resolves after the present chunk of input was
 * gone through.
 */
async function first(signal: AbortSignal | undefined, listen: (say: (typed: Typed) => void) => void): Promise<Typed> {
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
