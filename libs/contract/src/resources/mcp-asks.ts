// SPDX-License-Identifier: Apache-2.0
//
// What an MCP server may ask of the client that calls it (`input_required` of the revision 2026-07-28). A question ends
// a call with an answer, and the client's answer is an argument of a second call.
import { Type, type Static } from 'typebox';

/** Capabilities of a client, each by the question that needs it. */
export const MCP_ASKS = ['elicitation', 'elicitation_url', 'sampling', 'roots'] as const;
export type McpAsk = (typeof MCP_ASKS)[number];

/** What a server may ask for. An administrator decides. */
export const McpAsks = Type.Array(Type.Enum(MCP_ASKS), { minItems: 1, maxItems: MCP_ASKS.length, uniqueItems: true });

/** The argument of a tool that has the client's side of a question. No argument of a server's own has the name. */
export const MCP_INPUT = 'writ.dev/input';

/** Limits on one question, and on what a server keeps in the client's hands. */
export const MCP_ASK_LIMITS = {
  requests: 16,
  /** characters of the name of one request */
  keyChars: 128,
  /** of the JSON of all requests */
  bytes: 64 * 1024,
  stateBytes: 16 * 1024,
} as const;

/** The value of the argument `MCP_INPUT`. */
export interface McpInput {
  /** what the client can be asked for */
  readonly capabilities: readonly McpAsk[];
  /** the client's answers, by the names of the requests. Attacker-controlled, as all arguments are */
  readonly responses?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** what the server asked to have back */
  readonly state?: string;
}

/** What a server asks for, as the result of a call has it. */
export const McpQuestion = Type.Object(
  {
    /** by the names that the answers have */
    requests: Type.Record(
      Type.String(),
      Type.Object(
        { method: Type.String(), params: Type.Record(Type.String(), Type.Unknown()) },
        { additionalProperties: false },
      ),
    ),
    /** what the server wants to have back; null: nothing */
    state: Type.Union([Type.String(), Type.Null()]),
  },
  { additionalProperties: false },
);
export type McpQuestion = Static<typeof McpQuestion>;
