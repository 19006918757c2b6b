// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';
import { dockerAt } from '../parts/docker.ts';
import type { Engine } from '../process/table.ts';

/** The label that every container and volume of Writ carries; its value is the state directory's id. */
export const LABEL = 'writ';

/** In an engine of our own everything is ours, so the label's value need not agree. */
export const labelFilter = (engine: Engine): string => (engine.execRoot === null ? `${LABEL}=${engine.label}` : LABEL);

const removeVolumes = async (client: Docker, label: string): Promise<void> => {
  const { Volumes } = await client.listVolumes({ filters: { label: [label] } });
  await Promise.allSettled((Volumes ?? []).map(({ Name }) => client.getVolume(Name).remove({ force: true })));
};

/**
 * Removes the containers and volumes of a state directory. An engine that does not answer in time has nothing to be
 * asked.
 */
export const removeContainers = async (engine: Engine, timeoutMs: number): Promise<void> => {
  const client = dockerAt(engine.host, timeoutMs);
  const label = labelFilter(engine);
  try {
    const containers = await client.listContainers({ all: true, filters: { label: [label] } });
    await Promise.allSettled(containers.map(({ Id }) => client.getContainer(Id).remove({ force: true, v: true })));
    await removeVolumes(client, label);
  } catch {
    // The engine is gone; if it was ours, what it ran is found through its shims.
  }
};
