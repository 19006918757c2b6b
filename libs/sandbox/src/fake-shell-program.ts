// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { SandboxEntry } from './sandbox.ts';

/** The environment of a fake command: files, and variables that persist from one command to the next. */
export interface FakeShellWorld {
  readonly files: Map<string, SandboxEntry>;
  readonly vars: Map<string, string>;
  out(text: string): void;
  /** Connects to the proxy; null where there is none, and between turns. */
  connect(): Duplex | null;
}

/**
 * A fake command: it ends with a status, exits the shell, or runs until some input ends it. For each input it returns a
 * status, or null to keep running. A promise keeps its turn open.
 */
export type FakeShellProgram = (
  world: FakeShellWorld,
) => number | Promise<number> | { readonly exit: number } | { readonly runs: (input: string) => number | null };
