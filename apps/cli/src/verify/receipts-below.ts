// SPDX-License-Identifier: Apache-2.0
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { usage } from '../cli-error.ts';

/** The suffix of receipt files. */
const RECEIPT_SUFFIX = '.json';

/** Whether the path is a folder; a missing path is reported where it is read. */
export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * The receipt files below a folder: all files that end in `.json`, at any depth, in the order of their names. It yields
 * each path as it walks, so memory holds one listing per level, however large the folder. It doesn't follow links,
 * which could lead to the same receipts again, or out of the folder.
 *
 * @throws CliError `usage` for a folder that can't be read
 */
export function* receiptsBelow(folder: string): Generator<string> {
  for (const entry of listingOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* receiptsBelow(path);
    else if (entry.isFile() && entry.name.endsWith(RECEIPT_SUFFIX)) yield path;
  }
}

function listingOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw usage(`\`${folder}\` can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}
