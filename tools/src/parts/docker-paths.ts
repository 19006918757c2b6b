// SPDX-License-Identifier: Apache-2.0
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A Unix socket's path has at most 107 bytes; containerd's are some thirty bytes longer than the directory chosen here.
 */
const SOCKET_DIR_BYTES_MAX = 60;

/**
 * A directory for the engine's sockets and run-time files: in the state directory, if its path is short enough for a
 * socket. Otherwise below the system's temporary directory, under the state directory's id.
 */
export const engineRunDir = (stateDir: string, stateId: string, tmp = tmpdir()): string => {
  const inside = join(stateDir, 'run', 'engine');
  return Buffer.byteLength(inside) <= SOCKET_DIR_BYTES_MAX ? inside : join(tmp, `writ-${stateId}`);
};
