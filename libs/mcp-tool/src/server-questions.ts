// SPDX-License-Identifier: Apache-2.0
//
// The argument by which a client answers what an MCP server asks of it. INVARIANT (answers are arguments): what a
// client answers is decided on, recorded and erased with the other arguments of a call. INVARIANT (not sent as an
// argument): the server gets the answers in the members of the protocol, and its own arguments without them.
import {
  MCP_ASK_LIMITS,
  MCP_INPUT,
  type JsonSchemaText,
  type McpAsk,
  type McpInput,
  type ToolDefinition,
} from '@writ/contract';
import { schemaFaults, type SchemaFault } from '@writ/json-schema';
import { namesInput } from './names-input.ts';
import { addressFaults } from './resource-uri.ts';
import { isServerRequest } from './server-requests.ts';

type Json = Readonly<Record<string, unknown>>;

/** The schema of the argument. Rules read its capabilities and its state; answers have no form that is known before. */
const inputSchema = (asks: readonly McpAsk[]): JsonSchemaText => ({
  type: 'object',
  description: 'what the client can be asked for by the server, and its answers to what the server asked before',
  properties: {
    capabilities: { type: 'array', items: { type: 'string', enum: [...asks] }, uniqueItems: true },
    responses: {
      type: 'object',
      propertyNames: { type: 'string', maxLength: MCP_ASK_LIMITS.keyChars },
      additionalProperties: { type: 'object' },
      maxProperties: MCP_ASK_LIMITS.requests,
    },
    state: { type: 'string', maxLength: MCP_ASK_LIMITS.stateBytes },
  },
  required: ['capabilities'],
  additionalProperties: false,
});

/** The parameters of a tool whose server may ask. */
export const withInput = (parameters: JsonSchemaText, asks: readonly McpAsk[]): JsonSchemaText => ({
  ...parameters,
  properties: { ...(parameters['properties'] as Json | undefined), [MCP_INPUT]: inputSchema(asks) },
});

/**
 * A tool as a model is offered it: without the argument for answers. A model has no client that could answer, and APIs
 * of models refuse the name. A call may have it nevertheless.
 */
export function offeredDefinition(tool: ToolDefinition): ToolDefinition {
  if (tool.mcp?.asks === undefined) return tool;
  const { [MCP_INPUT]: _input, ...properties } = tool.parameters.properties;
  return { ...tool, parameters: { ...tool.parameters, properties } };
}

const place = `/${MCP_INPUT.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** What of a tool decides which arguments it takes. */
export interface AskingTool {
  readonly parameters: JsonSchemaText;
  /** whether its server may ask, so that the parameters have the argument for answers */
  readonly mayAsk: boolean;
  /** its name at the server: for some requests of MCP a schema doesn't say everything */
  readonly remoteName: string;
}

/**
 * The problems of arguments; null where checking them takes more steps. The server's own arguments are checked by its
 * schema alone, and the argument for answers by its own. So no schema of a server lets answers through unchecked, or
 * counts them among its arguments. Total and pure.
 */
export function mcpFaults(
  { parameters, mayAsk, remoteName }: AskingTool,
  args: unknown,
  stepsMax: number,
): readonly SchemaFault[] | null {
  const hasInput = typeof args === 'object' && args !== null && Object.hasOwn(args, MCP_INPUT);
  if (!mayAsk) {
    const found = ownFaults(remoteName, parameters, args, stepsMax);
    return hasInput && found !== null && !namesInput(parameters) ? [NOT_ASKED, ...found] : found;
  }
  const { [MCP_INPUT]: ofInput, ...properties } = parameters['properties'] as Readonly<Record<string, JsonSchemaText>>;
  const ofServer = { ...parameters, properties };
  if (!hasInput || ofInput === undefined) return ownFaults(remoteName, ofServer, args, stepsMax);
  const { [MCP_INPUT]: input, ...others } = args as Json;
  const own = ownFaults(remoteName, ofServer, others, stepsMax);
  const answers = schemaFaults(ofInput, input, stepsMax);
  if (own === null || answers === null) return null;
  return [...own, ...answers.map(({ pointer, message }) => ({ pointer: `${place}${pointer}`, message }))];
}

/**
 * The problems of the server's own arguments. INVARIANT (one spelling): whether or not a server may ask, an address is
 * checked as soon as the arguments fit the schema.
 */
function ownFaults(
  remoteName: string,
  parameters: JsonSchemaText,
  args: unknown,
  stepsMax: number,
): readonly SchemaFault[] | null {
  const found = schemaFaults(parameters, args, stepsMax);
  return found?.length === 0 && isServerRequest(remoteName) ? addressFaults(remoteName, args as Json) : found;
}

const NOT_ASKED: SchemaFault = {
  pointer: place,
  message: 'is no argument of the tool: its server may ask for nothing (`asks` of its settings)',
};

/**
 * The arguments of the server, and the client's side of a question; null where the call has none.
 * @param args that fit the tool
 */
export function inputOf(
  { asks }: { readonly asks?: readonly McpAsk[] | undefined },
  args: Json,
): { readonly args: Json; readonly input: McpInput | null } {
  if (asks === undefined || !Object.hasOwn(args, MCP_INPUT)) return { args, input: null };
  const { [MCP_INPUT]: input, ...others } = args;
  const { capabilities, ...rest } = input as McpInput;
  // INVARIANT (both agree): nothing is declared that the settings don't allow, or that the call doesn't name.
  return { args: others, input: { ...rest, capabilities: asks.filter((one) => capabilities.includes(one)) } };
}
