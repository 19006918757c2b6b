// SPDX-License-Identifier: Apache-2.0
import type { Sandbox, SandboxJob, SandboxLimits, SandboxResult } from '@writ/sandbox';
import type { SandboxSize } from './container-engine.ts';

const MIB = 1024 * 1024;

/** Limits of the hostile jobs: small, since the jobs reach all of them. */
export const LIMITS: SandboxLimits = {
  memoryBytes: 128 * MIB,
  cpus: 1,
  pids: 64,
  tmpfsBytes: 32 * MIB,
  wallMs: 20_000,
  cpuMs: 20_000,
  outputBytes: 200_000,
  deltaBytes: 16 * MIB,
  deltaFiles: 1000,
};

/** The limits of the containers of such jobs. */
export const SIZE: SandboxSize = {
  memoryBytes: LIMITS.memoryBytes,
  cpus: LIMITS.cpus,
  pids: LIMITS.pids,
  tmpfsBytes: LIMITS.tmpfsBytes,
};

/** Runs a command on an empty workspace. */
export function runIn(
  sandbox: Sandbox,
  image: string,
  command: string,
  limits: Partial<SandboxLimits> = {},
  rest: Partial<SandboxJob> = {},
): Promise<SandboxResult> {
  const job = { image, files: [], command, cwd: '', env: {}, labels: {}, ...rest, limits: { ...LIMITS, ...limits } };
  return sandbox.run(job, new AbortController().signal);
}

/** stdout and stderr together. */
export function textOf(result: SandboxResult): string {
  return result.output.map(({ bytes }) => Buffer.from(bytes).toString()).join('');
}

/** Only for jobs that hang: a busy engine on few cores takes many seconds for work that is otherwise instant. */
const UNTIL_MS = 90_000;

/** Polls a condition frequently; rejects when it doesn't become true in time. */
export async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + UNTIL_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${UNTIL_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
