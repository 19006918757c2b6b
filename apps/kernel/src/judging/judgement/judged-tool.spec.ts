// SPDX-License-Identifier: Apache-2.0
import { cliDefinition, tenantDefinition } from '@writ/cli-tool';
import {
  argumentFaults,
  MCP_INPUT,
  MK8_RUN,
  SHELL_RUN,
  type CliTool,
  type McpAsk,
  type ToolDefinition,
} from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { acceptedTool, serverRequests } from '@writ/mcp-tool';
import { InlineTaskRunner } from '@writ/worker-pool';
import { judgingTasks, type JudgingTasks } from '../worker-tasks.ts';
import type { Arguments } from './call.ts';
import { ToolReader } from './judged-tool.ts';

/** Counts the tasks for threads. */
class CountedWork extends InlineTaskRunner<JudgingTasks> {
  given: string[] = [];
  override async run<K extends keyof JudgingTasks & string>(
    ...[task, input, options]: Parameters<InlineTaskRunner<JudgingTasks>['run']>
  ): Promise<Awaited<ReturnType<JudgingTasks[K]>>> {
    this.given.push(task);
    return (await super.run(task, input, options)) as Awaited<ReturnType<JudgingTasks[K]>>;
  }
}

let work: CountedWork;
beforeEach(() => {
  work = new CountedWork(judgingTasks);
});

const argsOf = (value: Record<string, unknown>): Arguments => ({ value, canonical: canonicalBytes(value), ref: null });
const NO_ENVIRONMENT = { sandbox: null, profile: null };
const CALL = { tenant_id: 'ten_a' } as never;
const read = async (
  tool: ToolDefinition,
  value: Record<string, unknown>,
  by: InlineTaskRunner<JudgingTasks> | null = work,
): Promise<ToolDefinition> =>
  (await new ToolReader(by).read(CALL, tool, argsOf(value), NO_ENVIRONMENT)) as ToolDefinition;

/** All results of a definition's functions for the arguments. */
const resultsOf = (tool: ToolDefinition, args: Record<string, unknown>): unknown[] => {
  const faults = argumentFaults(tool, args);
  return faults.length > 0
    ? faults
    : [
        tool.resources(args),
        tool.requests?.(args),
        tool.commandLine?.(args),
        tool.categoryOf?.(args),
        tool.foresees?.(args),
      ];
};

const operation = (verb: string, ...args: string[]) => ({ verb, args });
const scriptOf = (operations: readonly object[]) => ({ script: { operations } });

describe('a script', () => {
  it('that is short is compiled on the event loop', async () => {
    await read(MK8_RUN, scriptOf([operation('FileWrite', 'a.txt', 'x')]));
    expect(work.given).toEqual([]);
  });

  it.each([
    [
      'that is long',
      scriptOf(Array.from({ length: 100 }, (_, n) => operation('FileWrite', `src/${n}.txt`, 'x'.repeat(20)))),
    ],
    [
      'that is long and wrong',
      scriptOf(Array.from({ length: 100 }, (_, n) => operation('FileWrite', `../${n}.txt`, 'x'.repeat(20)))),
    ],
    [
      'that repeats',
      scriptOf([{ verb: 'ForEach', args: [], items: ['a', 'b'], operations: [operation('FileDelete', '$ITEM')] }]),
    ],
    ['that is a long text', { script: `FileWrite a.txt ${'x'.repeat(3_000)}` }],
  ])('%s is compiled in a thread, to the same answers', async (_, args) => {
    const inThread = await read(MK8_RUN, args);
    const inline = await read(MK8_RUN, args, null);
    expect(resultsOf(inThread, args)).toEqual(resultsOf(inline, args));
    // Arguments that don't fit the schema are not compiled.
    expect(work.given).toEqual(
      argumentFaults({ ...MK8_RUN, faults: () => [] }, args).length > 0 ? [] : ['script.read'],
    );
  });
});

