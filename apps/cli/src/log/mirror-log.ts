// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { entryBundlePath, signaturesPath, TILE_WIDTH, tilePath, tileWidth } from '@writ/merkle';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { fieldsOf } from '../terminal.ts';
import { withTrust, type TrustOptions } from '../trust.ts';
import { serverSource } from './log-source.ts';
import { CHECKPOINT_FILE } from './mirror-source.ts';
import { progressLine } from './progress-bar.ts';
import { readCheckpoint, readTrusted } from './read-checkpoint.ts';
import { writeWhole } from '../write-whole.ts';

/** `writ log mirror DIR (--keys FILE | --trust FILE)`. */
export function mirrorLogCommand(context: Context): Command {
  const command = withTrust(new Command('mirror'))
    .argument('<dir>', 'the folder of the copy; it is made if it is missing')
    .description(
      "Copies new records of the log into a folder of C2SP tlog-tiles, for `verify --mirror` without a server. Verifies only the checkpoint's signatures.",
    );
  return command.action(async (dir: string) => {
    const options = command.optsWithGlobals<CommonOptions & TrustOptions>();
    const source = serverSource(connect(context, options, 'operator').client);
    const { note, origin, treeSize } = readCheckpoint(
      await source.checkpoint(),
      readTrusted(options),
      'the newest checkpoint',
    );
    let fetched = 0;
    for (const { path, reaches } of filesOf(treeSize)) {
      // Files of a log are immutable, so a file that exists needs no download.
      if (existsSync(join(dir, path))) continue;
      writeWhole(join(dir, path), await source.file(path));
      fetched += 1;
      context.showProgress?.(progressLine(reaches, treeSize));
    }
    context.showProgress?.('');
    // Written last, so that a copy never has a checkpoint without the records that it covers.
    writeWhole(join(dir, CHECKPOINT_FILE), note);
    show(context, options, { dir, origin, tree_size: treeSize, fetched }, () =>
      fieldsOf({ folder: dir, log: origin, records: treeSize, 'files fetched': fetched }),
    );
  });
}

/**
 * The files of a log of that size, hashes before the records that they cover. Each comes with the number of records up
 * to its end.
 */
function* filesOf(treeSize: number): Generator<{ path: string; reaches: number }> {
  for (let level = 1; treeSize >= TILE_WIDTH ** level; level += 1) {
    for (let index = 0, width; (width = tileWidth(level, index, treeSize)) > 0; index += 1)
      yield { path: tilePath(level, index, width), reaches: 0 };
  }
  for (let index = 0, width; (width = tileWidth(0, index, treeSize)) > 0; index += 1) {
    const reaches = index * TILE_WIDTH + width;
    yield { path: tilePath(0, index, width), reaches };
    yield { path: entryBundlePath(index, width), reaches };
    yield { path: signaturesPath(index, width), reaches };
  }
}
