// SPDX-License-Identifier: Apache-2.0
import { realpathSync } from 'node:fs';
import type Docker from 'dockerode';
import { buildSandboxImage, type SandboxImage } from '@writ/sandbox-docker';
import { agentBundle, interpreterBundle } from '../build/bundle-agent.ts';
import type { Setup } from '../setup.ts';
import { npmPackage } from './npm-package.ts';

export type { SandboxImage };

const idOf = async (docker: Docker, reference: string): Promise<string | undefined> =>
  docker
    .getImage(reference)
    .inspect()
    .then(
      ({ Id }) => Id,
      () => undefined,
    );

/**
 * The sandbox image of this state directory: the base, this Node and the agent. It is named after the state directory,
 * so that two checkouts with the same engine don't replace each other's.
 */
export const ensureSandboxImage = async (setup: Setup, docker: Docker, base: string): Promise<SandboxImage> => {
  const reference = `writ/sandbox:${setup.stateId}`;
  const before = await idOf(docker, reference);
  const image = await buildSandboxImage({
    docker,
    base,
    reference,
    nodeBinaryPath: realpathSync(process.execPath),
    npmPath: npmPackage(setup.checkout),
    agentBundlePath: agentBundle(setup.checkout),
    interpreterBundlePath: interpreterBundle(setup.checkout),
  });
  // The replaced image loses its name; it stays while a container uses it.
  if (before !== undefined && before !== image.digest)
    await docker
      .getImage(before)
      .remove()
      .catch(() => undefined);
  return image;
};
