// SPDX-License-Identifier: Apache-2.0
import type { Answer, JsonValue } from '@writ/stack';
import type { HostileTenant } from './hostile-tenant.ts';

/** An expensive input: a tool call, or another request. */
export interface HostileInput {
  readonly name: string;
  /** Sends it once. `round` counts the sends, for values that must be new each time. */
  readonly send: (tenant: HostileTenant, round: number) => Promise<Answer<JsonValue>>;
}

/** As many copies of a piece as fit into that many characters. */
export const fill = (piece: string, chars: number): string => piece.repeat(Math.floor(chars / piece.length));
