// SPDX-License-Identifier: Apache-2.0
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file atomically: after a crash it has either its old or its new content. */
export function writeWhole(path: string, content: string | Uint8Array, mode = 0o666): void {
  mkdirSync(dirname(path), { recursive: true });
  const bytes = Buffer.from(content);
  const file = openSync(`${path}.next`, 'w', mode);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.next`, path);
  // The rename, too, must survive a power loss.
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
