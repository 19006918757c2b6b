// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { repositoryRoot, testAddress } from '@writ/testing';
import { DockerSandbox, type DockerSandboxConfig } from './docker-sandbox.ts';
import { buildSandboxImage, type SandboxImageSource } from './image.ts';

export { LIMITS, runIn, SIZE, textOf, until } from '@writ/sandbox-host/contract';

/** The engine that tests share. Throws where there is none: a test that needs one fails instead of being skipped. */
export function testEngine(): Docker {
  process.env['DOCKER_HOST'] = testAddress('DOCKER_HOST');
  return new Docker();
}

/** The agent and the interpreter, bundled from the current sources. */
async function bundleAgent(
  folder: string,
): Promise<Pick<SandboxImageSource, 'agentBundlePath' | 'interpreterBundlePath'>> {
  const agentBundlePath = join(folder, 'agent.mjs');
  await promisify(execFile)(process.execPath, [
    join(repositoryRoot(), 'apps/sandbox-agent/bundle.mjs'),
    agentBundlePath,
  ]);
  return { agentBundlePath, interpreterBundlePath: join(folder, 'mk8.js') };
}

/**
 * The inputs of the test image; `use` may change any of them. The files are removed when it resolves. The set-up's
 * image is the base, so the agent under test comes from the current sources, whenever the set-up ran.
 */
export async function withImageSource<T>(docker: Docker, use: (source: SandboxImageSource) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'writ-agent-'));
  try {
    return await use({
      docker,
      base: testAddress('WRIT_TEST_SANDBOX_IMAGE'),
      nodeBinaryPath: process.execPath,
      ...(await bundleAgent(folder)),
      reference: `writ/sandbox-test:${testAddress('WRIT_TEST_LABEL')}`,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The sandbox image of the current sources: built once, and found again while they don't change. */
export async function testImage(docker: Docker): Promise<string> {
  return (await withImageSource(docker, buildSandboxImage)).digest;
}

/** A sandbox of one test; it touches no other containers of the engine. */
export async function openSandbox(
  config: Partial<DockerSandboxConfig> = {},
): Promise<{ sandbox: DockerSandbox; image: string; docker: Docker }> {
  const docker = testEngine();
  const image = await testImage(docker);
  return {
    docker,
    image,
    sandbox: await DockerSandbox.open({
      docker,
      label: testAddress('WRIT_TEST_LABEL'),
      owner: `test-${randomUUID()}`,
      pools: [],
      ...config,
    }),
  };
}
