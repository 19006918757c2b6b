// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runMark } from '@writ/stack';
import type { Span } from './reader.ts';

const PROGRAM = fileURLToPath(new URL('programs/relaying.mjs', import.meta.url));

/** Programs outside Writ that only measure how long this machine delays a chain of processes. */
export class Control {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #runs: { readonly sentAt: number; readonly ms: number }[] = [];

  constructor() {
    this.#child = spawn(process.execPath, [PROGRAM], { env: { ...runMark() }, stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface(this.#child.stdout).on('line', (line) => {
      this.#runs.push(JSON.parse(line) as { sentAt: number; ms: number });
    });
  }

  /** How long the chains took that started within a time span, in milliseconds. */
  between({ from, to }: Span): number[] {
    return this.#runs.filter(({ sentAt }) => sentAt >= from && sentAt < to).map(({ ms }) => ms);
  }

  /** Ends it, and the processes of its chain. */
  end(): void {
    this.#child.stdin.end();
  }
}
