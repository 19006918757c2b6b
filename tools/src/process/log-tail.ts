// SPDX-License-Identifier: Apache-2.0
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/** Lines that fit on a screen below the message. */
const LINES = 20;

/** Bytes for that many lines; a log that has grown for days is not read whole. */
const TAIL_BYTES = 64 * 1024;

/** The last lines of a log file, for a message about the process that wrote them. */
export const logTail = (path: string, lines = LINES): string[] => {
  if (!existsSync(path)) return [];
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    const all = bytes.toString('utf8', 0, read).trimEnd().split('\n');
    // The first line may be incomplete.
    return (size > TAIL_BYTES ? all.slice(1) : all).slice(-lines);
  } finally {
    closeSync(file);
  }
};
