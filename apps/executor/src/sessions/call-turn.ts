// SPDX-License-Identifier: Apache-2.0
import { LIMITS, YIELD_MS, type FaultCode } from '@writ/contract';
import type { SandboxEgress, ShellTurn, ShellTurned } from '@writ/sandbox';
import type { Call, Staged } from '../calls/runner.ts';
import { stagedFailure, type SessionArgs } from './session-result.ts';

/** Processors of a shell, as of a command. */
export const CPUS = 1;
/**
 * Bytes of the secret values of one command: eight of the longest, which fit into a frame with the command in any
 * encoding.
 */
const SECRET_BYTES_MAX = 64 * 1024;

const secretBytes = ({ env = {} }: Call): number =>
  Object.values(env).reduce((sum, value) => sum + Buffer.byteLength(value), 0);

/** Characters that a terminal shows in another form than they were typed in, or takes for the end of a line. */
const UNTYPEABLE = /[\u0000-\u001f\u007f]/;

/** The staged failure of a call whose secrets can't be passed on; null where they can. */
export function refusalOfSecrets(call: Call, { input }: SessionArgs): Staged | null {
  if (Math.max(secretBytes(call), Buffer.byteLength(input ?? '')) > SECRET_BYTES_MAX)
    return stagedFailure(
      'limit.exceeded',
      `the call names secrets of more than ${SECRET_BYTES_MAX} bytes in all`,
      'use fewer of them in one call',
    );
  // Their echo would not be recognised, and so not redacted.
  const untypeable = Object.entries(call.secrets).find(([, value]) => UNTYPEABLE.test(value))?.[0];
  return input === undefined || untypeable === undefined
    ? null
    : stagedFailure(
        'args.invalid',
        `the secret \`${untypeable}\` holds control characters, so it can't be typed`,
        'name it in a `command`, which gets it as a variable',
      );
}

/** The turn that a call asks of its shell. */
export function turnOf(
  args: SessionArgs,
  { limits, env = {} }: Pick<Call, 'limits' | 'env'>,
  egress: SandboxEgress,
): ShellTurn {
  return {
    ...(args.command === undefined ? {} : { command: args.command }),
    ...(Object.keys(env).length === 0 ? {} : { variables: env }),
    ...(args.input === undefined ? {} : { input: args.input }),
    ...(args.ctrl === undefined ? {} : { control: args.ctrl }),
    ...(args.cols === undefined || args.rows === undefined ? {} : { size: { cols: args.cols, rows: args.rows } }),
    egress,
    yieldMs: Math.min(args.yield_ms ?? YIELD_MS.default, limits.wall_ms),
    limits: {
      cpuMs: limits.cpu_ms,
      cpus: CPUS,
      outputBytes: limits.output_bytes,
      deltaBytes: limits.disk_write_bytes,
      deltaFiles: LIMITS.deltaChanges.max,
    },
  };
}

/** Why the shell did nothing in a turn; null where it accepted it. */
export function refusalOf({ refused }: ShellTurned): readonly [FaultCode, string] | null {
  if (refused === 'busy') return ['session.busy', 'a command is under way: `input` and `ctrl` reach it'];
  return refused === 'idle'
    ? ['session.idle', 'no program is under way that could take input: send a `command`']
    : null;
}
