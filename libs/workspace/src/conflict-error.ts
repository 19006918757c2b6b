// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { WorkspacePath } from './path.ts';
import { quote } from './quote.ts';

/** Limit on the paths in a message; the error has all. */
const NAMED_MAX = 5;

/** The base of a delta differs from the current state at these paths. */
export class ConflictError extends Fault {
  readonly paths: readonly WorkspacePath[];

  constructor(paths: readonly WorkspacePath[]) {
    const more = paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : '';
    super('workspace.conflict', `something else stands at ${paths.slice(0, NAMED_MAX).map(quote).join(', ')}${more}`);
    this.name = 'ConflictError';
    this.paths = paths;
  }
}
