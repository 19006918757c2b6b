// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import type { SandboxJob, SandboxLimits, SandboxResult } from '@writ/sandbox';
import { repositoryRoot, testAddress } from '@writ/testing';
import type { SandboxSize } from './container-options.ts';
import { DockerSandbox, type DockerSandboxConfig } from './docker-sandbox.ts';
import { buildSandboxImage, type SandboxImageSource } from './image.ts';

const MIB = 1024 * 1024;

/** Limits of the hostile jobs: small, since they are all reached. */
export const LIMITS: SandboxLimits = {
  memoryBytes: 128 * MIB, cpus: 1, pids: 64, tmpfsBytes: 32 * MIB, wallMs: 20_000, cpuMs: 20_000, outputBytes: 200_000, deltaBytes: 16 * MIB, deltaFiles: 1000,
};

/** What the containers of such jobs are cut to. */
export const SIZE: SandboxSize = { memoryBytes: LIMITS.memoryBytes, cpus: LIMITS.cpus, pids: LIMITS.pids, tmpfsBytes: LIMITS.tmpfsBytes };

/** The engine that tests share. Throws where there is none: a test that needs one fails and isn't skipped. */
export function testEngine(): Docker {
  process.env['DOCKER_HOST'] = testAddress('DOCKER_HOST');
  return new Docker();
}

/** The agent and the interpreter, bundled from their sources as they are. */
async function bundleAgent(folder: string): Promise<Pick<SandboxImageSource, 'agentBundlePath' | 'interpreterBundlePath'>> {
  const agentBundlePath = join(folder, 'agent.mjs');
  await promisify(execFile)(process.execPath, [join(repositoryRoot(), 'apps/sandbox-agent/bundle.mjs'), agentBundlePath]);
  return { agentBundlePath, interpreterBundlePath: join(folder, 'mk8.js') };
}

/**
 * What the test image is made of; `use` may change any of it. The files are gone when it resolves. The image that the set-up made serves
 * as the base, so that the agent under test is the one in the sources, whenever the set-up ran.
 */
export async function withImageSource<T>(docker: Docker, use: (source: SandboxImageSource) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'writ-agent-'));
  try {
    return await use({
      docker,
      base: testAddress('WRIT_TEST_SANDBOX_IMAGE'),
      nodeBinaryPath: process.execPath,
      ...await bundleAgent(folder),
      reference: `writ/sandbox-test:${testAddress('WRIT_TEST_LABEL')}`,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The sandbox image of the sources as they are: built once and found again while they don't change. */
export async function testImage(docker: Docker): Promise<string> {
  return (await withImageSource(docker, buildSandboxImage)).digest;
}

/** A sandbox of the test's own; nothing that others run on the engine is touched. */
export async function openSandbox(config: Partial<DockerSandboxConfig> = {}): Promise<{ sandbox: DockerSandbox; image: string; docker: Docker }> {
  const docker = testEngine();
  const image = await testImage(docker);
  return { docker, image, sandbox: await DockerSandbox.open({ docker, label: testAddress('WRIT_TEST_LABEL'), owner: `test-${randomUUID()}`, pools: [], ...config }) };
}

/** Runs a command on an empty workspace. */
export function runIn(sandbox: DockerSandbox, image: string, command: string, limits: Partial<SandboxLimits> = {}, rest: Partial<SandboxJob> = {}): Promise<SandboxResult> {
  const job = { image, files: [], command, cwd: '', env: {}, labels: {}, ...rest, limits: { ...LIMITS, ...limits } };
  return sandbox.run(job, new AbortController().signal);
}

/** stdout and stderr together. */
export function textOf(result: SandboxResult): string {
  return result.output.map(({ bytes }) => Buffer.from(bytes).toString()).join('');
}

/** It only ends what hangs: an engine beside others on few cores takes many seconds for what is at once elsewhere. */
const UNTIL_MS = 90_000;

/** Waits for a condition, asking often; rejects when it doesn't come true in time. */
export async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + UNTIL_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${UNTIL_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
