// SPDX-License-Identifier: Apache-2.0

/** A call that a model asks for. `id` is the model's own and names the call in the conversation only. */
export interface ModelCall {
  readonly id: string;
  readonly tool_id: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** One reply of a model. `length`: it was cut off, so its last call may be incomplete and none of them runs. */
export interface ModelTurn {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly stop: 'end' | 'tool_use' | 'length';
}

export type Message =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ModelCall[] }
  | { readonly role: 'tool'; readonly call_id: string; readonly text: string; readonly is_error: boolean };

/** What a model is told of a tool: JSON Schema parameters. */
export interface ToolOffer {
  readonly tool_id: string;
  readonly description: string;
  readonly parameters: object;
}

/** Whatever produces the next turn of a conversation: a provider's API, or a recorded transcript. */
export abstract class Model {
  /** How people and records name it: `[A-Za-z0-9._:/-]`, at most 128 characters. */
  abstract readonly name: string;
  /** Implementations MUST reject when the signal aborts and MUST NOT invent a turn when the provider fails. */
  abstract next(conversation: { system: string; messages: readonly Message[]; tools: readonly ToolOffer[] }, signal: AbortSignal): Promise<ModelTurn>;
}
