// SPDX-License-Identifier: Apache-2.0
//
// The tools that the conformance suite of MCP calls by name, as its scenarios describe them.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type CallToolResult,
  type InputRequiredResult,
  type InputRequests,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';

type Json = Readonly<Record<string, unknown>>;
type Answer = CallToolResult | InputRequiredResult;

/** A tool of the suite. */
export interface Fixture {
  readonly name: string;
  /** absent: any object */
  readonly inputSchema?: Json;
  readonly run: (args: Json, context: ServerContext) => Answer | Promise<Answer>;
}

/** A picture of one pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A sound of no length. */
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
/** Longer than the first pauses between the reports of a gateway that reports itself. */
const PROGRESS_MS = 1_300;

const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' } as const;
const form = (message: string, properties: Json, required = Object.keys(properties)) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required } as never });
const sampling = (question: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens: 100,
  });
const NAME = form('What is your name?', { name: { type: 'string' } });
const CONFIRM = form('Please confirm', { ok: { type: 'boolean' } });

/** All that the client answered. */
const answered = (context: ServerContext): Json => context.mcpReq.inputResponses ?? {};
const accepted = (context: ServerContext, key: string): Json | undefined =>
  acceptedContent(context.mcpReq.inputResponses, key) as Json | undefined;

/** Asks once, and answers when all that was asked for is there. */
const asking =
  (inputRequests: InputRequests, done: (context: ServerContext) => CallToolResult) =>
  (_args: Json, context: ServerContext): Answer =>
    Object.keys(inputRequests).every((key) => answered(context)[key] !== undefined)
      ? done(context)
      : inputRequired({ inputRequests });

const DEFAULTS = form(
  'Please review',
  {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  [],
);
const titled = (prefix: string, titles: readonly string[]) =>
  titles.map((title, index) => ({ const: `${prefix}${index + 1}`, title }));
const ENUMS = form(
  'Please select',
  {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('value', ['First Option', 'Second Option', 'Third Option']) },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: {
      type: 'array',
      items: { anyOf: titled('value', ['First Choice', 'Second Choice', 'Third Choice']) },
    },
  },
  [],
);

/** What the suite looks for in `json_schema_2020_12_tool`. */
const JSON_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** Tools that answer by themselves. */
const CONTENT: readonly Fixture[] = [
  { name: 'test_simple_text', run: () => text('This is a simple text response for testing.') },
  { name: 'test_image_content', run: () => ({ content: [image] }) },
  { name: 'test_audio_content', run: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }) },
  {
    name: 'test_embedded_resource',
    run: () => ({
      content: [
        { type: 'resource', resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'embedded' } },
      ],
    }),
  },
  {
    name: 'test_multiple_content_types',
    run: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        {
          type: 'resource',
          resource: { uri: 'test://mixed', mimeType: 'application/json', text: '{"test":"data","value":123}' },
        },
      ],
    }),
  },
  {
    name: 'test_error_handling',
    run: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  },
  { name: 'test_tool_with_progress', run: (_args, context) => progressing(context) },
  { name: 'test_tool_with_logging', run: (_args, context) => logging(context) },
  { name: 'test_logging_tool', run: (_args, context) => logging(context) },
  { name: 'json_schema_2020_12_tool', inputSchema: JSON_SCHEMA, run: () => text('ok') },
  {
    name: 'test_header_parameter',
    inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
    run: ({ region }) => text(`region ${String(region)}`),
  },
];

async function progressing({ mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    await sleep(PROGRESS_MS);
  }
  return text('done');
}

async function logging({ mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const words of ['started', 'processing', 'completed']) {
    await mcpReq.log('info', words);
    await sleep(50);
  }
  return text('logged');
}

/** What a tool remembers between two rounds. */
export interface Round {
  readonly round: number;
  readonly name?: string;
}

