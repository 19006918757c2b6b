// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** The program at a real terminal: `script` (util-linux) provides the pty and passes on the input. */
export class Pty {
  readonly #child: ChildProcess;
  #shown = '';
  #onOutput: (() => void) | null = null;

  constructor(args: readonly string[], env: Readonly<Record<string, string>>) {
    // Replaces the shell that `script` starts, which would end at a ctrl-c.
    const command = `exec ${[process.execPath, '--disable-warning=ExperimentalWarning', '--conditions=@writ/source', MAIN, ...args].map(quoted).join(' ')}`;
    this.#child = spawn('script', ['-qfec', command, '/dev/null'], {
      env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.on('data', (bytes: Buffer) => {
      this.#shown += String(bytes);
      this.#onOutput?.();
    });
    this.#child.once('close', () => this.#onOutput?.());
  }

  /** All output, including control sequences. */
  get shown(): string {
    return this.#shown;
  }

  type(text: string | Uint8Array): void {
    this.#child.stdin?.write(text);
  }

  /**
   * Resolves with the position after the text, once the output since `from` contains it. Throws if the program ends
   * first.
   */
  async waitFor(text: string, from = 0): Promise<number> {
    for (;;) {
      const at = this.#shown.indexOf(text, from);
      if (at >= 0) return at + text.length;
      if (this.#child.exitCode !== null) throw new Error(`it ended without showing \`${text}\`:\n${this.#shown}`);
      await new Promise<void>((resolve) => {
        this.#onOutput = resolve;
      });
    }
  }

  /** Resolves with the exit status. */
  async waitForExit(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, 'close');
    return this.#child.exitCode;
  }

  /** Ends the program, where a test didn't. */
  stop(): void {
    if (this.#child.exitCode === null) this.#child.kill();
  }
}
