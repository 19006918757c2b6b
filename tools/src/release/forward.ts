// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { SetupError } from '../setup-error.ts';

/** A local port that leads to a pod of a Service. It ends with the pod. */
export interface Forward {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly close: () => Promise<void>;
}

const OPEN_MS = 20_000;

/** The port in the line that `kubectl port-forward` prints when it listens. */
export const parseForward = (line: string): number | undefined => {
  const port = /^Forwarding from 127\.0\.0\.1:(\d+) -> /.exec(line)?.[1];
  return port === undefined ? undefined : Number(port);
};

/**
 * Runs `kubectl port-forward` until it is closed, or this process ends.
 *
 * @param command the whole command, with an empty local port: `… service/NAME :80`
 * @throws SetupError where it ends, or doesn't listen in time
 */
export const openForward = async (
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Forward> => {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], cwd: '/' });
  const stop = (): boolean => child.kill('SIGTERM');
  process.once('exit', stop);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  }).finally(() => process.removeListener('exit', stop));
  const output = text(child.stderr);
  const timer = setTimeout(stop, OPEN_MS);
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = parseForward(line);
      if (found !== undefined) resolve(found);
    });
    void Promise.all([output, ended]).then(([lines]) =>
      reject(
        new SetupError('the API could not be reached: `kubectl port-forward` ended', lines.split('\n').filter(Boolean)),
      ),
    );
  }).finally(() => clearTimeout(timer));
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      stop();
      await ended;
    },
  };
};
