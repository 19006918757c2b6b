// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { LIMITS } from '../limits.ts';
import { conditional } from './if-match.ts';
import { Caller } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;

/** The begin of an entry that denies a name wherever it stands in the workspace. */
export const ANYWHERE = '**/';

/**
 * The bounds of the output of a command in its result, in bytes. A result is one JSON value that several processes hold
 * and serialize at once; longer outputs are kept beside it and fetched.
 */
export const COMMAND_OUTPUT_BYTES = { min: 1_024, default: 200_000, max: 1024 * 1024 } as const;

const PATHS_MAX = 64;
const PathEntry = (description: string) => Type.String({ maxLength: 1_024, description });

const fields = {
  allowed_paths: Type.Array(PathEntry('a directory or file, with everything below it; empty: the whole workspace'), {
    minItems: 1,
    maxItems: PATHS_MAX,
    description: 'what calls of the tenant may reach, whatever their tokens grant',
  }),
  denied_paths: Type.Array(PathEntry('the same; with `**/` before it, wherever it stands in the workspace'), {
    maxItems: PATHS_MAX,
    description: 'what no call of the tenant reaches, whatever is allowed or granted',
  }),
  output_bytes: Type.Integer({
    minimum: COMMAND_OUTPUT_BYTES.min,
    maximum: COMMAND_OUTPUT_BYTES.max,
    description: 'most bytes of the output of a command in its result; 200000 unless set',
  }),
};

const CommandMs = Type.Integer({ minimum: 1_000, maximum: LIMITS.commandMs.max });
/** Tools of a tenant, and Writ's own that run commands, all fit. */
const TIMED_TOOLS_MAX = 64;

/** The longest time of commands. Absent in stored settings: each tool and profile states its own. */
const times = {
  command_ms: orNull({
    ...CommandMs,
    description:
      'milliseconds that a command may take at most, by any tool; null: the time of its tool or profile, 120 s for most',
  }),
  tool_command_ms: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*$' }), CommandMs, {
    ...closed,
    maxProperties: TIMED_TOOLS_MAX,
    description: 'the same for single tools, in place of `command_ms`',
  }),
};

/** The settings of a tenant that bound all its calls, beside what their tokens grant. */
export const CallSettings = Type.Object(
  { ...fields, command_ms: Type.Optional(times.command_ms), tool_command_ms: Type.Optional(times.tool_command_ms) },
  closed,
);
export type CallSettings = Static<typeof CallSettings>;

/**
 * The settings of a tenant that has set none. SSH and GnuPG keys of a home directory are denied in every directory,
 * since each may serve as a home. The files of accounts are denied where the workspace is the root of a file system.
 */
export const DEFAULT_CALL_SETTINGS: CallSettings = {
  allowed_paths: [''],
  denied_paths: [`${ANYWHERE}.ssh`, `${ANYWHERE}.gnupg`, 'etc/shadow', 'etc/passwd'],
  output_bytes: COMMAND_OUTPUT_BYTES.default,
};

/** Settings to change; the others stay. */
export const CallSettingsChange = Type.Partial(Type.Object({ ...fields, ...times }), { ...closed, minProperties: 1 });
export type CallSettingsChange = Static<typeof CallSettingsChange>;

/** The settings, and when they were last set. */
export const CallSettingsView = Type.Object(
  {
    ...fields,
    ...times,
    changed_at: orNull(
      Type.Integer({ minimum: 0, description: 'milliseconds since the epoch; null: never, so they are the defaults' }),
    ),
  },
  closed,
);
export type CallSettingsView = Static<typeof CallSettingsView>;

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const CALL_SETTINGS_REQUESTS = {
  /** → CallSettingsView */
  'call_settings.read': Type.Object({ ...asked }, closed),
  /** → CallSettingsView after the change */
  'call_settings.set': Type.Object({ ...asked, ...conditional, change: CallSettingsChange }, closed),
} as const;
