// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';

/** What fits on a screen below the message it explains. */
const LINES = 20;

/** The last lines of a log file, for a message about the process that wrote them. */
export const logTail = (path: string, lines = LINES): string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').slice(-lines) : [];