describe('a value of a tool that a tenant declared', () => {
  const tool = cliDefinition({
    tool_id: 'cli.greet',
    version: 1,
    description: 'greets',
    category: 'read',
    cmd: 'echo',
    args: ['{{name}}'],
    optional_args: [],
    env: [],
    limits: SHELL_RUN.limits,
    parameters: { name: { type: 'string', pattern: '(?:a?){40}a{40}' } },
  } as unknown as CliTool);

  it('that is short is matched on the event loop', async () => {
    expect(argumentFaults(await read(tool, { name: 'aaa' }), { name: 'aaa' })).toMatchObject([{ pointer: '/name' }]);
    expect(work.given).toEqual([]);
  });

  it('that is long is matched in a thread, with the same faults', async () => {
    const args = { name: 'a'.repeat(4_000) };
    expect(argumentFaults(await read(tool, args), args)).toEqual(argumentFaults(tool, args));
    expect(work.given).toEqual(['values.read']);
  });

  it("that is no text, or is absent, is not matched: the schema's fault is reported", async () => {
    for (const args of [{ name: ['a'.repeat(9_000)] }, {}, { other: 'a'.repeat(9_000) }])
      expect(argumentFaults(await read(tool, args), args)).toEqual(argumentFaults(tool, args));
    expect(work.given).toEqual([]);
  });
});

describe('arguments of a hundred kilobytes', () => {
  const parameters = { type: 'object', properties: { text: { type: 'string' } } };
  const shared = {
    v: 1,
    version: 1,
    description: 'Takes a text.',
    category: 'read',
    parameters,
    result: null,
  } as const;
  const functionTool = tenantDefinition({
    ...shared,
    kind: 'function',
    tool_id: 'crm.note',
    mode: 'pull',
    idempotent: true,
    timeout_ms: 5_000,
  });
  const mcpTool = tenantDefinition({
    ...shared,
    kind: 'mcp',
    tool_id: 'mcp.crm.note',
    timeout_ms: 5_000,
    server: 'crm',
    server_digest: '0'.repeat(64),
    remote_name: 'note',
    remote_digest: '0'.repeat(64),
  });

  it.each([
    ['of a function are refused, since a permit carries them', functionTool, 1, []],
    ['of a tool of an MCP server are checked in a thread, and taken', mcpTool, 0, ['schema.read']],
  ] as const)('%s', async (_what, tool, faults, given) => {
    const args = { text: 'x'.repeat(100_000) };
    for (const by of [work, null]) expect(argumentFaults(await read(tool, args, by), args)).toHaveLength(faults);
    expect(work.given).toEqual(given);
  });
});

describe('answers to an MCP server', () => {
  // A schema that counts its arguments counts no answers.
  const remote = { name: 'note', inputSchema: { type: 'object', additionalProperties: false, maxProperties: 0 } };
  const toolOf = (asks?: readonly McpAsk[]) =>
    tenantDefinition({
      ...acceptedTool({ name: 'crm', digest: '0'.repeat(64), asks }, 'note', remote, 'read'),
      version: 1,
    });
  const argsWith = (text: string, more: object = {}) => ({
    [MCP_INPUT]: { capabilities: ['elicitation'], responses: { a: { text } }, ...more },
  });

  it.each([
    ['short', 'x', []],
    ['long', 'x'.repeat(100_000), ['schema.read']],
  ] as const)(
    'that are %s are checked by their own schema, where the server may ask alone',
    async (_what, text, given) => {
      const pointersOf = async (tool: ToolDefinition, args: Record<string, unknown>) =>
        argumentFaults(await read(tool, args), args).map(({ pointer }) => pointer);
      expect(await pointersOf(toolOf(['elicitation']), argsWith(text))).toEqual([]);
      expect(await pointersOf(toolOf(['sampling']), argsWith(text))).toEqual(['/writ.dev~1input/capabilities/0']);
      expect(await pointersOf(toolOf(['elicitation']), argsWith(text, { more: 1 }))).toEqual(['/writ.dev~1input/more']);
      expect(await pointersOf(toolOf(), argsWith(text))).toContain('/writ.dev~1input');
      expect([...new Set(work.given)]).toEqual(given);
    },
  );
});

describe('an address of a resource in another spelling', () => {
  const [request] = serverRequests({ completions: {} });
  const document = acceptedTool({ name: 'crm', digest: '0'.repeat(64) }, 'completion_complete', request!, 'read');
  const tool = tenantDefinition({ ...document, version: 1 });

  it.each([
    ['here', 'x', []],
    ['in a thread', 'x'.repeat(100_000), ['schema.read']],
  ] as const)('is found %s', async (_where, value, given) => {
    const args = { ref: { type: 'ref/resource', uri: 'DRAFT://{id}' }, argument: { name: 'id', value } };
    for (const by of [work, null])
      expect(argumentFaults(await read(tool, args, by), args)).toMatchObject([{ pointer: '/ref/uri' }]);
    expect(work.given).toEqual(given);
  });
});

it('the definition of any other tool is unchanged', async () => {
  expect(await read(SHELL_RUN, { command: 'x'.repeat(9_000) })).toBe(SHELL_RUN);
});
