// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { HostProcess, type Command, type CommandEnded } from '@writ/mk8-shell';
import { codeOf } from '../fault.ts';
import { ENVIRONMENT, preferForOomKill } from '../perform.ts';
import { entryOf } from './resolved-path.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

const PROXY_VARIABLES = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'] as const;

/** The first bytes of a stream, and its total length. The stream is read to its end, whatever is kept. */
class StreamHead {
  readonly #parts: Buffer[] = [];
  #keptBytes = 0;
  #receivedBytes = 0;

  constructor(stream: Readable, bytesMax: number) {
    stream.on('data', (part: Buffer) => {
      const kept = part.subarray(0, Math.max(0, bytesMax - this.#keptBytes));
      if (kept.length > 0) this.#parts.push(kept);
      this.#keptBytes += kept.length;
      this.#receivedBytes += part.length;
    });
  }

  get text(): string {
    return Buffer.concat(this.#parts).toString('utf8');
  }

  get cutBytes(): number {
    return this.#receivedBytes - this.#keptBytes;
  }
}

/** Starts programs by their arguments, never with a shell, each in a new empty home folder. */
export class Commands extends HostProcess {
  readonly #files: WorkspaceFiles;
  readonly #scratch: string;
  readonly #variables: Readonly<Record<string, string | undefined>>;
  readonly #endAll: (leader: ChildProcess) => void;

  /**
   * @param variables those of this process, of which only the proxy's are passed on
   * @param endAll kills all that a command started, however it tried to escape
   */
  constructor(
    files: WorkspaceFiles,
    scratch: string,
    variables: Readonly<Record<string, string | undefined>>,
    endAll: (leader: ChildProcess) => void,
  ) {
    super();
    [this.#files, this.#scratch, this.#variables, this.#endAll] = [files, scratch, variables, endAll];
  }

  async run(command: Command, signal: AbortSignal): Promise<CommandEnded> {
    const home = mkdtempSync(join(this.#scratch, 'home-'));
    try {
      return await this.#run(command, home, signal);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }

  async #run(
    { argv: [program = '', ...args], cwd, env, timeoutMs, stdoutBytesMax, stderrBytesMax }: Command,
    home: string,
    signal: AbortSignal,
  ): Promise<CommandEnded> {
    const proxy = Object.fromEntries(
      PROXY_VARIABLES.flatMap((name) => (this.#variables[name] === undefined ? [] : [[name, this.#variables[name]]])),
    );
    const { PATH, USER, LANG, TERM } = ENVIRONMENT;
    // The descriptor, not the path, which could lead elsewhere by the time the program starts.
    const child = this.#files.inFolder(cwd, (folder) =>
      spawn(program, args, {
        cwd: entryOf(folder, '').slice(0, -1),
        env: { PATH, USER, LANG, TERM, HOME: home, TMPDIR: home, ...proxy, ...env },
        shell: false,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    preferForOomKill(child);
    const [stdout, stderr] = [
      new StreamHead(child.stdout, stdoutBytesMax),
      new StreamHead(child.stderr, stderrBytesMax),
    ];
    const exit = await exitStatusOf(child, timeoutMs, signal, this.#endAll);
    return { exit, stdout: stdout.text, stderr: stderr.text, cutBytes: stdout.cutBytes };
  }
}

/**
 * Resolves with the exit status when the program has ended, everything that it started is dead, and its output is read.
 */
function exitStatusOf(
  child: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal,
  endAll: (leader: ChildProcess) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let isStopped = signal.aborted;
    const stop = (): void => {
      isStopped = true;
      endAll(child);
    };
    const timer = setTimeout(stop, timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    };
    child.once('error', (error) => {
      over();
      reject(
        new Error(
          codeOf(error) === 'ENOENT'
            ? `the sandbox has no program \`${child.spawnfile.slice(0, 64)}\``
            : `the command can't be started (${codeOf(error)})`,
        ),
      );
    });
    child.once('exit', () => {
      endAll(child);
    });
    child.once('close', (code, name) => {
      over();
      if (isStopped) reject(new Error('the command was ended: its time is over'));
      else resolve(code ?? 128 + (name === null ? 0 : constants.signals[name]));
    });
    if (isStopped) endAll(child);
  });
}
