// SPDX-License-Identifier: Apache-2.0
import type { SandboxEntry } from './sandbox.ts';

/** What a fake command finds: files, and variables that last from one command to the next. */
export interface FakeShellWorld {
  readonly files: Map<string, SandboxEntry>;
  readonly vars: Map<string, string>;
  out(text: string): void;
}

/**
 * A stand-in for one command: ends with a status, exits the shell, or runs until it is told something that it ends at:
 * a status, or null to run on.
 */
export type FakeShellProgram = (
  world: FakeShellWorld,
) => number | { readonly exit: number } | { readonly runs: (input: string) => number | null };
