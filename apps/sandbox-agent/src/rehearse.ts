// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  encodeAgentMessage,
  encodeHostMessage,
  FrameDecoder,
  HOST_FRAMES,
  parseHostMessage,
  type AgentMessage,
  type HostMessage,
  type JobOrder,
} from '@writ/sandbox';
import { Agent } from './agent.ts';
import type { JobPipes } from './pipes.ts';

/** Many times its duration on a machine with a slow disk; nothing waits for it. */
const REHEARSAL_MS_MAX = 10_000;

/** The smallest job that does everything that most jobs do. */
const ORDER: JobOrder = {
  command: 'echo > f',
  cwd: '',
  timeout_ms: REHEARSAL_MS_MAX,
  env: {},
  stdin: false,
  proxy: true,
  output_bytes_max: 1_024,
  delta_bytes_max: 1_024,
  delta_files_max: 1,
};
const CONTENT = Buffer.from('\n');
const FILE: HostMessage = {
  type: 'file',
  head: {
    kind: 'file',
    path: 'f',
    mode: '644',
    size: CONTENT.length,
    sha256: createHash('sha256').update(CONTENT).digest('hex'),
  },
  bytes: CONTENT,
};

/**
 * Runs a job of the agent itself, in its own directory. The first job takes twice as long, because code is compiled and
 * the shell's pages are read. So the agent runs one while nothing waits. Resolves when nothing of it is left, with the
 * type of its last message; null where it failed: a real job would report the same failure.
 */
export async function rehearse(scratch: string, pipes: JobPipes | null): Promise<AgentMessage['type'] | null> {
  let root: string | undefined;
  try {
    root = mkdtempSync(join(scratch, '.writ-'));
    return await runRehearsal(root, scratch, pipes);
  } catch {
    // A failed rehearsal fails no job.
    return null;
  } finally {
    if (root !== undefined) rmSync(root, { recursive: true, force: true });
  }
}

function runRehearsal(root: string, scratch: string, pipes: JobPipes | null): Promise<AgentMessage['type']> {
  return new Promise((resolve) => {
    const agent = new Agent(
      { root, scratch, pipes, endAll: ({ pid }) => pid !== undefined && endGroup(pid) },
      (message) => {
        encodeAgentMessage(message);
        if (message.type === 'end' || message.type === 'fault' || (message.type === 'exit' && message.timedOut))
          resolve(message.type);
      },
    );
    const frames = new FrameDecoder(HOST_FRAMES);
    for (const message of [FILE, { type: 'job', job: ORDER }] as const)
      for (const frame of frames.push(encodeHostMessage(message))) agent.handle(parseHostMessage(frame));
  });
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // ESRCH: nothing is left to kill.
  }
}
