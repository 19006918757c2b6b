// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { closeSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CANNOT_RUN, cannotStart, type JobOrder } from '@writ/sandbox';
import { drainPipe, drainStream } from './drain.ts';
import { codeOf } from './fault.ts';
import type { OutputCut } from './output-cut.ts';
import type { JobPipes } from './pipes.ts';
import type { StdinFile } from './stdin-file.ts';

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
}

/** Kills whatever a command started, however it tried to get away. */
export type EndAll = (leader: ChildProcess) => void;

/** Where a job runs. */
export interface Place {
  readonly root: string;
  /** a directory outside the workspace, for what the agent keeps */
  readonly scratch: string;
  readonly pipes: JobPipes | null;
  readonly endAll: EndAll;
}

/** What every job finds in its environment; nothing of the agent's own is in it. */
export const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  // Outside the workspace: what programs keep in a home is no effect of the job.
  HOME: '/tmp',
  TMPDIR: '/tmp',
  USER: 'sandbox',
  LOGNAME: 'sandbox',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
} as const;

/** What a program finds that is run without a shell: these and what is declared for it, nothing else. */
const BARE = {
  PATH: ENVIRONMENT.PATH,
  HOME: ENVIRONMENT.HOME,
  TMPDIR: ENVIRONMENT.TMPDIR,
  USER: ENVIRONMENT.USER,
  SHELL: ENVIRONMENT.SHELL,
  LANG: ENVIRONMENT.LANG,
  TERM: ENVIRONMENT.TERM,
} as const;

/** The program of the order with its arguments and its whole environment. */
function programOf(
  { argv, command, env }: JobOrder,
  cwd: string,
): { file: string; args: readonly string[]; env: Readonly<Record<string, string>> } {
  const [file, ...args] = argv ?? [];
  if (file === undefined)
    return { file: '/bin/bash', args: ['-c', command], env: { ...ENVIRONMENT, PWD: cwd, ...env } };
  return { file, args, env: { ...BARE, ...env } };
}

/**
 * Runs the command in a process group of its own; resolves when it and its output have ended. When its shell exits, or
 * at the timeout, whatever else of it still runs is killed.
 */
export async function perform(
  order: JobOrder,
  stdin: StdinFile | null,
  { root, pipes, endAll }: Place,
  output: OutputCut,
): Promise<Exit> {
  const cwd = join(root, order.cwd);
  if (!isDirectory(cwd)) return cannotRun(`the working directory \`${order.cwd}\` is not there\n`, output);
  const stdinFd = stdin?.open();
  const child = started(order, cwd, [
    stdinFd ?? 'ignore',
    pipes?.stdout.jobFd ?? 'pipe',
    pipes?.stderr.jobFd ?? 'pipe',
  ]);
  // Ours are copies of the job's ends: with them open the end of its output would never come.
  for (const fd of [stdinFd, pipes?.stdout.jobFd, pipes?.stderr.jobFd]) if (fd !== undefined) closeSync(fd);
  if (typeof child === 'string') return cannotRun(cannotStart(child), output);
  sacrifice(child);
  const drains = (['stdout', 'stderr'] as const).map((name) => {
    const take = (bytes: Buffer) => output.take(name, bytes);
    return pipes ? drainPipe(pipes[name], take) : drainStream(child[name], take);
  });
  const exit = await exited(child, order.timeout_ms, endAll, output);
  await Promise.all(drains);
  return exit;
}

/** Its process; an error's code where the kernel takes none of it: an argument that is too long, for example. */
function started(order: JobOrder, cwd: string, stdio: StdioOptions): ChildProcess | string {
  const { file, args, env } = programOf(order, cwd);
  try {
    return spawn(file, args, { cwd, env, shell: false, detached: true, stdio });
  } catch (error) {
    return codeOf(error);
  }
}

/** Nothing was started, and the output says why. */
function cannotRun(why: string, output: OutputCut): Exit {
  output.take('stderr', Buffer.from(why));
  return { code: CANNOT_RUN, signal: null, timedOut: false };
}

/** Out of memory the kernel takes the job before the agent, so that there is somebody left to tell. */
export function sacrifice(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    writeFileSync(`/proc/${child.pid}/oom_score_adj`, '1000');
  } catch {
    // Already gone: nothing to choose between.
  }
}

function exited(child: ChildProcess, timeoutMs: number, endAll: EndAll, output: OutputCut): Promise<Exit> {
  return new Promise((resolve) => {
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      endAll(child);
    }, timeoutMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      resolve(cannotRun(cannotStart(codeOf(error)), output));
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      // Background processes would go on writing while the workspace is compared.
      endAll(child);
      resolve({ code, signal: code === null ? (signal ?? 'SIGKILL') : null, timedOut });
    });
  });
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
