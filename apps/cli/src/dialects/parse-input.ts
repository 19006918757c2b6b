// SPDX-License-Identifier: Apache-2.0
import { Fault, Grant, LIMITS, parseMessage } from '@writ/contract';
import { OUTCOME_STATUSES, type Outcome, type Parsed, type OutcomeStatus } from '@writ/dialects';
import { JsonError, parseIJson } from '@writ/digest';
import { Type, type Static, type TSchema } from 'typebox';
import { usage } from '../cli-error.ts';

const closed = { additionalProperties: false } as const;
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Call = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    tool_id: Type.String(),
    args: Type.Record(Type.String(), Type.Unknown()),
    mode: Type.Enum(['run', 'stage', 'apply']),
    show: Type.Object(
      { chars_max: Type.Optional(Type.Integer({ minimum: 0 })), legacy: Type.Optional(Type.Literal(true)) },
      closed,
    ),
    at: Type.Integer({ minimum: 0 }),
  },
  closed,
);
const Problem = Type.Object(
  {
    level: Type.Enum(['protocol', 'call', 'warning']),
    message: Type.String(),
    call_id: orNull(Type.String()),
    name: orNull(Type.String()),
    at: Type.Integer({ minimum: 0 }),
  },
  closed,
);
const OutcomeSchema = Type.Object(
  {
    standing: Type.Enum(Object.keys(OUTCOME_STATUSES) as OutcomeStatus[]),
    result: Type.Optional(Type.Unknown()),
    error: Type.Optional(
      orNull(
        Type.Object(
          { code: Type.String(), message: Type.String(), hint: Type.Optional(orNull(Type.String())) },
          closed,
        ),
      ),
    ),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
);
const Turn = Type.Object(
  {
    text: Type.Optional(Type.String()),
    calls: Type.Array(Call),
    problems: Type.Array(Problem),
    stop: Type.Optional(orNull(Type.String())),
    outcomes: Type.Optional(Type.Record(Type.String(), OutcomeSchema)),
  },
  closed,
);
const { tools, fs, net, secrets } = Grant.properties;
const Granted = Type.Object({ tools, fs, net, secrets }, closed);
export type Granted = Static<typeof Granted>;

/**
 * The output of `parse --json`, with the outcomes of its calls.
 * @throws CliError (usage) with the path of the problem
 */
export function parseTurn(text: string): {
  readonly turn: Pick<Parsed, 'calls' | 'problems'>;
  readonly outcomes: ReadonlyMap<string, Outcome>;
} {
  const { calls, problems, outcomes = {} } = read(Turn, jsonOf(text), 'standard input');
  return {
    turn: { calls, problems },
    outcomes: new Map(
      Object.entries(outcomes).map(([id, { standing, result, error, metadata }]) => [
        id,
        { standing, result: result ?? null, error: error ?? null, ...(metadata === undefined ? {} : { metadata }) },
      ]),
    ),
  };
}

/** One grant, or a chain of them. @throws CliError (usage) with the path of the problem */
export const parseGrants = (value: unknown): readonly Granted[] =>
  Array.isArray(value)
    ? read(Type.Array(Granted, { maxItems: LIMITS.chainTokens.max }), value, '`--grant`')
    : [read(Granted, value, '`--grant`')];

/** The nesting of a turn: outcomes hold results, and calls hold arguments. */
const DEPTH = LIMITS.argsDepth.max + 8;

function jsonOf(text: string): unknown {
  try {
    return parseIJson(text, { depthMax: DEPTH });
  } catch (error) {
    if (error instanceof JsonError) throw usage(`standard input is no JSON that Writ takes: ${error.message}`);
    throw error;
  }
}

function read<S extends TSchema>(schema: S, value: unknown, what: string): Static<S> {
  try {
    return parseMessage(schema, value);
  } catch (error) {
    if (error instanceof Fault) throw usage(`${what} is not what is taken: ${error.message}`);
    throw error;
  }
}
