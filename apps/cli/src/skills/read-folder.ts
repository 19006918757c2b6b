// SPDX-License-Identifier: Apache-2.0
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '@writ/contract';
import { usage } from '../cli-error.ts';
import { visibleLine } from '../visible.ts';

/** A file of a folder, by its path relative to that folder. */
export interface FolderFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * All files of a folder, by path. INVARIANT (nothing from elsewhere): links are never followed, so only files of the
 * folder are sent.
 * @throws CliError for anything but a folder, for links and special files, and for more data than one skill may have
 */
export function readFolder(folder: string): FolderFile[] {
  const files: FolderFile[] = [];
  const { skillFilesSent, skillFileBytes, skillBytes } = LIMITS;
  let bytes = 0;
  const visit = (directory: string): void => {
    for (const name of namesIn(folder, directory)) {
      const path = directory === '' ? name : `${directory}/${name}`;
      const stat = lstatSync(join(folder, path));
      if (stat.isDirectory()) {
        visit(path);
        continue;
      }
      if (!stat.isFile())
        throw usage(
          `\`${visibleLine(path)}\` is ${stat.isSymbolicLink() ? 'a link' : 'no file'}: a skill holds files alone, so put the file itself there, or take it out`,
        );
      if (files.length >= skillFilesSent.max)
        throw usage(
          `the folder has more than ${skillFilesSent.max} files: a skill has at most ${LIMITS.skillFiles.max}`,
        );
      const content = contentOf(join(folder, path), path);
      bytes += content.byteLength;
      if (bytes > skillBytes.max)
        throw usage(
          `the folder has more than ${skillBytes.max} bytes, which is as much as a skill has: leave files out`,
        );
      files.push({ path, bytes: content });
    }
  };
  visit('');
  if (files.length === 0)
    throw usage(
      `\`${visibleLine(folder)}\` is empty: a skill is a folder with a SKILL.md of at most ${skillFileBytes.max} bytes`,
    );
  return files;
}

function namesIn(folder: string, directory: string): string[] {
  try {
    return readdirSync(join(folder, directory)).sort();
  } catch (error) {
    throw usage(
      `\`${visibleLine(join(folder, directory))}\` is no folder that can be read: ${(error as Error).message}`,
    );
  }
}

/** Opens the file that was listed: a file that has become a link meanwhile isn't followed. */
function contentOf(file: string, path: string): Uint8Array {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(descriptor);
    if (size > LIMITS.skillFileBytes.max)
      throw usage(
        `\`${visibleLine(path)}\` is longer than ${LIMITS.skillFileBytes.max} bytes: split it, or take it out`,
      );
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
