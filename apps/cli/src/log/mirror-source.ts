// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { consistencyNodes, hashAtFromTiles, parseTile, proveConsistency, tilePath, tilesOf } from '@writ/merkle';
import { CliError } from '../cli-error.ts';
import type { LogSource } from './log-source.ts';

/** The file of a copy's newest checkpoint, beside the folder `tile`, as C2SP tlog-tiles names both. */
export const CHECKPOINT_FILE = 'checkpoint';

/** A copy on disk: it needs no server. */
export function mirrorSource(folder: string): LogSource {
  const read = (path: string): Uint8Array => readMirrored(folder, path);
  return {
    checkpoint: () => Promise.resolve(Buffer.from(read(CHECKPOINT_FILE)).toString('utf8')),
    file: (path) => Promise.resolve(read(path)),
    consistency: (from, to) => {
      const tiles = new Map(
        tilesOf(consistencyNodes(from, to), to).map(({ level, index, width }) => [
          `${String(level)}/${String(index)}`,
          parseTile(read(tilePath(level, index, width)), width),
        ]),
      );
      return Promise.resolve(
        proveConsistency(
          from,
          to,
          hashAtFromTiles((level, index) => tiles.get(`${String(level)}/${String(index)}`) ?? []),
        ),
      );
    },
  };
}

function readMirrored(folder: string, path: string): Uint8Array {
  try {
    return readFileSync(join(folder, path));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new CliError(
      'mirror',
      `\`${join(folder, path)}\` can't be read (${code}): bring the copy up to date with \`writ log mirror\``,
      undefined,
      { cause: error },
    );
  }
}
