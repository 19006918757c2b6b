// SPDX-License-Identifier: Apache-2.0
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { ShellControl, TerminalSize } from '@writ/sandbox';
import { drainPipe, drainStream } from '../drain.ts';
import { ENVIRONMENT, preferForOomKill, type EndAll, type JobEnvironment } from '../perform.ts';
import { markFormat, MarkScanner, type Mark } from './mark-scanner.ts';

/** The keys that the terminal's line discipline turns into signals, or into the end of input. */
const KEYS: Readonly<Record<ShellControl, string>> = { c: '\x03', d: '\x04', z: '\x1a', '\\': '\x1c' };
/** The descriptor on which the shell reads its commands: not the terminal, which programs read. */
const COMMANDS_FD = 3;
/**
 * The descriptor with the values of a command at the shell's start, and the one that the shell moves it to: low numbers
 * are left to people's redirections.
 */
const [INITIAL_VALUES_FD, VALUES_FD] = [4, 198];
/**
 * Turns off history expansion and sets empty prompts, since this class prints the marks. The size is set from inside,
 * because the terminal doesn't exist before.
 */
const startUpOf = ({ cols, rows }: TerminalSize): string =>
  `exec ${VALUES_FD}<&${INITIAL_VALUES_FD} ${INITIAL_VALUES_FD}<&-\nstty cols ${cols} rows ${rows} </dev/tty\nset +o history +H\nPS1= PS2=\nunset HISTFILE\n`;

/**
 * Removes what a command has set to be shown or run at the prompt, as activating a virtual environment does. The prompt
 * is never shown, and all its text would appear in the output. It uses builtins, which only fail where a variable is
 * read-only: an assignment would end the line. In a group, so that no trace of it shows.
 */
const RESET_PROMPT = '{ builtin unset -v PROMPT_COMMAND PS0 || :; builtin declare -g PS1= PS2= || :; } 2>/dev/null';

/** The environment and terminal size of a new shell. */
export interface ShellOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly size: TerminalSize;
}

export interface ShellListener {
  /** the terminal's output; the bytes are valid only during the call */
  output(bytes: Buffer): void;
  /** the shell is at its prompt */
  prompt(status: number): void;
  /** the shell has ended and its output is read; null where a signal ended it */
  gone(code: number | null): void;
}

/**
 * A bash on its own terminal, made by `script` of util-linux: images have that, and no native module is needed.
 * Commands come over a pipe and not by the terminal. So no line discipline edits them, no echo repeats them, they may
 * have any length, and input that a program leaves unread is never run. After each command a mark with its status is
 * printed, before the shell reaches its prompt. The line after it prints the mark of the prompt. The shell reads that
 * line when the command is over, also after an interrupt, when the rest of the command's line isn't run.
 *
 * INVARIANT (nowhere else): a value for a command comes over its own pipe into a variable of the shell. It is in no
 * argument, environment, file, history or line that the shell reads, and no program that a command starts has the pipe.
 * The variable is unset after the command, so that a later one doesn't get it by accident. That is no protection from
 * the commands: they can copy it, and a function of the shell named `builtin` keeps it set.
 */
export class TerminalShell {
  readonly #nonce: string;
  readonly #child: ChildProcess;
  readonly #listener: ShellListener;
  #busy = false;
  /** the status of a command that has ended and whose prompt hasn't been reached yet */
  #status: number | null = null;

