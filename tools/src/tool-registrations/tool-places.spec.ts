// SPDX-License-Identifier: Apache-2.0
import { TOOLS } from '@writ/contract';
import { checkout } from '../setup.ts';
import { definedTools, missingPlaces, type DefinedTool } from './tool-places.ts';

const invented = (over: Partial<DefinedTool['tool']>): DefinedTool => ({
  constant: 'NO_SUCH_TOOL',
  tool: { tool_id: 'fs.no_such_tool', category: 'write', class: 'inline', ...over },
});
/** The missing places of an invented tool: the file and the change. */
const missing = (over: Partial<DefinedTool['tool']> = {}): string[] =>
  missingPlaces(checkout, [invented(over)]).map((line) =>
    line.replace(/: `[a-z._]+` \(NO_SUCH_TOOL\) is missing: /, ': '),
  );

test('every definition in the sources is found', async () => {
  const ids = (await definedTools(checkout)).map(({ tool }) => tool.tool_id);
  expect(ids.sort()).toEqual([...TOOLS.keys()].sort());
});

test('every tool is in each required place: else make the change that the line describes', async () => {
  expect(missingPlaces(checkout, await definedTools(checkout))).toEqual([]);
});

const EVERYWHERE = [
  'libs/contract/src/tools/registry.ts: add it to `TOOLS`, in the order in which models are offered them',
  'libs/contract/src/index.ts or libs/contract/src/tools/index.ts: export it',
  'libs/contract/src/tools/registry.spec.ts: pin its id in "are these"',
];
const ACTIVITY = 'apps/orchestrator/src/**/ocsf-mapping.ts: say in `OF_TOOLS` which activity of OCSF a call of it is';
const CALLED = 'tests/e2e/src/**/*.spec.ts: call it in a spec, against a whole Writ';
const RUNNERS = 'apps/executor/src/runners/**/*.ts';

test('a tool that is only defined is listed with all missing changes', () => {
  expect(missingPlaces(checkout, [invented({})])[0]).toBe(
    'libs/contract/src/tools/registry.ts: `fs.no_such_tool` (NO_SUCH_TOOL) is missing: add it to `TOOLS`, in the order in which models are offered them',
  );
  expect(missing()).toEqual([
    ...EVERYWHERE,
    'libs/workspace/src/fs-tools/run.ts: add the function that runs it to the table',
    ACTIVITY,
    CALLED,
  ]);
});

test('a tool that only reads needs no activity', () => {
  expect(missing({ category: 'read' })).not.toContain(ACTIVITY);
});

test.each([
  ['inline', 'note.no_such_tool', `${RUNNERS}: run it: \`inline-runner.ts\` says which function does`],
  ['broker', 'net.no_such_tool', `${RUNNERS}: run it: \`broker-runner.ts\` says which function does`],
  [
    'sandboxed',
    'shell.no_such_tool',
    `${RUNNERS} or apps/executor/src/sessions/**/*.ts: write a runner of this \`toolId\`, else it runs as a command of \`shell.run\``,
  ],
] as const)('a tool of the class %s needs a runner', (toolClass, tool_id, line) => {
  expect(missing({ class: toolClass, tool_id })).toEqual([...EVERYWHERE, line, ACTIVITY, CALLED]);
});
