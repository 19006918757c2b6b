// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Both ends of a pipe from the job. The agent's end is non-blocking; the job's end blocks, as programs expect of their
 * standard streams.
 */
export interface Pipe {
  readonly agentFd: number;
  readonly jobFd: number;
}

export interface JobPipes {
  readonly stdout: Pipe;
  readonly stderr: Pipe;
}

/**
 * Makes the job's output streams as real pipes. `spawn` makes sockets, which can't be opened by name, so every script
 * that writes to `/dev/stderr` would fail. Returns the pipes of two jobs: of the real one and of the rehearsal. Returns
 * nulls where the image has no `mkfifo`: then sockets have to do.
 */
export function makePipes(parent: string): readonly [JobPipes | null, JobPipes | null] {
  const folder = mkdtempSync(join(parent, '.writ-'));
  const [stdout, stderr, ownStdout, ownStderr] = ['stdout', 'stderr', 'own-stdout', 'own-stderr'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  try {
    if (spawnSync('mkfifo', [stdout, stderr, ownStdout, ownStderr], { stdio: 'ignore' }).status !== 0)
      return [null, null];
    return [
      { stdout: fromJob(stdout), stderr: fromJob(stderr) },
      { stdout: fromJob(ownStdout), stderr: fromJob(ownStderr) },
    ];
  } finally {
    // The names are only needed to open the ends: the job finds no files of the agent.
    rmSync(folder, { recursive: true });
  }
}

function fromJob(name: string): Pipe {
  const agentFd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  return { agentFd, jobFd: openSync(name, constants.O_WRONLY) };
}
