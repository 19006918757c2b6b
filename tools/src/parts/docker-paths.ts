// SPDX-License-Identifier: Apache-2.0
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Unix socket's path holds 107 bytes; containerd's lie some thirty bytes below the directory chosen here. */
const SOCKET_DIR_BYTES_MAX = 60;

/**
 * A directory for the engine's sockets and run-time files: in the state directory, or, when that path is too long for a
 * socket, below the system's directory for temporary files, under the state directory's name.
 */
export const engineRunDir = (stateDir: string, stateId: string, tmp = tmpdir()): string => {
  const inside = join(stateDir, 'run', 'engine');
  return Buffer.byteLength(inside) <= SOCKET_DIR_BYTES_MAX ? inside : join(tmp, `writ-${stateId}`);
};
