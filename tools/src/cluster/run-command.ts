// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { SetupError } from '../setup-error.ts';

/** The result of a short program. */
export interface Printed {
  /** The exit status; -1 where it could not be started, or a signal ended it. */
  readonly status: number;
  /** The signal that ended it, or the reason why it could not be started; absent: it ended by itself. */
  readonly ended?: string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its standard input, as text. */
  readonly input?: string;
  /** The file that is its standard input. */
  readonly inputFile?: string;
  /** Kills it after that many milliseconds. */
  readonly timeoutMs?: number;
}

/** Runs a program to its end, with any status. */
export const runCommand = async (
  [command = '', ...args]: readonly string[],
  { env, input, inputFile, timeoutMs }: CommandOptions,
): Promise<Printed> => {
  const file = inputFile === undefined ? undefined : openSync(inputFile, 'r');
  try {
    const child = spawn(command, args, {
      env,
      stdio: [file ?? 'pipe', 'pipe', 'pipe'],
      cwd: '/',
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs, killSignal: 'SIGKILL' as const }),
    });
    const end = new Promise<Pick<Printed, 'status' | 'ended'>>((resolve) => {
      child.once('error', ({ message }) => resolve({ status: -1, ended: message }));
      child.once('close', (code, signal) =>
        resolve(code === null ? { status: -1, ended: String(signal) } : { status: code }),
      );
    });
    // The status decides for a program that ends without reading its input.
    child.stdin?.on('error', () => undefined).end(input ?? '');
    const [stdout, stderr] = await Promise.all(
      [child.stdout, child.stderr].map((stream) => (stream === null ? '' : text(stream))),
    );
    return { ...(await end), stdout: stdout ?? '', stderr: stderr ?? '' };
  } finally {
    if (file !== undefined) closeSync(file);
  }
};

/** The same, for a program that must succeed. Throws `SetupError` after "could not WHAT". */
export const mustRun = async (what: string, command: readonly string[], options: CommandOptions): Promise<string> => {
  const began = Date.now();
  const { status, ended, stdout, stderr } = await runCommand(command, options);
  const end =
    ended === undefined ? `ended with status ${status}` : `was ended after ${Date.now() - began} ms: ${ended}`;
  if (status !== 0)
    throw new SetupError(
      `could not ${what}: \`${command.join(' ')}\` ${end}`,
      `${stderr}\n${stdout}`.split('\n').filter((line) => line.trim() !== ''),
    );
  return stdout;
};
