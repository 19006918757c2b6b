// SPDX-License-Identifier: Apache-2.0
import { realpathSync } from 'node:fs';
import type Docker from 'dockerode';
import { buildSandboxImage, type SandboxImage } from '@writ/sandbox-docker';
import { agentBundle, interpreterBundle } from '../build/bundle-agent.ts';
import type { Setup } from '../setup.ts';

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
 * The image that sandboxes of this state directory run: the base, this Node and the agent. Named after the state
 * directory, so that two checkouts that share an engine do not take it from each other.
 */
export const ensureSandboxImage = async (setup: Setup, docker: Docker, base: string): Promise<SandboxImage> => {
  const reference = `writ/sandbox:${setup.stateId}`;
  const before = await idOf(docker, reference);
  const image = await buildSandboxImage({
    docker,
    base,
    reference,
    nodeBinaryPath: realpathSync(process.execPath),
    agentBundlePath: agentBundle(setup.checkout),
    interpreterBundlePath: interpreterBundle(setup.checkout),
  });
  // Nothing names the one it replaces any more; it stays while a container still uses it.
  if (before !== undefined && before !== image.digest)
    await docker
      .getImage(before)
      .remove()
      .catch(() => undefined);
  return image;
};
