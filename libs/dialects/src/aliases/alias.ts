// SPDX-License-Identifier: Apache-2.0
import { Fault, parseMessage, type ToolDefinition } from '@writ/contract';
import type { TObject } from 'typebox';
import type { Args, CallMode, DialectCall } from '../dialect.ts';

/** The canonical call of a written one; or why there is none, in words for the model. */
export type Resolved =
  | {
      readonly tool_id: string;
      readonly args: Args;
      readonly mode?: CallMode;
      readonly show?: DialectCall['show'];
      readonly variables?: readonly string[];
    }
  | { readonly problem: string };

/** Both ends belong to it. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The range that a tool's definition gives a number. */
export function rangeOf({ tool_id, parameters }: ToolDefinition, name: string): Range {
  const { minimum, maximum } = ((parameters as TObject).properties[name] ?? {}) as {
    minimum?: number;
    maximum?: number;
  };
  if (minimum === undefined || maximum === undefined) throw new Error(`\`${tool_id}\` gives \`${name}\` no range`);
  return { min: minimum, max: maximum };
}

/**
 * Maps one name of a dialect to a canonical tool, and back. It is data, except for arguments that have another shape
 * and not only another name.
 */
export interface Alias {
  readonly name: string;
  readonly tool_id: string;
  readonly summary: string;
  readonly mode?: CallMode;
  /** a name that is accepted for old scripts and not offered */
  readonly legacy?: true;
  /** the arguments in the dialect's form; closed */
  readonly parameters: TObject;
  /**
   * the dialect's names of arguments, each with the canonical one; null for an argument about the form of the answer
   */
  readonly renames: Readonly<Record<string, string | null>>;
  /** arguments that the name implies: `grep` searches by a regular expression */
  readonly implied?: Args;
  /** questions for arguments that a call can't do without, by argument: clearer than an error of the schema */
  readonly needed?: Readonly<Record<string, string>>;
  /** the range of a number; a number beyond it becomes its nearest end, and the answer says so */
  readonly clamps?: Readonly<Record<string, Range>>;
  /** the tool of a call that lacks the argument: it only reads, and the alias's own tool changes something */
  readonly without?: { readonly argument: string; readonly tool_id: string };
  /** for arguments of another shape */
  readonly shape?: { readonly toCanonical: (args: Args) => Args; readonly fromCanonical: (args: Args) => Args | null };
  /** the argument that limits the answer, in characters */
  readonly charsMax?: string;
}

/** Converts arguments from the dialect to the canonical call. */
export function resolve(alias: Alias, args: unknown): Resolved {
  const missing = missingIn(alias, args);
  if (missing !== null) return { problem: missing };
  const wrong = faultOf(alias.parameters, args);
  if (wrong !== null) return { problem: `the arguments of \`${alias.name}\` don't fit: ${wrong}` };
  const { given, warnings } = clamped(alias, args as Args);
  const chars_max = alias.charsMax === undefined ? undefined : (given[alias.charsMax] as number | undefined);
  return {
    tool_id: toolOf(alias, given),
    mode: alias.mode ?? 'run',
    args: alias.shape?.toCanonical(given) ?? { ...renamed(alias, given), ...alias.implied },
    show: {
      ...(chars_max === undefined ? {} : { chars_max }),
      ...(alias.legacy === undefined ? {} : { legacy: alias.legacy }),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

const toolOf = ({ tool_id, without }: Alias, args: Args): string =>
  without === undefined || Object.hasOwn(args, without.argument) ? tool_id : without.tool_id;

/** What the call lacks, as a question to the model; null if it has everything that it needs. */
function missingIn({ name, needed = {} }: Alias, args: unknown): string | null {
  const has = (key: string): boolean => typeof args === 'object' && args !== null && Object.hasOwn(args, key);
  const missing = Object.entries(needed).find(([key]) => !has(key));
  return missing === undefined ? null : `\`${name}\` needs \`${missing[0]}\`: ${missing[1]}`;
}

/** The arguments with each number within its range, and a warning for each that was not. */
function clamped({ clamps = {} }: Alias, args: Args): { readonly given: Args; readonly warnings: string[] } {
  const moved = Object.entries(clamps).flatMap(([key, { min, max }]) => {
    const asked = args[key];
    const used = typeof asked === 'number' ? Math.min(Math.max(asked, min), max) : asked;
    return used === asked ? [] : [{ key, asked, used, min, max }];
  });
  return {
    given: { ...args, ...Object.fromEntries(moved.map(({ key, used }) => [key, used])) },
    warnings: moved.map(
      ({ key, asked, used, min, max }) =>
        `\`${key}\` is ${min} to ${max}: ${String(used)} was used instead of ${String(asked)}`,
    ),
  };
}

/** The same call in the dialect; null if the dialect can't express it. */
export function unresolve(alias: Alias, args: Args): Args | null {
  if (alias.shape !== undefined) return alias.shape.fromCanonical(args);
  const back = new Map(Object.entries(alias.renames).flatMap(([from, to]) => (to === null ? [] : [[to, from]])));
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(args)) {
    const from = back.get(key);
    if (from !== undefined) out[from] = value;
    else if (alias.implied?.[key] !== value) return null;
  }
  return Object.keys(alias.implied ?? {}).every((key) => args[key] === alias.implied?.[key]) ? out : null;
}

const renamed = ({ renames }: Alias, args: Args): Args =>
  Object.fromEntries(
    Object.entries(args).flatMap(([from, value]) => {
      const to = renames[from];
      return typeof to === 'string' ? [[to, value]] : [];
    }),
  );

function faultOf(schema: TObject, args: unknown): string | null {
  try {
    parseMessage(schema, args);
    return null;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}
