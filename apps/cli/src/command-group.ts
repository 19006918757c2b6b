// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import type { Context } from './context.ts';

type CommandFactory = (context: Context) => Command;

/** A command below `writ`. */
export interface Group {
  readonly name: string;
  readonly summary: string;
  /** its plural, which means the same; absent where the name is no noun of a thing */
  readonly plural?: string;
  /** for programs only, so not in the help */
  readonly hidden?: true;
  /** Loaded only when it is used: `verify` then runs without the code that connects to a server. */
  readonly load: () => Promise<CommandFactory>;
}
