// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS } from '@writ/contract';
import { parse, render, type DialectName, type Outcome, type Parsed, type RenderedMessage } from '@writ/dialects';

/** One output of a model, attacker-controlled. */
export interface ModelOutput {
  readonly dialect: DialectName;
  readonly output: string;
}

/**
 * Parses an output of a model. The result has a bounded number of values, so that the event loop can receive it in one
 * piece.
 *
 * @throws Fault `limit.exceeded` where the arguments of its calls hold more values
 */
export function readTurn({ dialect, output }: ModelOutput): Parsed {
  const parsed = parse(dialect, output);
  const { max } = LIMITS.bodyValues;
  let left = max;
  for (const { args } of parsed.calls) left -= valuesIn(args, left);
  if (left < 0)
    throw new Fault(
      'limit.exceeded',
      `the calls of this output hold more than ${max} values; put larger contents into the workspace as files`,
    );
  return parsed;
}

/** Counts the values in a value, and stops when the count exceeds `enough`. Arguments nest at most 32 deep. */
function valuesIn(value: unknown, enough: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const each of Object.values(value)) {
    count += valuesIn(each, enough - count);
    if (count > enough) break;
  }
  return count;
}

/** An output of a model with the outcomes of its calls. */
export interface Answered {
  readonly dialect: DialectName;
  readonly output: Pick<Parsed, 'calls' | 'problems'>;
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/** The messages for the model, in its dialect. */
export const renderTurn = ({ dialect, output, outcomes }: Answered): RenderedMessage[] =>
  render(dialect, output, outcomes);
