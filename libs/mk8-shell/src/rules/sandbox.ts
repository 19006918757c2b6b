// SPDX-License-Identifier: Apache-2.0
import type { Operation } from '../script/script.ts';
import type { Rules } from './rules.ts';

/** Where a script runs, and under which rules. Made by whoever registered the sandbox, never by a script. */
export interface Sandbox {
  readonly id: string;
  /** What `$WORKSPACE` says, and where programs find the files. */
  readonly root: string;
  /** The working directory within the root, without a slash at either end; empty for the root itself. */
  readonly cwd: string;
  readonly user: string;
  /** The signed environment, by names in capitals. */
  readonly env: ReadonlyMap<string, string>;
  readonly rules: Rules;
  /** What Include may put in place of itself. */
  readonly fragments: ReadonlyMap<string, readonly Operation[]>;
  readonly skills: readonly { readonly name: string; readonly summary: string }[];
}
