// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runMark } from '@writ/stack';
import type { Span } from './reader.ts';

const PROGRAM = fileURLToPath(new URL('programs/relaying.mjs', import.meta.url));

/** Programs that aren't Writ and only measure: how long a chain of processes waits for this machine at this moment. */
export class Control {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #runs: { readonly sentAt: number; readonly ms: number }[] = [];

  constructor() {
    this.#child = spawn(process.execPath, [PROGRAM], { env: { ...runMark() }, stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface(this.#child.stdout).on('line', (line) => {
      this.#runs.push(JSON.parse(line) as { sentAt: number; ms: number });
    });
  }

  /** How long the chain took whenever it was begun in a span of time, in milliseconds. */
  between({ from, to }: Span): number[] {
    return this.#runs.filter(({ sentAt }) => sentAt >= from && sentAt < to).map(({ ms }) => ms);
  }

  /** Ends it, and the processes of its chain, which end with it. */
  end(): void {
    this.#child.stdin.end();
  }
}
