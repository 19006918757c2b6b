// SPDX-License-Identifier: Apache-2.0
//
// The verbs that every noun shares. Older spellings stay as hidden aliases, so that no script and no guide breaks.
// `list-command.ts` and `delete-command.ts` have the other two.
import { Command } from 'commander';

/** `get`: one thing with all its details. */
export const getVerb = (): Command => new Command('get').alias('show');

/** `create`: a new thing, or a new version of it. */
export const createVerb = (...olderSpellings: readonly string[]): Command =>
  new Command('create').aliases(olderSpellings);

/** `update`: another value for settings of a thing; those that no option names stay as they are. */
export const updateVerb = (...olderSpellings: readonly string[]): Command =>
  new Command('update').aliases(olderSpellings);
