// SPDX-License-Identifier: Apache-2.0
// Whatever a caller writes, it never stands for every resource of a kind: a tool alone means that.
import fc from 'fast-check';
import { targetsOf, TOOLS } from './registry.ts';

const tools = [...TOOLS.values()].filter(({ targets }) => targets !== undefined);
const text = fc.oneof(
  fc.constantFrom('*', '', '%', 'every', 'true', '{"every":true}', 'container:*'),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const value = fc.oneof(
  text,
  fc.array(text, { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant({ every: true }),
);

test.each(tools.map((tool) => [tool.tool_id, tool] as const))(
  'no arguments of `%s` stand for every resource, except `any` of tasks',
  (_id, tool) => {
    const names = Object.keys(tool.parameters.properties);
    fc.assert(
      fc.property(fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] }), (args) => {
        const every = targetsOf(tool, args).filter((reference) => reference.every !== undefined);
        expect(every.every(({ kind, right }) => kind === 'task' && right === 'use' && args['any'] === true)).toBe(true);
      }),
      { numRuns: 200 },
    );
  },
);
