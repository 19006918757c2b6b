// SPDX-License-Identifier: Apache-2.0
import type { Host } from '../host/host.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import type { PatchSource } from '../script/script.ts';
import type { GuardedFiles } from './guarded-files.ts';
import type { GuardedNet } from './guarded-net.ts';
import type { RunNotes } from './run-notes.ts';

/** The environment of a running verb. Files and connections go through the guards, never through the host itself. */
export interface StepContext {
  readonly files: GuardedFiles;
  readonly net: GuardedNet;
  readonly process: Host['process'];
  readonly notes: RunNotes;
  readonly clock: Host['clock'];
  readonly random: Host['random'];
  readonly env: Host['env'];
  readonly system: Host['system'];
  readonly sandbox: Sandbox;
  /** The source is a path within the workspace. */
  readonly template: { readonly source: string; readonly values: ReadonlyMap<string, string> } | null;
  readonly patches: readonly PatchSource[];
  /** Aborts when the time of the attempt is over. */
  readonly signal: AbortSignal;
  /** The rest of the attempt's time, in milliseconds, and at least one. */
  readonly remainingMs: () => number;
  readonly stdoutBytesMax: number;
  readonly stderrBytesMax: number;
  /** Records how many bytes of the output were cut before the verb received it. */
  readonly noteCut: (bytes: number) => void;
  /** All matches of expressions by this step share one time budget. */
  readonly checkRegexTime: () => void;
}
