// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';
import { dockerAt } from '../parts/docker.ts';
import type { Engine } from '../process/table.ts';

/** The label of every container and volume of Writ; its value is the state directory's id. */
export const LABEL = 'writ';

/** In our own engine everything is ours, whatever the label's value. */
export const labelFilter = (engine: Engine): string => (engine.execRoot === null ? `${LABEL}=${engine.label}` : LABEL);

const removeVolumes = async (client: Docker, label: string): Promise<void> => {
  const { Volumes } = await client.listVolumes({ filters: { label: [label] } });
  await Promise.allSettled((Volumes ?? []).map(({ Name }) => client.getVolume(Name).remove({ force: true })));
};

/** Removes the containers and volumes of a state directory. An engine that doesn't answer in time is skipped. */
export const removeContainers = async (engine: Engine, timeoutMs: number): Promise<void> => {
  const client = dockerAt(engine.host, timeoutMs);
  const label = labelFilter(engine);
  try {
    const containers = await client.listContainers({ all: true, filters: { label: [label] } });
    await Promise.allSettled(containers.map(({ Id }) => client.getContainer(Id).remove({ force: true, v: true })));
    await removeVolumes(client, label);
  } catch {
    // The engine is gone; containers of our own one are found through its shims.
  }
};
