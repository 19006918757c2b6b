// SPDX-License-Identifier: Apache-2.0
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { ShellControl, TerminalSize } from '@writ/sandbox';
import { drainPipe, drainStream } from '../drain.ts';
import { ENVIRONMENT, sacrifice, type EndAll, type Place } from '../perform.ts';
import { markFormat, MarkScanner, type Mark } from './mark-scanner.ts';

/** What the terminal's line discipline makes signals, or the end of input, of. */
const KEYS: Readonly<Record<ShellControl, string>> = { c: '\x03', d: '\x04', z: '\x1a', '\\': '\x1c' };
/** The descriptor on which the shell reads its commands: not the terminal, which programs read. */
const COMMANDS_FD = 3;
/**
 * On which it is started with the values that a command is given, and where it keeps that: what people redirect to by
 * hand is left to them.
 */
const [GIVEN_FD, VALUES_FD] = [4, 198];
/**
 * Nothing of a command is to be expanded as history, and prompts are ours to mark. The size is set from inside: the
 * terminal isn't there before.
 */
const startUpOf = ({ cols, rows }: TerminalSize): string =>
  `exec ${VALUES_FD}<&${GIVEN_FD} ${GIVEN_FD}<&-\nstty cols ${cols} rows ${rows} </dev/tty\nset +o history +H\nPS1= PS2=\nunset HISTFILE\n`;

/**
 * Takes away what a command has set to be shown or run at the prompt, as activating a virtual environment does: nobody
 * sees the prompt, and all that it shows would stand in the output. Through builtins, which only fail where a variable
 * is read-only: an assignment would end the line. In a group, so that no trace of it shows.
 */
const QUIET = '{ builtin unset -v PROMPT_COMMAND PS0 || :; builtin declare -g PS1= PS2= || :; } 2>/dev/null';

/** What a shell is opened with. */
export interface ShellSetting {
  readonly env: Readonly<Record<string, string>>;
  readonly size: TerminalSize;
}

export interface ShellListener {
  /** what the terminal shows; the bytes are valid only during the call */
  output(bytes: Buffer): void;
  /** the shell is at its prompt */
  prompt(status: number): void;
  /** the shell has ended and its output is read; null where a signal ended it */
  gone(code: number | null): void;
}

/**
 * A bash on a terminal of its own, made by `script` of util-linux: images have that, and no native module is needed.
 * Commands come over a pipe and not by the terminal, so no line discipline edits them, no echo repeats them, they may
 * be as long as they like, and what a program leaves unread is never run. Behind each command a mark with its status is
 * printed, before the shell comes to its prompt. The line after it prints the mark of the prompt; it is read when the
 * command is over, also where that was interrupted and nothing behind it in its line is run.
 *
 * INVARIANT (nowhere else): a value that a command is given comes over a pipe of its own into a variable of the shell,
 * for that command. It stands in no argument, environment, file, history or line that the shell reads, and no program
 * that a command starts has the pipe.
 */
export class TerminalShell {
  readonly #nonce: string;
  readonly #child: ChildProcess;
  readonly #listener: ShellListener;
  #busy = false;
  /** of the command that has ended and whose prompt isn't there yet */
  #status: number | null = null;

  constructor(
    { root, scratch, pipes, endAll }: Place,
    { env, size }: ShellSetting,
    nonce: string,
    listener: ShellListener,
  ) {
    this.#nonce = nonce;
    this.#listener = listener;
    const startUp = join(mkdtempSync(join(scratch, '.writ-')), 'rc');
    writeFileSync(startUp, startUpOf(size));
    this.#child = spawn(
      'script',
      [
        '-qef',
        '-c',
        `exec /bin/bash --rcfile ${startUp} --noediting -i <&${COMMANDS_FD} ${COMMANDS_FD}<&-`,
        '/dev/null',
      ],
      {
        cwd: root,
        env: { ...ENVIRONMENT, TERM: 'xterm-256color', PAGER: 'cat', GIT_PAGER: 'cat', PWD: root, ...env },
        detached: true,
        stdio: ['pipe', pipes?.stdout.jobFd ?? 'pipe', 'ignore', 'pipe', 'pipe'],
      },
    );
    if (pipes) for (const fd of [pipes.stdout.jobFd, pipes.stderr.jobFd, pipes.stderr.agentFd]) closeSync(fd);
    sacrifice(this.#child);
    this.#listen(
      pipes ? (take) => drainPipe(pipes.stdout, take) : (take) => drainStream(this.#child.stdout, take),
      endAll,
    );
  }

