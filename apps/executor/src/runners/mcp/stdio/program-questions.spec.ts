// SPDX-License-Identifier: Apache-2.0
//
// Programs that ask in place of an answer: what is declared to them, what they get back, and that they stay.
import { MCP_INPUT, type McpAsk, type McpTool } from '@writ/contract';
import { acceptedTool } from '@writ/mcp-tool';
import type { McpProgram } from '../../../specs/mcp-program.ts';
import { REMOTE_TOOL } from '../../../specs/mcp-upstream.ts';
import { openProgramScene, SECRET, serverOf, type Given, type ProgramScene } from '../../../specs/program-scene.ts';

let scene: ProgramScene;
let program: McpProgram;
openProgramScene((opened) => {
  scene = opened;
  ({ program } = opened);
});

const settings: { asks: McpAsk[] } = { asks: ['elicitation', 'roots'] };
const server = serverOf(settings);
const tool: McpTool = { ...acceptedTool({ ...server, ...settings }, 'create_issue', REMOTE_TOOL, 'write'), version: 1 };
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const TITLE = { title: 'A leak' };
const given = (input: object): Given => ({ tool, settings, args: { ...TITLE, [MCP_INPUT]: input } });
const FORM = { mode: 'form', message: 'Is it yours?', requestedSchema: { type: 'object', properties: {} } };
const asking = (state = 'kept') => {
  program.answers = {
    'tools/call': (message, process) =>
      message.params['inputResponses'] === undefined
        ? process.result(message, {
            resultType: 'input_required',
            inputRequests: { sure: { method: 'elicitation/create', params: FORM } },
            requestState: state,
          })
        : process.result(message, { content: [], structuredContent: { number: 7 } }),
  };
};

test('a program that asks has answered: its question is the result, and the process stays', async () => {
  asking();
  const capabilities = ['elicitation'];
  const first = await scene.call(given({ capabilities }));
  expect(first).toMatchObject({
    ended: 'exited',
    error: null,
    result: {
      content: [],
      structured: null,
      is_error: false,
      truncated: false,
      asks: { requests: { sure: { method: 'elicitation/create' } }, state: 'kept' },
    },
  });
  const responses = { sure: { action: 'accept', content: {} } };
  const second = await scene.call(given({ capabilities, responses, state: 'kept' }));
  expect(second).toMatchObject({ result: { structured: { number: 7 } } });
  expect(second.result).not.toHaveProperty('asks');
  expect(program.processes).toHaveLength(1);
  expect(program.calls.map(({ params }) => params)).toMatchObject([
    { arguments: TITLE, _meta: { [CAPABILITIES]: { elicitation: { form: {} } } } },
    { arguments: TITLE, inputResponses: responses, requestState: 'kept' },
  ]);
  expect(program.calls.every(({ params }) => !JSON.stringify(params['arguments']).includes(MCP_INPUT))).toBe(true);
  // Nothing but the call declares anything.
  const others = program.processes[0]!.messages.filter(({ method }) => method !== 'tools/call');
  expect(JSON.stringify(others)).not.toContain('elicitation');
});

test('a call without the argument declares nothing, and a question ends it without an answer', async () => {
  asking();
  const report = await scene.call({ tool, settings });
  expect(report).toMatchObject({ ended: 'failed', error: { code: 'mcp.unsupported' }, result: null });
  expect(program.calls[0]?.params['_meta']).toMatchObject({ [CAPABILITIES]: {} });
});

test.each([
  ['its credential', `a ${SECRET}`, 'mcp.protocol'],
  ['a character that can not be stored', 'a\0b', 'mcp.unsupported'],
])('a question with %s is no answer', async (_what, state, code) => {
  asking(state);
  const report = await scene.call(given({ capabilities: ['elicitation'] }));
  expect(report).toMatchObject({ ended: 'failed', error: { code }, result: null });
});

test('a program of the older revision is called as before, and is told of no capability', async () => {
  program.isLegacy = true;
  expect(await scene.call(given({ capabilities: ['elicitation', 'roots'] }))).toMatchObject({ ended: 'exited' });
  expect(program.calls[0]?.params).toEqual({ name: 'create_issue', arguments: TITLE });
  expect(JSON.stringify(program.processes.map(({ messages }) => messages))).not.toMatch(/elicitation|"roots"/);
});
