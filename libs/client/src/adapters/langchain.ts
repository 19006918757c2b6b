// SPDX-License-Identifier: Apache-2.0
// Adapter of LangChain: a middleware for all tools of an agent, which pauses by an interrupt of LangGraph.
import type { WaitOptions } from '../calls.ts';
import type { Signal } from '../options.ts';
import { governed, textOf, type GovernedClient, type GovernOptions } from './governed.ts';
import type { GovernedTools, JsonSchema } from './governed-tool.ts';

/** A call as a middleware gets it, by what the adapter reads. */
export interface LangChainRequest {
  readonly toolCall: { readonly name: string; readonly args: unknown; readonly id?: string | undefined };
  readonly runtime: unknown;
}

/** Pauses the graph. It returns what the graph is resumed with. */
type Interrupt = (value: unknown) => unknown;

interface Runtime {
  readonly interrupt?: Interrupt;
  readonly signal?: Signal;
}

/** What an interrupt of a held call says. */
export interface HeldInterrupt {
  readonly operation_id: string;
}

/** What `createAgent` gets. */
export interface LangChainAdapter {
  /** Pass each to `tool`, with `body` as its function. */
  readonly definitions: { name: string; description: string; schema: never }[];
  /** The function of each tool. The middleware runs in its place, and without the middleware it refuses. */
  body(): never;
  /**
   * Pass it as `createMiddleware({ name: 'Writ', wrapToolCall })`, as the last middleware. A held call interrupts the
   * graph with `{ operation_id }`. Whatever the graph is resumed with, Writ is asked again.
   */
  wrapToolCall<R extends LangChainRequest, T>(request: R, handler: (request: R) => T | Promise<T>): Promise<T>;
  /** Waits until a held call has been decided, or its approval expires. */
  untilDecided(operationId: string, options?: WaitOptions): Promise<void>;
}

/** A middleware of LangChain, by which Writ decides each call of an agent. */
export function governTools(writ: GovernedClient, tools: GovernedTools, options: GovernOptions = {}): LangChainAdapter {
  const { run, untilDecided } = governed(writ, tools, options);
  return {
    definitions: Object.entries(tools).map(([name, { description, parameters }]) => ({
      name,
      description,
      schema: parameters as JsonSchema as never,
    })),
    body() {
      throw new Error('the call did not run: the agent lacks the middleware of Writ');
    },
    async wrapToolCall(request, handler) {
      const { name, args, id } = request.toolCall;
      const { interrupt, signal } = request.runtime as Runtime;
      const ask = () => run({ name, args, callId: id, signal });
      let answer = await ask();
      // The first times, `interrupt` returns what the graph was resumed with, and at last it throws.
      while (answer.outcome === 'held' && interrupt !== undefined) {
        const held: HeldInterrupt = { operation_id: answer.operationId };
        interrupt(held);
        answer = await ask();
      }
      const text = textOf(answer);
      // The agent makes a message of what this returns. The tool itself never runs.
      return await handler({ ...request, tool: { name, invoke: async () => text } });
    },
    untilDecided,
  };
}