/** Tools that ask their client. */
const asks = (states: RequestStateCodec<Round>): readonly Fixture[] => [
  {
    name: 'test_sampling',
    run: (args, context) =>
      asking({ reply: sampling(String(args['prompt'])) }, () =>
        text(`LLM response: ${JSON.stringify(answered(context))}`),
      )(args, context),
  },
  {
    name: 'test_elicitation',
    run: (args, context) =>
      asking({ answer: form(String(args['message']), { response: { type: 'string' } }) }, () =>
        text(`User response: ${JSON.stringify(answered(context))}`),
      )(args, context),
  },
  { name: 'test_elicitation_sep1034_defaults', run: asking({ answer: DEFAULTS }, () => text('completed')) },
  { name: 'test_elicitation_sep1330_enums', run: asking({ answer: ENUMS }, () => text('completed')) },
  { name: 'test_streaming_elicitation', run: asking({ user_name: NAME }, () => text('completed')) },
  { name: 'test_missing_capability', run: asking({ reply: sampling('Anything?') }, () => text('completed')) },
  {
    name: 'test_input_required_result_elicitation',
    run: (_args, context) => {
      const name = accepted(context, 'user_name')?.['name'];
      return typeof name === 'string' ? text(`Hello, ${name}!`) : inputRequired({ inputRequests: { user_name: NAME } });
    },
  },
  {
    name: 'test_input_required_result_sampling',
    run: asking({ capital_question: sampling('What is the capital of France?') }, (context) =>
      text(JSON.stringify(answered(context))),
    ),
  },
  {
    name: 'test_input_required_result_list_roots',
    run: asking({ client_roots: inputRequired.listRoots() }, (context) => text(JSON.stringify(answered(context)))),
  },
  ...['request_state', 'tampered_state'].map((what) => ({
    name: `test_input_required_result_${what}`,
    run: async (_args: Json, context: ServerContext) => {
      const state = context.mcpReq.requestState<Round>();
      if (state !== undefined && answered(context)['confirm'] !== undefined) return text('state-ok, integrity-ok');
      return inputRequired({ inputRequests: { confirm: CONFIRM }, requestState: await states.mint({ round: 1 }) });
    },
  })),
  {
    name: 'test_input_required_result_multiple_inputs',
    run: async (_args, context) => {
      const requests = { user_name: NAME, greeting: sampling('A greeting'), client_roots: inputRequired.listRoots() };
      return Object.keys(requests).every((key) => answered(context)[key] !== undefined)
        ? text('completed')
        : inputRequired({ inputRequests: requests, requestState: await states.mint({ round: 1 }) });
    },
  },
  { name: 'test_input_required_result_multi_round', run: (_args, context) => rounds(states, context) },
  {
    name: 'test_input_required_result_capabilities',
    run: (_args, context) => {
      const { [CLIENT_CAPABILITIES_META_KEY]: can = {} } = (context.mcpReq.envelope ?? {}) as Record<string, Json>;
      if (Object.keys(answered(context)).length > 0) return text('capabilities-ok');
      return inputRequired({
        inputRequests: {
          ...('elicitation' in can ? { elicit: NAME } : {}),
          ...('sampling' in can ? { sample: sampling('Anything?') } : {}),
        },
      });
    },
  },
];

async function rounds(states: RequestStateCodec<Round>, context: ServerContext): Promise<Answer> {
  const state = context.mcpReq.requestState<Round>();
  const name = accepted(context, 'step1')?.['name'];
  if (state?.round === 2 && answered(context)['step2'] !== undefined) return text(`completed for ${state.name}`);
  if (state?.round === 1 && typeof name === 'string') {
    const step2 = form('What is your favorite color?', { color: { type: 'string' } });
    return inputRequired({ inputRequests: { step2 }, requestState: await states.mint({ round: 2, name }) });
  }
  return inputRequired({ inputRequests: { step1: NAME }, requestState: await states.mint({ round: 1 }) });
}

/** All of them. */
export const everyTool = (states: RequestStateCodec<Round>): readonly Fixture[] => [...CONTENT, ...asks(states)];

/** What the client said for the prompt that asks. */
export const contextOfPrompt = (context: ServerContext): string | undefined => {
  const said = accepted(context, 'user_context')?.['context'];
  return typeof said === 'string' ? said : undefined;
};
export const ASKED_OF_PROMPT = {
  user_context: form('What context should the prompt use?', { context: { type: 'string' } }),
};
