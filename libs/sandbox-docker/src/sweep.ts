// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';

/**
 * Removes every container that has all of these labels (`name=value`) and isn't to be kept. Returns their number.
 * Rejects when the engine doesn't answer.
 */
export async function sweep(
  docker: Docker,
  labels: readonly string[],
  isKept: (id: string, labels: Readonly<Record<string, string>>) => boolean,
): Promise<number> {
  const found = await docker.listContainers({ all: true, filters: { label: [...labels] } });
  const left = found.filter(({ Id, Labels }) => !isKept(Id, Labels));
  // A container that disappears by itself meanwhile is removed as well.
  await Promise.allSettled(left.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
  return left.length;
}
