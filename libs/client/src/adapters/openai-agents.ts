// SPDX-License-Identifier: Apache-2.0
// Adapter of the Agents SDK of OpenAI.
import type { WaitOptions } from '../calls.ts';
import { governed, textOf, type GovernedClient, type GovernOptions } from './governed.ts';
import type { GovernedTools } from './governed-tool.ts';

/** What `tool` of the Agents SDK gets. */
export interface AgentsToolOptions {
  name: string;
  description: string;
  parameters: never;
  strict: false;
  needsApproval: (context: unknown, input: unknown, callId?: string) => Promise<boolean>;
  execute: (
    input: unknown,
    context?: unknown,
    details?: { readonly toolCall?: { readonly callId: string } | undefined },
  ) => Promise<string>;
}

/** What an agent of the Agents SDK gets. */
export interface AgentsAdapter {
  /**
   * Pass each to `tool`. A held call is an interruption of the run. `state.approve` makes the SDK ask again, and the
   * call runs only where Writ admits it.
   */
  readonly tools: AgentsToolOptions[];
  /** The operation of an interruption that is held; null where it is no longer, or is no call of these tools. */
  operationOf(interruption: AgentsInterruption): Promise<string | null>;
  /** Waits until a held call has been decided, or its approval expires. */
  untilDecided(operationId: string, options?: WaitOptions): Promise<void>;
}

/** An interruption of the Agents SDK, by what the adapter reads. */
export interface AgentsInterruption {
  readonly rawItem: object;
}

/** Tools of the Agents SDK, each call of which Writ decides. */
export function governTools(writ: GovernedClient, tools: GovernedTools, options: GovernOptions = {}): AgentsAdapter {
  const { decide, run, untilDecided } = governed(writ, tools, options);
  return {
    tools: Object.entries(tools).map(([name, { description, parameters }]) => ({
      name,
      description,
      parameters: parameters as never,
      strict: false,
      // One that is denied needs no approval: `execute` asks again, and tells the model why.
      needsApproval: async (_context, args, callId) => (await decide({ name, args, callId })).outcome === 'held',
      execute: async (args, _context, details) => textOf(await run({ name, args, callId: details?.toolCall?.callId })),
    })),
    async operationOf({ rawItem }) {
      const { name = '', arguments: text = '{}', callId } = rawItem as Partial<Record<string, string>>;
      const decision = await decide({ name, args: JSON.parse(text), callId });
      return decision.outcome === 'held' ? decision.operationId : null;
    },
    untilDecided,
  };
}
