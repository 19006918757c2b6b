// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { encodeMessage, MessageReader, type ReceivedMessage } from './message.ts';

export interface EngineProcessOptions {
  /** the folder of the model's files, which the program gets as its argument */
  readonly modelDir: string;
  /** the engine's program */
  readonly program: URL;
  /** bytes of the process' own memory: RLIMIT_DATA */
  readonly memoryBytesMax: number;
  /** V8's heap, in MiB, which is a part of that memory */
  readonly heapMbMax: number;
  /** longer replies end the process */
  readonly replyBytesMax: number;
  /** whether the program loads native code, which the permissions of Node.js don't hold; false by default */
  readonly hasNativeCode?: boolean;
  /** the shell that sets the limits; without one, this process looks at the memory of the other */
  readonly shell?: string;
}

/** The end of what it wrote as errors, for operators. */
const ERROR_CHARS_MAX = 4_096;

/** Images of services have none. */
const SHELL = '/bin/sh';
const KIB = 1024;
/** How often the memory of a process is looked at that no shell has limited. */
const MEMORY_LOOK_MS = 200;

/**
 * Limits come before the program. Linux counts what WebAssembly reserves in RLIMIT_AS, and not in RLIMIT_DATA. No core
 * file may hold anybody's data, no file is written, and this process is the first to die where memory is short. Where
 * the kernel allows it, the process has a network namespace of its own, with nothing in it.
 */
const LIMITS = `
(echo 1000 > "/proc/$$/oom_score_adj") 2> /dev/null
ulimit -c 0 && ulimit -f 0 && ulimit -d "$1" || exit 125
shift
unset PWD
unshare -rn true 2> /dev/null && exec unshare -rn "$@"
exec "$@"`;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * One process of an engine, which works on attacker-controlled input: without our environment and with limits. It is
 * used for one call at a time, and never again after `kill`. It also works where there is no shell, as in the images of
 * the services.
 */
export class EngineProcess {
  /** whether it has said that its models are loaded */
  isReady = false;
  readonly #child: Child;
  readonly #reader: MessageReader;
  readonly #queue: ReceivedMessage[] = [];
  #wake: () => void = () => undefined;
  #ended: string | null = null;
  #errors = '';

  constructor(options: EngineProcessOptions) {
    const { memoryBytesMax, replyBytesMax, shell = SHELL } = options;
    this.#reader = new MessageReader(replyBytesMax);
    const program = realpathSync(fileURLToPath(options.program));
    const modelDir = existsSync(options.modelDir) ? realpathSync(options.modelDir) : options.modelDir;
    const command = [process.execPath, ...flagsFor(program, modelDir, options), program, modelDir];
    const isLimited = existsSync(shell);
    const [first = '', ...rest] = isLimited
      ? [shell, '-c', LIMITS, 'sh', String(Math.floor(memoryBytesMax / KIB)), ...command]
      : command;
    // No variable of ours: keys and addresses are in them. A group of its own: a signal to ours is not for it.
    this.#child = spawn(first, rest, { env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    if (!isLimited) this.#watchMemory(memoryBytesMax);
    this.#listen();
  }

  /** Sends a message. What can't be written shows in the next `receive`. */
  send(json: object, bytes?: Uint8Array): void {
    for (const part of encodeMessage(json, bytes)) this.#child.stdin.write(part);
  }

  /** Its next message. @throws Error if it ends, or says what is no message; operators alone may see its text */
  async receive(): Promise<ReceivedMessage> {
    for (;;) {
      const message = this.#queue.shift();
      if (message !== undefined) return message;
      if (this.#ended !== null) throw new Error(this.#ended);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  /** Ends the process, and whatever it started, at once. */
  kill(why: string): void {
    this.#end(why);
    const { pid } = this.#child;
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      this.#child.kill('SIGKILL');
    }
  }

  /** The process keeps nobody's event loop alive while it waits. */
  rest(isResting: boolean): void {
    const parts = [this.#child, this.#child.stdout, this.#child.stderr] as unknown as {
      ref?: () => void;
      unref?: () => void;
    }[];
    for (const part of parts) (isResting ? part.unref : part.ref)?.call(part);
  }

  /** Ends a process that takes too much. It is the first to die where memory is short, before anybody looks. */
  #watchMemory(bytesMax: number): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
    } catch {
      // It may have ended already.
    }
    const timer = setInterval(() => {
      const bytes = residentBytesOf(pid);
      if (bytes !== null && bytes > bytesMax) this.kill(`it took more than ${bytesMax} bytes of memory`);
    }, MEMORY_LOOK_MS).unref();
    this.#child.once('close', () => clearInterval(timer));
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    stdin.on('error', () => undefined);
    stdout.on('data', (part: Uint8Array) => {
      try {
        this.#queue.push(...this.#reader.push(part));
        this.#wake();
      } catch (error) {
        this.kill(error instanceof Error ? error.message : 'it says what is no message');
      }
    });
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-ERROR_CHARS_MAX);
    });
    this.#child.once('error', (error) => this.#end(error.message));
    this.#child.once('close', (code, signal) =>
      this.#end(`its process ended with ${signal ?? String(code)}${this.#errors === '' ? '' : `: ${this.#errors}`}`),
    );
  }

  #end(why: string): void {
    this.#ended ??= why;
    this.#wake();
  }
}

/** The memory of a process that its own pages take, without files that it reads; null once it has ended. */
function residentBytesOf(pid: number): number | null {
  try {
    const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kibibytes === undefined ? null : Number(kibibytes) * KIB;
  } catch {
    return null;
  }
}

/**
 * The permissions of Node.js: it reads its code and its model. It writes nothing, starts no process and no thread, and
 * loads no native code unless its options say so.
 */
function flagsFor(
  program: string,
  modelDir: string,
  { heapMbMax, hasNativeCode = false }: Pick<EngineProcessOptions, 'heapMbMax' | 'hasNativeCode'>,
): string[] {
  const root = rootOf(dirname(program));
  const readable = [
    dirname(program),
    modelDir,
    ...['node_modules', 'libs', 'package.json'].map((name) => join(root, name)),
  ];
  return [
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    '--disallow-code-generation-from-strings',
    ...(hasNativeCode ? ['--allow-addons'] : []),
    `--max-old-space-size=${heapMbMax}`,
    ...(program.endsWith('.ts') ? ['--conditions=@writ/source', '--no-warnings'] : []),
  ];
}

/** The nearest folder with packages. */
function rootOf(dir: string): string {
  const parent = dirname(dir);
  return existsSync(join(dir, 'node_modules')) || parent === dir ? dir : rootOf(parent);
}
