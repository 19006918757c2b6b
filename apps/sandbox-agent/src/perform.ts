// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { closeSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CANNOT_RUN, cannotStart, type JobOrder } from '@writ/sandbox';
import { drainPipe, drainStream } from './drain.ts';
import { codeOf } from './fault.ts';
import type { BoundedOutput } from './bounded-output.ts';
import type { JobPipes } from './pipes.ts';
import type { StdinFile } from './stdin-file.ts';

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
}

/** Kills everything that a command started, however it tried to escape. */
export type EndAll = (leader: ChildProcess) => void;

/** The folders, streams and process control of a job. */
export interface JobEnvironment {
  readonly root: string;
  /** a directory outside of the workspace, for the agent's own files */
  readonly scratch: string;
  readonly pipes: JobPipes | null;
  readonly endAll: EndAll;
}

/** The environment of every job; nothing of the agent's own environment is in it. */
export const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  // Outside of the workspace: files that programs keep in their home are no effect of the job.
  HOME: '/tmp',
  TMPDIR: '/tmp',
  USER: 'sandbox',
  LOGNAME: 'sandbox',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
} as const;

/** The environment of a program that runs without a shell: these variables and its declared ones, nothing else. */
const PROGRAM_ENVIRONMENT = {
  PATH: ENVIRONMENT.PATH,
  HOME: ENVIRONMENT.HOME,
  TMPDIR: ENVIRONMENT.TMPDIR,
  USER: ENVIRONMENT.USER,
  SHELL: ENVIRONMENT.SHELL,
  LANG: ENVIRONMENT.LANG,
  TERM: ENVIRONMENT.TERM,
} as const;

/** The program of the order with its arguments and its complete environment. */
function programOf(
  { argv, command, env }: JobOrder,
  cwd: string,
): { file: string; args: readonly string[]; env: Readonly<Record<string, string>> } {
  const [file, ...args] = argv ?? [];
  if (file === undefined)
    return { file: '/bin/bash', args: ['-c', command], env: { ...ENVIRONMENT, PWD: cwd, ...env } };
  return { file, args, env: { ...PROGRAM_ENVIRONMENT, ...env } };
}

/**
 * Runs the command in its own process group; resolves when it and its output have ended. When its shell exits, or at
 * the timeout, all its remaining processes are killed.
 */
export async function perform(
  order: JobOrder,
  stdin: StdinFile | null,
  { root, pipes, endAll }: JobEnvironment,
  output: BoundedOutput,
): Promise<Exit> {
  const cwd = join(root, order.cwd);
  if (!isDirectory(cwd)) return reportNotStarted(`the working directory \`${order.cwd}\` is not there\n`, output);
  const stdinFd = stdin?.open();
  const child = startProcess(order, cwd, [
    stdinFd ?? 'ignore',
    pipes?.stdout.jobFd ?? 'pipe',
    pipes?.stderr.jobFd ?? 'pipe',
  ]);
  // These are copies of the job's ends: while they are open, the end of its output would never arrive.
  for (const fd of [stdinFd, pipes?.stdout.jobFd, pipes?.stderr.jobFd]) if (fd !== undefined) closeSync(fd);
  if (typeof child === 'string') return reportNotStarted(cannotStart(child), output);
  preferForOomKill(child);
  const drains = (['stdout', 'stderr'] as const).map((name) => {
    const take = (bytes: Buffer) => output.push(name, bytes);
    return pipes ? drainPipe(pipes[name], take) : drainStream(child[name], take);
  });
  const exit = await awaitExit(child, order.timeout_ms, endAll, output);
  await Promise.all(drains);
  return exit;
}

/**
 * Starts the process; returns the error's code where the operating system refuses, for example an argument that is too
 * long.
 */
export function startProcess(order: JobOrder, cwd: string, stdio: StdioOptions): ChildProcess | string {
  const { file, args, env } = programOf(order, cwd);
  try {
    return spawn(file, args, { cwd, env, shell: false, detached: true, stdio });
  } catch (error) {
    return codeOf(error);
  }
}

/** Writes why nothing was started into the output. */
export function reportNotStarted(why: string, output: BoundedOutput): Exit {
  output.push('stderr', Buffer.from(why));
  return { code: CANNOT_RUN, signal: null, timedOut: false };
}

/** Makes the kernel kill the job before the agent when memory runs out, so that the agent can report it. */
export function preferForOomKill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    writeFileSync(`/proc/${child.pid}/oom_score_adj`, '1000');
  } catch {
    // The process has already ended.
  }
}

/** Resolves when the process has ended, or was killed at its timeout, and nothing that it started lives on. */
export function awaitExit(
  child: ChildProcess,
  timeoutMs: number,
  endAll: EndAll,
  output: BoundedOutput,
): Promise<Exit> {
  return new Promise((resolve) => {
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      endAll(child);
    }, timeoutMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      resolve(reportNotStarted(cannotStart(codeOf(error)), output));
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      // Background processes would otherwise write while the workspace is compared.
      endAll(child);
      resolve({ code, signal: code === null ? (signal ?? 'SIGKILL') : null, timedOut });
    });
  });
}

/** Whether there is a directory at a path. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