  constructor(
    { root, scratch, pipes, endAll }: JobEnvironment,
    { env, size }: ShellOptions,
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
    preferForOomKill(this.#child);
    this.#listen(
      pipes ? (take) => drainPipe(pipes.stdout, take) : (take) => drainStream(this.#child.stdout, take),
      endAll,
    );
  }

  /** Whether a command is running. */
  get isBusy(): boolean {
    return this.#busy;
  }

  /** Runs a command in the shell itself, with the variables set. Call it at the prompt only. */
  run(command: string, variables: Readonly<Record<string, string>> = {}): void {
    this.#busy = true;
    const quoted = command.replaceAll("'", String.raw`'\''`);
    const names = Object.keys(variables);
    // Silent: the mark has ended the turn, and an error about a variable that can't be unset would appear in the next
    // turn's output.
    const [before, after] =
      names.length === 0
        ? ['', '']
        : [this.#sendVariables(names, variables), `; builtin unset -v ${names.join(' ')} 2>/dev/null`];
    const mark = (kind: Mark['kind']): string => `builtin printf '${markFormat(kind, this.#nonce)}' "$?" >/dev/tty`;
    // The second line begins with a simple command: after a syntax error bash reads a brace there as a word.
    this.#commands.write(
      ` ${before}eval '${quoted}' </dev/tty ${VALUES_FD}<&-; { ${mark('D')}; } 2>/dev/null; ${RESET_PROMPT}\n ${mark('W')}; ${RESET_PROMPT}${after}\n`,
    );
  }

  /**
   * Sends values, and returns the commands with which the shell reads them, to be put before the command. Values on the
   * pipe before this command's own mark belong to a command that was interrupted while it read, and are skipped.
   */
  #sendVariables(names: readonly string[], variables: Readonly<Record<string, string>>): string {
    const mark = randomUUID();
    const [first = ''] = names;
    const read = (name: string): string => `IFS= builtin read -r -d '' -u ${VALUES_FD} ${name}`;
    this.#values.write([mark, ...names.map((name) => variables[name] ?? '')].map((text) => `${text}\0`).join(''));
    return `builtin unset -v ${names.join(' ')}; while ${read(first)} && [[ $${first} != ${mark} ]]; do :; done; ${names.map((name) => `${read(name)} && `).join('')}`;
  }

  /** Types text on the terminal. */
  typeText(text: string): void {
    this.#child.stdin?.write(text);
  }

  pressKey(control: ShellControl): void {
    this.typeText(KEYS[control]);
  }

  /** Sets the terminal's size; its programs get SIGWINCH. Without a size, programs assume their own. */
  resize(cols: number, rows: number): void {
    const terminal = this.#terminal();
    if (terminal !== null)
      spawnSync('stty', ['-F', terminal, 'cols', String(cols), 'rows', String(rows)], { stdio: 'ignore' });
  }

  get #commands(): Writable {
    return this.#child.stdio[COMMANDS_FD] as Writable;
  }

  get #values(): Writable {
    return this.#child.stdio[INITIAL_VALUES_FD] as Writable;
  }

  #listen(drain: (take: (bytes: Buffer) => void) => Promise<void>, endAll: EndAll): void {
    const scanner = new MarkScanner(this.#nonce);
    const drained = drain((bytes) => {
      for (const part of scanner.push(bytes)) {
        if (!('kind' in part)) this.#listener.output(part);
        else if (this.#busy) this.#handleMark(part);
      }
    });
    const ended = new Promise<number | null>((resolve) => {
      this.#child.once('error', () => resolve(null));
      this.#child.once('exit', (code) => resolve(code));
    });
    // Input and commands after the shell has ended are lost, as on a terminal.
    for (const stream of [this.#child.stdin, this.#commands, this.#values]) stream?.on('error', () => undefined);
    void ended.then(async (code) => {
      this.#busy = false;
      endAll(this.#child);
      await drained;
      this.#listener.gone(code);
    });
  }

  /**
   * INVARIANT (once a command): a command ends with the mark of the prompt. Its status is that of the mark right after
   * it, if there was one.
   */
  #handleMark({ kind, status }: Mark): void {
    if (kind === 'D') {
      this.#status = status;
      return;
    }
    const ended = this.#status ?? status;
    this.#status = null;
    this.#busy = false;
    this.#listener.prompt(ended);
  }

  /**
   * The terminal's name, from the kernel's facts about the descriptor that `script` holds; null where the terminal is
   * gone.
   */
  #terminal(): string | null {
    const process_ = `/proc/${String(this.#child.pid)}`;
    try {
      for (const fd of readdirSync(`${process_}/fd`)) {
        if (!readlinkSync(`${process_}/fd/${fd}`).endsWith('ptmx')) continue;
        const index = /^tty-index:\s*(\d+)$/m.exec(readFileSync(`${process_}/fdinfo/${fd}`, 'utf8'))?.[1];
        if (index !== undefined) return `/dev/pts/${index}`;
      }
    } catch {
      // The shell is ending.
    }
    return null;
  }
}
