// SPDX-License-Identifier: Apache-2.0
import { stripVTControlCharacters } from 'node:util';
import type { FaultCode, Usage } from '@writ/contract';
import type { SandboxUsage, ShellControl, ShellEnded, ShellTurned } from '@writ/sandbox';
import { shownText } from '../outputs/shown-text.ts';
import type { Staged } from '../calls/runner.ts';
import type { CopiedDelta } from './working-copy.ts';

/** The arguments of `shell.session`, as its definition has them. */
export interface SessionArgs {
  readonly command?: string;
  readonly input?: string;
  readonly ctrl?: ShellControl;
  readonly close?: true;
  readonly yield_ms?: number;
  readonly cols?: number;
  readonly rows?: number;
  readonly ansi?: boolean;
}

const NO_USAGE: Usage = { wall_ms: 0, cpu_ms: 0, memory_peak_bytes: 0, disk_write_bytes: 0, output_bytes: 0 };
const NO_EFFECT = { exitCode: null, delta: null, blobs: [] as readonly Uint8Array[], usage: NO_USAGE } as const;

/** The staged failure of a call that ran nothing in its session. */
export function stagedFailure(code: FaultCode, message: string, hint: string | null): Staged {
  return { ...NO_EFFECT, ended: 'failed', error: { code, message, hint }, result: null };
}

/** The result of a call that closed the session's shell. */
export function endedResult(): Staged {
  return {
    ...NO_EFFECT,
    ended: 'exited',
    error: null,
    result: { running: false, exit_code: null, output: '', truncated_bytes: 0, shell: 'ended', wall_ms: 0 },
  };
}

/** The staged end of a call whose shell ended unexpectedly. */
export function stagedEnd({ ended, reason, message, usage }: ShellEnded, wallMs: number): Staged {
  const endedFields = { ...NO_EFFECT, result: null, usage: { ...usageOf(usage, []), wall_ms: wallMs } };
  const hint = 'the shell is gone, and nothing of this call was kept';
  switch (ended) {
    case 'limit':
      return { ...endedFields, ended: 'limit', error: { code: 'limit.exceeded', message, hint } };
    case 'timeout':
      return { ...endedFields, ended: 'timeout', error: { code: 'command.timeout', message, hint } };
    case 'killed':
      return { ...endedFields, ended: 'killed', error: { code: 'command.killed', message, hint } };
    case 'invalid':
      return {
        ...endedFields,
        ended: 'invalid',
        error: { code: 'effect.invalid', message: reason === null ? message : `${message} (${reason})`, hint },
      };
    case 'lost':
      return { ...endedFields, ended: 'failed', error: { code: 'session.lost', message, hint } };
  }
}

/** The staged result of a turn with its delta; with a fault nothing of it is committed. */
export function stagedTurn(
  { args: { ansi }, isFirst }: { readonly args: SessionArgs; readonly isFirst: boolean },
  turned: ShellTurned,
  copied: CopiedDelta | null,
  fault: readonly [FaultCode, string] | null,
): Staged {
  const { state, exitCode, truncatedBytes, usage } = turned;
  const blobs = fault === null ? (copied?.blobs ?? []) : [];
  return {
    ended: fault === null ? 'exited' : 'failed',
    exitCode,
    error: fault === null ? null : { code: fault[0], message: fault[1], hint: null },
    delta: fault === null ? (copied?.delta ?? null) : null,
    blobs,
    result: {
      running: state === 'running',
      exit_code: exitCode,
      ...shownOutput(turned, ansi === true),
      truncated_bytes: truncatedBytes,
      shell: state === 'gone' ? 'ended' : isFirst ? 'started' : 'open',
      wall_ms: usage.wallMs,
    },
    usage: usageOf(usage, blobs),
  };
}

/**
 * The terminal's output, unchanged or as plain text: without escape sequences, and with line feeds as line ends. A cut
 * adds a note, and bytes that aren't UTF-8 set a mark.
 */
function shownOutput(
  { output, truncatedBytes, usage }: ShellTurned,
  ansi: boolean,
): { readonly output: string; readonly output_bytes?: number; readonly output_lossy?: true } {
  const { text, isLossy } = shownText(output, truncatedBytes > 0);
  const plain = ansi ? text : stripVTControlCharacters(text).replaceAll('\r\n', '\n');
  return {
    output: truncatedBytes === 0 ? plain : `${plain}\n[output cut: ${truncatedBytes} more bytes]`,
    ...(truncatedBytes === 0 ? {} : { output_bytes: usage.outputBytes }),
    ...(isLossy ? { output_lossy: true } : {}),
  };
}

function usageOf(
  { wallMs, cpuMs, memoryPeakBytes, outputBytes, countedBy }: SandboxUsage,
  blobs: readonly Uint8Array[],
): Usage {
  return {
    wall_ms: Math.round(wallMs),
    cpu_ms: Math.round(cpuMs),
    memory_peak_bytes: memoryPeakBytes,
    disk_write_bytes: blobs.reduce((sum, { length }) => sum + length, 0),
    output_bytes: outputBytes,
    ...(countedBy === undefined ? {} : { counted_by: countedBy }),
  };
}
