// SPDX-License-Identifier: Apache-2.0
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { usage } from '../cli-error.ts';

/** What the file of a receipt ends in. */
const RECEIPT_SUFFIX = '.json';

/** Answers whether the path leads to a folder; what isn't there is for its reader to say. */
export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * The files below a folder that have to be receipts: all that end in `.json`, in the order of their names, whatever
 * their depth. Each is named when it is reached, so that a folder of any size is gone through in the memory of one
 * listing a level. Links are not followed: one could lead to the same receipts again, or out.
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
