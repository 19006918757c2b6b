// SPDX-License-Identifier: Apache-2.0
//
// What of a message the SDK may read. Its schemas check a message whole on the event loop, and report each error of
// each value.
import { Fault } from '@writ/contract';
import { INLINE_VALUES } from '../../edge/requests/json-body.ts';
import type { McpMessage } from './routes.ts';

/** A message in two parts. */
export interface ReadMessage {
  /** what the SDK checks: without the arguments of a call */
  readonly message: McpMessage;
  /** the arguments of a call, which only the policy and the tool check; undefined where there are none */
  readonly args: Record<string, unknown> | undefined;
}

/** Takes the arguments of a call out of a message, which is attacker-controlled. Faults: `request.too_large`. */
export function readMessage(whole: McpMessage): ReadMessage {
  const taken = whole.method === 'tools/call' ? whole.params?.['arguments'] : undefined;
  const isObject = typeof taken === 'object' && taken !== null && !Array.isArray(taken);
  const message = isObject ? { ...whole, params: { ...whole.params, arguments: {} } } : whole;
  if (countUpTo(message, INLINE_VALUES) > INLINE_VALUES)
    throw new Fault(
      'request.too_large',
      `a message holds at most ${INLINE_VALUES} values besides the arguments of a call`,
    );
  return { message, args: isObject ? (taken as Record<string, unknown>) : undefined };
}

/** The values of a text of JSON; more than `enough` are not counted. The depth is bounded by the parser of bodies. */
function countUpTo(value: unknown, enough: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const member of Array.isArray(value) ? (value as unknown[]) : Object.values(value)) {
    count += countUpTo(member, enough - count);
    if (count > enough) break;
  }
  return count;
}
