// SPDX-License-Identifier: Apache-2.0
import { argumentFaults, CONTAINER_ACCESS, CONTAINER_CREATE, type ToolDefinition } from '@writ/contract';
import { Value } from 'typebox/value';
import { runContainerTool } from './container-tools.ts';

const operationId = `op_${'0123456789abcdefghjkmnpqrs'.slice(0, 26)}`;
const resultOf = (tool: ToolDefinition, args: Record<string, unknown>, container?: never): unknown => {
  const outcome = runContainerTool({
    toolId: tool.tool_id,
    operationId,
    args,
    ...(container === undefined ? {} : { container }),
  });
  if (!outcome.ok) throw new Error(outcome.message);
  expect(Value.Errors(tool.result, outcome.result)).toEqual([]);
  return outcome.result;
};

test('a container that is made has the id of its operation, and the name that was asked for', () => {
  expect(resultOf(CONTAINER_CREATE, { name: 'build' })).toEqual({
    container: { resource_id: operationId.replace('op_', 'res_'), name: 'build' },
  });
});

test('a container that is made without a name gets one that fits the schema of names', () => {
  expect(resultOf(CONTAINER_CREATE, {})).toMatchObject({
    container: { name: expect.stringMatching(/^container-[0-9a-z]{10}$/) as string },
  });
});

test('a call about a container answers with what the kernel sent, and fails without it', () => {
  const container = {
    resource_id: operationId.replace('op_', 'res_'),
    name: 'build',
    shell: 'none',
    opened_at: null,
  } as never;
  expect(resultOf(CONTAINER_ACCESS, { container: 'build' }, container)).toEqual({ container });
  expect(() => resultOf(CONTAINER_ACCESS, { container: 'build' })).toThrow('without its container');
});

test('a name that a resource cannot have is refused by the arguments', () => {
  for (const name of ['', '-x', 'a b', 'x'.repeat(65), 'a/b'])
    expect(argumentFaults(CONTAINER_CREATE, { name })).toMatchObject([{ pointer: '/name' }]);
});
