// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import type { Tree } from './sandbox-entries.ts';

/**
 * Room for the largest workspace and the largest effect beside it: a command on a full workspace may still write what
 * it is granted.
 */
export const CONTAINER_TMPFS_BYTES = LIMITS.containerBytes.max + LIMITS.deltaBytes.max;

/** What a file takes of a tmpfs is whole pages. */
const PAGE_BYTES = 4096;
const MIB = 1024 * 1024;

/** The limits that a tree is held to; others than the real ones in tests. */
export interface ContainerRoom {
  readonly bytesMax: number;
  readonly filesMax: number;
}
const ROOM: ContainerRoom = { bytesMax: LIMITS.containerBytes.max, filesMax: LIMITS.containerFiles.max };

/**
 * Why files can't be sent into a container, in words for the caller; null where they can. Known before one is taken or
 * anything is read.
 */
export function roomFault(tree: Tree, { bytesMax, filesMax }: ContainerRoom = ROOM): string | null {
  if (tree.size > filesMax)
    return `the command may read ${tree.size} files and directories, more than the ${filesMax} that a container takes`;
  let pages = 0;
  for (const { kind, size } of tree.values()) if (kind === 'file') pages += Math.ceil(size / PAGE_BYTES);
  const bytes = pages * PAGE_BYTES;
  if (bytes <= bytesMax) return null;
  return `the files that the command may read take ${Math.ceil(bytes / MIB)} MiB, more than the ${Math.floor(bytesMax / MIB)} MiB that a container takes`;
}

/** What helps whoever met it. */
export const ROOM_HINT = 'use a token that reads less of the workspace, or delete what no command needs';
