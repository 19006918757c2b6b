// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import type { Tree } from './sandbox-entries.ts';

/**
 * The tmpfs of a container fits the largest workspace and the largest effect together: a command on a full workspace
 * may still write its granted bytes.
 */
export const CONTAINER_TMPFS_BYTES = LIMITS.containerBytes.max + LIMITS.deltaBytes.max;

/** A tmpfs stores files in whole pages. */
const PAGE_BYTES = 4096;
const MIB = 1024 * 1024;

/** The limits of a tree in a container; tests use smaller ones. */
export interface ContainerCapacity {
  readonly bytesMax: number;
  readonly filesMax: number;
}
const CAPACITY: ContainerCapacity = { bytesMax: LIMITS.containerBytes.max, filesMax: LIMITS.containerFiles.max };

/**
 * Why the files don't fit into a container, in words for the caller; null where they fit. Checked before a container is
 * acquired or any content is read.
 */
export function capacityFault(tree: Tree, { bytesMax, filesMax }: ContainerCapacity = CAPACITY): string | null {
  if (tree.size > filesMax)
    return `the command may read ${tree.size} files and directories, more than the ${filesMax} that a container takes`;
  let pages = 0;
  for (const { kind, size } of tree.values()) if (kind === 'file') pages += Math.ceil(size / PAGE_BYTES);
  const bytes = pages * PAGE_BYTES;
  if (bytes <= bytesMax) return null;
  return `the files that the command may read take ${Math.ceil(bytes / MIB)} MiB, more than the ${Math.floor(bytesMax / MIB)} MiB that a container takes`;
}

/** The hint for a caller whose files don't fit. */
export const CAPACITY_HINT = 'use a token that reads less of the workspace, or delete what no command needs';
