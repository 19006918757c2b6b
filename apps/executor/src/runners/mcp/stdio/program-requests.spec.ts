// SPDX-License-Identifier: Apache-2.0
//
// Requests of MCP that are tools of Writ, at programs.
import type { McpTool } from '@writ/contract';
import { acceptedTool, serverRequests } from '@writ/mcp-tool';
import type { McpProgram, ProgramAnswer } from '../../../specs/mcp-program.ts';
import { openProgramScene, SECRET, serverOf, SETTINGS, type ProgramScene } from '../../../specs/program-scene.ts';

let scene: ProgramScene;
let program: McpProgram;
openProgramScene((opened) => {
  scene = opened;
  ({ program } = opened);
  program.capabilities = { resources: {} };
});

const [, , READ] = serverRequests({ resources: {} });
const TOOL: McpTool = { ...acceptedTool(serverOf(), 'resources_read', READ!, 'write'), version: 1 };
const read = () => scene.call({ tool: TOOL, args: { uri: 'file:///a' } });
const count = (method: string): number =>
  program.processes.flatMap(({ methods }) => methods).filter((each) => each === method).length;
const contents: ProgramAnswer = (message, process) =>
  process.result(message, { ttlMs: 0, cacheScope: 'private', contents: [{ uri: 'file:///a', blob: 'AAEC' }] });

describe.each([
  ['2026-07-28', false],
  ['2025-11-25', true],
])('a program of the revision %s', (_revision, isLegacy) => {
  beforeEach(() => {
    program.isLegacy = isLegacy;
    program.answers = { 'resources/read': contents };
  });

  test('is asked for a resource right after that was announced, and is kept for the next call', async () => {
    program.answers = {
      'resources/read': (message, process) => {
        expect(scene.announced()).toBe(true);
        expect(message.params).toMatchObject({ uri: 'file:///a' });
        contents(message, process);
      },
    };
    for (let calls = 0; calls < 2; calls += 1)
      expect(await read()).toMatchObject({
        ended: 'exited',
        result: { content: [], structured: { contents: [{ uri: 'file:///a', blob: 'AAEC' }] } },
      });
    expect(program.processes).toHaveLength(1);
    expect([count('resources/read'), count('tools/list')]).toEqual([2, 0]);
  });

  test('that dies while it runs a request leaves doubt', async () => {
    program.answers = { 'resources/read': (_message, process) => process.exit(9) };
    expect((await read()).error?.code).toBe('egress.failed');
    expect([scene.announced(), count('resources/read')]).toEqual([true, 1]);
  });

  test('that has no resources any more is asked for none', async () => {
    program.capabilities = { tools: {} };
    expect(await read()).toMatchObject({ ended: 'failed', error: { code: 'mcp.definition_gone' } });
    expect([scene.announced(), count('resources/read')]).toEqual([false, 0]);
  });

  test('without tools lists its requests', async () => {
    program.answers = { 'tools/list': (message, process) => process.error(message, -32_601, 'Method not found') };
    const { listing } = await scene.programs.list({
      tenantId: 'tenant',
      resourceId: 'res',
      settings: SETTINGS,
      image: 'image',
      resourceSecrets: { FILES: SECRET },
      signal: AbortSignal.timeout(30_000),
    });
    const { tools } = JSON.parse(Buffer.from(listing).toString('utf8')) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['resources/list', 'resources/templates/list', 'resources/read']);
  });
});
