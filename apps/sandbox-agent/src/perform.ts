// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, statSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { JobOrder } from '@writ/sandbox';
import { codeOf } from './fault.ts';
import type { JobPipes } from './pipes.ts';
import type { OutputCut } from './output-cut.ts';

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
  readonly pipes: JobPipes | null;
  readonly endAll: EndAll;
}

/** A job under way: where its stdin goes, and how it ends. */
export interface Performance {
  readonly stdin: Writable | null;
  readonly exit: Promise<Exit>;
}

/** The shell's own status for a command that was found and can't be run. */
const CANNOT_RUN = 126;

/** What every job finds in its environment; nothing of the agent's own is in it. */
const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  // Outside the workspace: what programs keep in a home is no effect of the job.
  HOME: '/tmp', TMPDIR: '/tmp', USER: 'sandbox', LOGNAME: 'sandbox', SHELL: '/bin/bash', LANG: 'C.UTF-8', TERM: 'dumb',
} as const;

/** Starts the command in a process group of its own. When its shell exits, or at the timeout, whatever else of it still runs is killed. */
export function perform(order: JobOrder, { root, pipes, endAll }: Place, output: OutputCut): Performance {
  const cwd = join(root, order.cwd);
  if (!isDirectory(cwd)) {
    output.take('stderr', Buffer.from(`the working directory \`${order.cwd}\` is not there\n`));
    return { stdin: null, exit: Promise.resolve({ code: CANNOT_RUN, signal: null, timedOut: false }) };
  }
  const child = spawn('/bin/bash', ['-c', order.command], {
    cwd,
    env: { ...ENVIRONMENT, PWD: cwd, ...order.env },
    detached: true,
    stdio: [order.stdin ? (pipes?.stdin.jobFd ?? 'pipe') : 'ignore', pipes?.stdout.jobFd ?? 'pipe', pipes?.stderr.jobFd ?? 'pipe'],
  });
  const { stdin, stdout, stderr } = streamsOf(child, pipes);
  // A job that stops reading is no error of ours.
  stdin?.on('error', () => undefined);
  sacrifice(child);
  const ended = Promise.all([drained('stdout', stdout, output), drained('stderr', stderr, output), exited(child, order.timeout_ms, endAll, output)]);
  return { stdin: order.stdin ? stdin : null, exit: ended.then(([, , exit]) => exit) };
}

function streamsOf(child: ChildProcess, pipes: JobPipes | null): { stdin: Writable | null; stdout: Readable | null; stderr: Readable | null } {
  if (!pipes) return child;
  // Ours are copies of the job's ends: with them open the end of its output would never come.
  for (const { jobFd } of [pipes.stdin, pipes.stdout, pipes.stderr]) closeSync(jobFd);
  return {
    stdin: new Socket({ fd: pipes.stdin.agentFd, readable: false, writable: true }),
    stdout: new Socket({ fd: pipes.stdout.agentFd, readable: true, writable: false }),
    stderr: new Socket({ fd: pipes.stderr.agentFd, readable: true, writable: false }),
  };
}

/** Out of memory the kernel takes the job before the agent, so that there is somebody left to tell. */
function sacrifice(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    writeFileSync(`/proc/${child.pid}/oom_score_adj`, '1000');
  } catch {
    // Already gone: nothing to choose between.
  }
}

function drained(name: 'stdout' | 'stderr', stream: Readable | null, output: OutputCut): Promise<void> {
  return new Promise((resolve) => {
    if (!stream) return resolve();
    stream.on('data', (bytes: Buffer) => output.take(name, bytes));
    stream.on('error', () => resolve());
    stream.on('close', () => resolve());
  });
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
      output.take('stderr', Buffer.from(`the command can't be started (${codeOf(error)})\n`));
      resolve({ code: CANNOT_RUN, signal: null, timedOut: false });
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
