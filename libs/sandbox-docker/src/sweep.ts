// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';

/**
 * Removes every container with all of these labels (`name=value`) that isn't kept; answers how many. Rejects when the
 * engine doesn't answer.
 */
export async function sweep(
  docker: Docker,
  labels: readonly string[],
  isKept: (id: string, labels: Readonly<Record<string, string>>) => boolean,
): Promise<number> {
  const found = await docker.listContainers({ all: true, filters: { label: [...labels] } });
  const left = found.filter(({ Id, Labels }) => !isKept(Id, Labels));
  // One that vanishes by itself meanwhile is what was wanted.
  await Promise.allSettled(left.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
  return left.length;
}
