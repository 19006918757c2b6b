// SPDX-License-Identifier: Apache-2.0
// Adapter of the AI SDK of Vercel. It imports nothing of it: tools, schemas and statuses are plain objects there.
import type { WaitOptions } from '../calls.ts';
import type { Signal } from '../options.ts';
import { governed, type GovernedClient, type GovernOptions } from './governed.ts';
import type { GovernedTools, JsonSchema } from './governed-tool.ts';

/** A schema of the AI SDK. */
interface AiSchema {
  readonly _type: unknown;
  readonly validate: undefined;
  readonly jsonSchema: JsonSchema;
}

/** A tool of the AI SDK. */
export interface AiTool {
  readonly description: string;
  readonly inputSchema: never;
  execute(
    input: unknown,
    options: { readonly toolCallId: string; readonly abortSignal?: Signal | undefined },
  ): Promise<unknown>;
}

/** The parts of a call that the AI SDK asks approval for. */
export interface AiApprovalQuestion {
  readonly toolCall: { readonly toolName: string; readonly input?: unknown; readonly toolCallId: string };
}

/** An approval status of the AI SDK. */
export type AiApprovalStatus =
  | { readonly type: 'approved' }
  | { readonly type: 'denied'; readonly reason: string }
  | { readonly type: 'user-approval'; readonly reason: string };

/** What `generateText`, `streamText` and agents of the AI SDK get. */
export interface AiAdapter {
  readonly tools: Readonly<Record<string, AiTool>>;
  /**
   * Pass it as `toolApproval`. A held call is `user-approval`, with its operation id as the reason. Any response to
   * that makes the SDK ask again, and the call runs only where Writ admits it.
   */
  readonly toolApproval: (question: AiApprovalQuestion) => Promise<AiApprovalStatus>;
  /** Waits until a held call has been decided, or its approval expires. */
  untilDecided(operationId: string, options?: WaitOptions): Promise<void>;
}

/** Tools of the AI SDK, each call of which Writ decides. */
export function governTools(writ: GovernedClient, tools: GovernedTools, options: GovernOptions = {}): AiAdapter {
  const { decide, run, untilDecided } = governed(writ, tools, options);
  const made = Object.entries(tools).map(([name, { description, parameters }]): [string, AiTool] => [
    name,
    {
      description,
      inputSchema: schemaOf(parameters) as never,
      async execute(args, { toolCallId, abortSignal }) {
        const answer = await run({ name, args, callId: toolCallId, signal: abortSignal });
        if (answer.outcome === 'ok') return answer.value;
        // The SDK shows the model an error of the tool.
        throw new Error(answer.text);
      },
    },
  ]);
  return {
    tools: Object.fromEntries(made),
    async toolApproval({ toolCall: { toolName, input, toolCallId } }) {
      const decision = await decide({ name: toolName, args: input, callId: toolCallId });
      if (decision.outcome === 'admitted') return { type: 'approved' };
      if (decision.outcome === 'held') return { type: 'user-approval', reason: decision.operationId };
      return { type: 'denied', reason: decision.text };
    },
    untilDecided,
  };
}

/** What `jsonSchema` of the AI SDK makes. Writ validates, with its own schema, so nothing else does. */
const schemaOf = (jsonSchema: JsonSchema): AiSchema =>
  ({ [Symbol.for('vercel.ai.schema')]: true, _type: undefined, validate: undefined, jsonSchema }) as AiSchema;
