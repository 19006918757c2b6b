// SPDX-License-Identifier: Apache-2.0
// Adapter of the official client of OpenAI: `chat.completions.runTools`.
import type { WaitOptions } from '../calls.ts';
import { governed, textOf, type GovernedClient, type GovernOptions } from './governed.ts';
import type { GovernedTools, JsonSchema } from './governed-tool.ts';

/** Ends a run whose call waits for a person. Keep the messages of the run: `answer` goes on with them. */
export class CallHeldError extends Error {
  override readonly name = 'CallHeldError';
  readonly operationId: string;
  readonly approvalId: string;

  constructor(operationId: string, approvalId: string) {
    super(`the call waits for a person's approval: operation ${operationId}`);
    this.operationId = operationId;
    this.approvalId = approvalId;
  }
}

/** A call in a message of the model. */
interface ToolCall {
  readonly id: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/** A message of the conversation, by what the adapter reads. */
export interface OpenAiMessage {
  readonly role: string;
  readonly tool_calls?: readonly unknown[] | undefined;
  readonly tool_call_id?: string;
}

/** A tool for `runTools`. */
export interface OpenAiTool {
  type: 'function';
  function: {
    name: string;
    description: string;
    parameters: JsonSchema;
    function: (args: string, runner: { readonly messages: readonly OpenAiMessage[] }) => Promise<string>;
  };
}

/** The answer to a call. */
export interface OpenAiToolMessage {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

/** What `runTools` gets. */
export interface OpenAiAdapter {
  /** A held call ends the run with `CallHeldError`. */
  readonly tools: OpenAiTool[];
  /**
   * The answers to the calls of the last message, for a run that ended with `CallHeldError`, also in another process.
   * What ran before doesn't run again.
   *
   * @throws CallHeldError where one is still held
   */
  answer(messages: readonly OpenAiMessage[]): Promise<OpenAiToolMessage[]>;
  /** Waits until a held call has been decided, or its approval expires. */
  untilDecided(operationId: string, options?: WaitOptions): Promise<void>;
}

/** Tools for `runTools`, each call of which Writ decides. */
export function governTools(writ: GovernedClient, tools: GovernedTools, options: GovernOptions = {}): OpenAiAdapter {
  const { run, untilDecided } = governed(writ, tools, options);
  const served = new WeakMap<object, Set<string>>();
  const perform = async (name: string, text: string, callId: string | undefined): Promise<string> => {
    const answer = await run({ name, args: parsed(text), callId });
    if (answer.outcome === 'held') throw new CallHeldError(answer.operationId, answer.approvalId);
    return textOf(answer);
  };
  return {
    tools: Object.entries(tools).map(([name, { description, parameters }]) => ({
      type: 'function',
      function: {
        name,
        description,
        parameters,
        function: (text, runner) => perform(name, text, idOf(name, text, runner, served)),
      },
    })),
    async answer(messages) {
      const answers = callsOf(messages).map(async ({ id, function: called }): Promise<OpenAiToolMessage> => {
        const { name = '', arguments: text = '' } = called ?? {};
        return { role: 'tool', tool_call_id: id, content: await perform(name, text, id) };
      });
      // All of them, so that no call runs on after the error of another one.
      const settled = await Promise.allSettled(answers);
      return settled.map((one) => {
        if (one.status === 'rejected') throw one.reason;
        return one.value;
      });
    },
    untilDecided,
  };
}

/** The calls of the last message of the model. */
const callsOf = (messages: readonly OpenAiMessage[]): readonly ToolCall[] =>
  (messages.findLast(({ role }) => role === 'assistant')?.tool_calls ?? []) as readonly ToolCall[];

/**
 * The client doesn't tell a function the id of its call. It is that of a call of the last message with this name and
 * these arguments, and each is given once. Where two are equal, it doesn't matter which is which.
 */
function idOf(
  name: string,
  text: string,
  runner: { readonly messages: readonly OpenAiMessage[] },
  served: WeakMap<object, Set<string>>,
): string | undefined {
  const ids = served.get(runner) ?? new Set<string>();
  served.set(runner, ids);
  const call = callsOf(runner.messages).find(
    ({ id, function: called }) => called?.name === name && called.arguments === text && !ids.has(id),
  );
  if (call !== undefined) ids.add(call.id);
  return call?.id;
}

/** Arguments that are no JSON stay a text, which Writ refuses by the schema of the tool. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    return text;
  }
}
