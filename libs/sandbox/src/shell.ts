// SPDX-License-Identifier: Apache-2.0
import type { ShellState, TurnRefusal } from './agent-message.ts';
import type {
  SandboxChange,
  SandboxEnd,
  SandboxEntry,
  SandboxLimits,
  SandboxPatch,
  SandboxReason,
  SandboxUsage,
} from './sandbox.ts';
import type { ShellControl } from './shell-message.ts';

export interface ShellSpec {
  /** an image's reference or id, as the adapter's engine understands it */
  readonly image: string;
  readonly files: Iterable<SandboxEntry> | AsyncIterable<SandboxEntry>;
  /** added to the few variables that every shell has */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Pick<SandboxLimits, 'memoryBytes' | 'cpus' | 'pids' | 'tmpfsBytes'>;
  readonly size: TerminalSize;
  readonly labels: Readonly<Record<string, string>>;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** What is asked of a shell at once: at most one of command, input and control; none waits for what comes. */
export interface ShellTurn {
  readonly command?: string;
  /**
   * what the command finds in variables of the shell, by their names; they are in no environment unless the command
   * puts them there, and unset after it
   */
  readonly variables?: Readonly<Record<string, string>>;
  /** typed as it is: nothing is added */
  readonly input?: string;
  readonly control?: ShellControl;
  /** the terminal's size from now on */
  readonly size?: TerminalSize;
  /** the turn ends at the prompt, or after so long */
  readonly yieldMs: number;
  readonly limits: Pick<SandboxLimits, 'cpuMs' | 'cpus' | 'outputBytes' | 'deltaBytes' | 'deltaFiles'>;
}

/**
 * How a turn ended, while its shell lives or has just ended by itself. All but `usage` and each change's `before` is
 * the job's word.
 */
export interface ShellTurned {
  readonly state: ShellState;
  /** why nothing was done; null where something was */
  readonly refused: TurnRefusal | null;
  /** of the command that ended in this turn, or of the shell where it is gone; null where none did */
  readonly exitCode: number | null;
  /** what came since the turn before, as a terminal gets it */
  readonly output: Uint8Array;
  readonly truncatedBytes: number;
  /** what differs from what was sent in and told before; empty while a command runs */
  readonly changes: readonly SandboxChange[];
  readonly usage: SandboxUsage;
}

/** The shell and its container are gone, or not to be trusted any more: nothing that was not told before counts. */
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

/** One shell on a terminal in a container of its own. Turns and bringings MUST be asked one after another. */
export abstract class Shell {
  /** Rejects with ShellEnded; aborting the signal kills the shell. After a rejection it is closed. */
  abstract turn(turn: ShellTurn, signal: AbortSignal): Promise<ShellTurned>;
  /**
   * Brings what changed elsewhere into the workspace, all of it or nothing: resolves with paths at which it finds
   * something that was not told yet, none where it was brought in. A running command sees files change under it, so
   * callers bring between commands.
   */
  abstract bring(patches: readonly SandboxPatch[]): Promise<readonly string[]>;
  /** resolves when the shell is closed or its container gone, however */
  abstract readonly gone: Promise<void>;
  /** Kills what runs in it; resolves when nothing of it is left. */
  abstract close(): Promise<void>;
}

/**
 * Opens shells. Implementations MUST give a shell what `Sandbox` gives a job and no more: no network, no privilege,
 * nothing of another's; MUST bound what they buffer by a turn's limits, and MUST end a container whose agent breaks its
 * protocol. Callers MUST NOT treat `changes` as permitted because they are well-formed.
 */
export abstract class Shells {
  /**
   * Rejects with ShellEnded (`lost`) where no container can be had, and with SandboxJobError for entries that can't be.
   */
  abstract open(spec: ShellSpec, signal: AbortSignal): Promise<Shell>;
}

export const NO_USAGE: SandboxUsage = { wallMs: 0, cpuMs: 0, memoryPeakBytes: 0, outputBytes: 0 };
