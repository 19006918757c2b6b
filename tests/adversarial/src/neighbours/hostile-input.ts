// SPDX-License-Identifier: Apache-2.0
import type { Answer, JsonValue } from '@writ/stack';
import type { HostileTenant } from './hostile-tenant.ts';

/** An input that is made to take long: a tool call, or a request that is none. */
export interface HostileInput {
  readonly name: string;
  /** Sends it once. `round` counts sendings, for what must be new each time. */
  readonly send: (tenant: HostileTenant, round: number) => Promise<Answer<JsonValue>>;
}

/** As many copies of a piece as fit into so many characters. */
export const fill = (piece: string, chars: number): string => piece.repeat(Math.floor(chars / piece.length));
