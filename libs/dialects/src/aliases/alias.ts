// SPDX-License-Identifier: Apache-2.0
import { Fault, parseMessage } from '@writ/contract';
import type { TObject } from 'typebox';
import type { Args, CallMode, DialectCall } from '../dialect.ts';

/** What a written call means; or why it means nothing, in words for the model. */
export type Resolved =
  | { readonly tool_id: string; readonly args: Args; readonly mode?: CallMode; readonly show?: DialectCall['show'] }
  | { readonly problem: string };

/**
 * How one name of a dialect stands for a canonical tool, both ways. Data, but for arguments that have another shape and
 * not only another name.
 */
export interface Alias {
  readonly name: string;
  readonly tool_id: string;
  readonly summary: string;
  readonly mode?: CallMode;
  /** a name that is taken for old scripts and is not offered */
  readonly legacy?: true;
  /** the arguments as the dialect has them; closed */
  readonly parameters: TObject;
  /** the dialect's names of arguments, each with the canonical one; null for what says how the answer is to be shown */
  readonly renames: Readonly<Record<string, string | null>>;
  /** arguments that the name itself says: `grep` searches by a regular expression */
  readonly implied?: Args;
  /** where arguments have another shape */
  readonly shape?: { readonly toCanonical: (args: Args) => Args; readonly fromCanonical: (args: Args) => Args | null };
  /** the argument that bounds the answer, in characters */
  readonly charsMax?: string;
}

/** The canonical call that arguments in the dialect's words mean. */
export function resolve(alias: Alias, args: unknown): Resolved {
  const wrong = faultOf(alias.parameters, args);
  if (wrong !== null) return { problem: `the arguments of \`${alias.name}\` don't fit: ${wrong}` };
  const given = args as Args;
  const chars_max = alias.charsMax === undefined ? undefined : (given[alias.charsMax] as number | undefined);
  return {
    tool_id: alias.tool_id,
    mode: alias.mode ?? 'run',
    args: alias.shape?.toCanonical(given) ?? { ...renamed(alias, given), ...alias.implied },
    show: {
      ...(chars_max === undefined ? {} : { chars_max }),
      ...(alias.legacy === undefined ? {} : { legacy: alias.legacy }),
    },
  };
}

/** The same call in the dialect's words; null where it has none for it. */
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
