// SPDX-License-Identifier: Apache-2.0
// Adapter of the official client of Anthropic: `beta.messages.toolRunner`.
import type { WaitOptions } from '../calls.ts';
import type { Signal } from '../options.ts';
import type { Held } from './denials.ts';
import { governed, textOf, type GovernedClient, type GovernOptions } from './governed.ts';
import type { GovernedTools, JsonSchema } from './governed-tool.ts';

/** A message of the model, by what the adapter reads. */
export interface AnthropicMessage {
  readonly content: string | readonly object[];
}

interface ToolUse {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** A tool for `toolRunner`. */
export interface AnthropicTool {
  type: 'custom';
  name: string;
  description: string;
  input_schema: JsonSchema & { readonly type: 'object' };
  parse: (input: unknown) => unknown;
  run: (
    args: unknown,
    context?: { readonly toolUse: { readonly id: string }; readonly signal?: Signal | null | undefined },
  ) => Promise<string>;
}

/** The answers to the calls of a message. */
export interface AnthropicToolResults {
  role: 'user';
  content: { type: 'tool_result'; tool_use_id: string; content: string; is_error: boolean }[];
}

/** What `toolRunner` gets. */
export interface AnthropicAdapter {
  readonly tools: AnthropicTool[];
  /**
   * The calls of a message that wait for a person. Ask within the loop over the runner, before its tools run: leave the
   * loop where there is one, and keep the messages with this one.
   */
  heldIn(message: AnthropicMessage): Promise<Held[]>;
  /** The answers to the calls of a message, also in another process. What ran before doesn't run again. */
  answer(message: AnthropicMessage): Promise<AnthropicToolResults>;
  /** Waits until a held call has been decided, or its approval expires. */
  untilDecided(operationId: string, options?: WaitOptions): Promise<void>;
}

/** Tools for `toolRunner`, each call of which Writ decides. */
export function governTools(writ: GovernedClient, tools: GovernedTools, options: GovernOptions = {}): AnthropicAdapter {
  const { decide, run, untilDecided } = governed(writ, tools, options);
  return {
    tools: Object.entries(tools).map(([name, { description, parameters }]) => ({
      type: 'custom',
      name,
      description,
      input_schema: { ...parameters, type: 'object' },
      parse: (input) => input,
      async run(args, context) {
        const answer = await run({ name, args, callId: context?.toolUse.id, signal: context?.signal });
        if (answer.outcome === 'ok') return textOf(answer);
        // The runner shows the model an error of the tool.
        throw new Error(answer.text);
      },
    })),
    async heldIn(message) {
      const decisions = await Promise.all(
        usesOf(message).map(({ name, input, id }) => decide({ name, args: input, callId: id })),
      );
      return decisions.filter((one) => one.outcome === 'held');
    },
    async answer(message) {
      const content = usesOf(message).map(async ({ name, input, id }) => {
        const answer = await run({ name, args: input, callId: id });
        const is_error = answer.outcome !== 'ok';
        return { type: 'tool_result' as const, tool_use_id: id, content: textOf(answer), is_error };
      });
      return { role: 'user', content: await Promise.all(content) };
    },
    untilDecided,
  };
}

const usesOf = ({ content }: AnthropicMessage): readonly ToolUse[] =>
  typeof content === 'string' ? [] : (content as readonly ToolUse[]).filter(({ type }) => type === 'tool_use');
