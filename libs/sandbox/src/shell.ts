// SPDX-License-Identifier: Apache-2.0
import type { ShellState, TurnRefusal } from './agent-message.ts';
import type {
  SandboxChange,
  SandboxEgress,
  SandboxEnd,
  SandboxEntry,
  SandboxLabels,
  SandboxLimits,
  SandboxPatch,
  SandboxReason,
  SandboxUsage,
} from './sandbox.ts';
import type { ShellControl } from './shell-message.ts';

export interface ShellSpec {
  /** an image's reference or id, in the form of the adapter's engine */
  readonly image: string;
  readonly files: Iterable<SandboxEntry> | AsyncIterable<SandboxEntry>;
  /** added to the few variables that every shell has */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Pick<SandboxLimits, 'memoryBytes' | 'cpus' | 'pids' | 'tmpfsBytes'>;
  readonly size: TerminalSize;
  /**
   * whether it has a proxy on its loopback, which leads to the egress of the turn that runs; absent: it has none, and
   * nothing leaves
   */
  readonly proxy?: true;
  readonly labels: SandboxLabels;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** One request to a shell: at most one of command, input and control. None waits for further output. */
export interface ShellTurn {
  readonly command?: string;
  /**
   * variables of the shell for this command, by their names. They are unset after it, and enter no environment unless
   * the command exports them
   */
  readonly variables?: Readonly<Record<string, string>>;
  /** typed unchanged: nothing is added */
  readonly input?: string;
  readonly control?: ShellControl;
  /** the terminal's new size */
  readonly size?: TerminalSize;
  /**
   * where the proxy's connections of this turn lead; absent: each one is closed at once. Only for a shell that has a
   * proxy
   */
  readonly egress?: SandboxEgress;
  /** the turn ends at the prompt, or after this time */
  readonly yieldMs: number;
  readonly limits: Pick<SandboxLimits, 'cpuMs' | 'cpus' | 'outputBytes' | 'deltaBytes' | 'deltaFiles'>;
}

/**
 * How a turn ended, while its shell lives or has just ended by itself. All fields except `usage` and each change's
 * `before` come from the job.
 */
export interface ShellTurned {
  readonly state: ShellState;
  /** why nothing was done; null where the turn was accepted */
  readonly refused: TurnRefusal | null;
  /** of the command that ended in this turn, or of the shell where it has ended; null where none did */
  readonly exitCode: number | null;
  /** the output since the previous turn, as a terminal gets it */
  readonly output: Uint8Array;
  readonly truncatedBytes: number;
  /** changes since the files that were sent or reported before; empty while a command runs */
  readonly changes: readonly SandboxChange[];
  readonly usage: SandboxUsage;
}

/** The shell and its container are gone, or no longer trusted: only earlier reports count. */
export class ShellEnded extends Error {
  readonly ended: Exclude<SandboxEnd, 'exited'>;
  readonly reason: SandboxReason | null;
  readonly usage: SandboxUsage;

  constructor(
    ended: Exclude<SandboxEnd, 'exited'>,
    reason: SandboxReason | null,
    detail: string | null,
    usage: SandboxUsage,
  ) {
    super(detail ?? `the shell has ended: ${reason ?? ended}`);
    this.name = 'ShellEnded';
    this.ended = ended;
    this.reason = reason;
    this.usage = usage;
  }
}

/** One shell on a terminal in its own container. Calls of `turn` and `bring` MUST NOT overlap. */
export abstract class Shell {
  /** Rejects with ShellEnded; aborting the signal kills the shell. After a rejection it is closed. */
  abstract turn(turn: ShellTurn, signal: AbortSignal): Promise<ShellTurned>;
  /**
   * Applies outside changes to the workspace, all of them or none. Resolves with the paths that have unreported changes
   * of the shell; empty where the patches were applied. A running command would see files change, so callers do this
   * between commands.
   */
  abstract applyPatches(patches: readonly SandboxPatch[]): Promise<readonly string[]>;
  /** resolves when the shell is closed or its container gone, for whatever reason */
  abstract readonly gone: Promise<void>;
  /** Kills its processes; resolves when nothing of it is left. */
  abstract close(): Promise<void>;
}

/**
 * Opens shells. Implementations MUST give a shell what `Sandbox` gives a job and no more: no network but the `egress`
 * of a turn, no privilege, no access to another shell. They MUST bound their buffers by a turn's limits, and MUST end a
 * container whose agent breaks its protocol. They MUST close each connection before its turn settles, and MUST pass on
 * none that is made between turns. Callers MUST NOT treat `changes` as permitted because they are well-formed.
 */
export abstract class Shells {
  /** Rejects with ShellEnded (`lost`) where no container is available, and with SandboxJobError for invalid entries. */
  abstract open(spec: ShellSpec, signal: AbortSignal): Promise<Shell>;
}

export const NO_USAGE: SandboxUsage = { wallMs: 0, cpuMs: 0, memoryPeakBytes: 0, outputBytes: 0 };
