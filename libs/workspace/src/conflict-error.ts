// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { WorkspacePath } from './path.ts';
import { quote } from './quote.ts';

/** Paths that a message names; the error carries all. */
const NAMED_MAX = 5;

/** What a delta changes isn't as the delta found it. */
export class ConflictError extends Fault {
  readonly paths: readonly WorkspacePath[];

  constructor(paths: readonly WorkspacePath[]) {
    const more = paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : '';
    super('workspace.conflict', `something else stands at ${paths.slice(0, NAMED_MAX).map(quote).join(', ')}${more}`);
    this.name = 'ConflictError';
    this.paths = paths;
  }
}