  /** Whether a command is under way. */
  get isBusy(): boolean {
    return this.#busy;
  }

  /** Runs a command in the shell itself, which finds the variables set. Call it at the prompt only. */
  run(command: string, variables: Readonly<Record<string, string>> = {}): void {
    this.#busy = true;
    const quoted = command.replaceAll("'", String.raw`'\''`);
    const names = Object.keys(variables);
    // Silent: the mark has ended the turn, and what the shell says of a variable that it won't unset would be told with
    // the next one's output.
    const [before, after] =
      names.length === 0
        ? ['', '']
        : [this.#give(names, variables), `; builtin unset -v ${names.join(' ')} 2>/dev/null`];
    const mark = (kind: Mark['kind']): string => `builtin printf '${markFormat(kind, this.#nonce)}' "$?" >/dev/tty`;
    // The second line begins with a simple command: after a syntax error bash takes a brace there for a word.
    this.#commands.write(
      ` ${before}eval '${quoted}' </dev/tty ${VALUES_FD}<&-; { ${mark('D')}; } 2>/dev/null; ${QUIET}\n ${mark('W')}; ${QUIET}${after}\n`,
    );
  }

  /**
   * Sends values; answers what the shell reads them with, before the command that it stands in front of. What it finds
   * on the pipe before this command's own mark is of a command that was interrupted while it read, and no value of this
   * one.
   */
  #give(names: readonly string[], variables: Readonly<Record<string, string>>): string {
    const mark = randomUUID();
    const [first = ''] = names;
    const read = (name: string): string => `IFS= builtin read -r -d '' -u ${VALUES_FD} ${name}`;
    this.#values.write([mark, ...names.map((name) => variables[name] ?? '')].map((text) => `${text}\0`).join(''));
    return `builtin unset -v ${names.join(' ')}; while ${read(first)} && [[ $${first} != ${mark} ]]; do :; done; ${names.map((name) => `${read(name)} && `).join('')}`;
  }

  /** Types text on the terminal. */
  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  press(control: ShellControl): void {
    this.type(KEYS[control]);
  }

  /** Tells the terminal its size; programs in it get SIGWINCH. Without one, programs take their own idea of it. */
  resize(cols: number, rows: number): void {
    const terminal = this.#terminal();
    if (terminal !== null)
      spawnSync('stty', ['-F', terminal, 'cols', String(cols), 'rows', String(rows)], { stdio: 'ignore' });
  }

  get #commands(): Writable {
    return this.#child.stdio[COMMANDS_FD] as Writable;
  }

  get #values(): Writable {
    return this.#child.stdio[GIVEN_FD] as Writable;
  }

  #listen(drain: (take: (bytes: Buffer) => void) => Promise<void>, endAll: EndAll): void {
    const scanner = new MarkScanner(this.#nonce);
    const drained = drain((bytes) => {
      for (const part of scanner.push(bytes)) {
        if (!('kind' in part)) this.#listener.output(part);
        else if (this.#busy) this.#marked(part);
      }
    });
    const ended = new Promise<number | null>((resolve) => {
      this.#child.once('error', () => resolve(null));
      this.#child.once('exit', (code) => resolve(code));
    });
    // What is typed or ordered when nobody reads any more is lost, as on a terminal.
    for (const stream of [this.#child.stdin, this.#commands, this.#values]) stream?.on('error', () => undefined);
    void ended.then(async (code) => {
      this.#busy = false;
      endAll(this.#child);
      await drained;
      this.#listener.gone(code);
    });
  }

  /**
   * INVARIANT (once a command): a command is over with the mark of the prompt, and its status is the one that was
   * marked right behind it, if any was.
   */
  #marked({ kind, status }: Mark): void {
    if (kind === 'D') {
      this.#status = status;
      return;
    }
    const ended = this.#status ?? status;
    this.#status = null;
    this.#busy = false;
    this.#listener.prompt(ended);
  }

  /** The terminal's name, told by the kernel of the descriptor that `script` holds; null where it is gone. */
  #terminal(): string | null {
    const process_ = `/proc/${String(this.#child.pid)}`;
    try {
      for (const fd of readdirSync(`${process_}/fd`)) {
        if (!readlinkSync(`${process_}/fd/${fd}`).endsWith('ptmx')) continue;
        const index = /^tty-index:\s*(\d+)$/m.exec(readFileSync(`${process_}/fdinfo/${fd}`, 'utf8'))?.[1];
        if (index !== undefined) return `/dev/pts/${index}`;
      }
    } catch {
      // It ends just now.
    }
    return null;
  }
}
