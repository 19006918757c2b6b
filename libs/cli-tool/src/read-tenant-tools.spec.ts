// SPDX-License-Identifier: Apache-2.0
import { argumentFaults, definitionForDigest } from '@writ/contract';
import { functionDefinition } from './function-definition.ts';
import { readTenantTools } from './read-tenant-tools.ts';

const CHARGE = {
  name: 'billing.charge',
  description: 'Charges.',
  category: 'write',
  mode: 'pull',
  parameters: { type: 'object', properties: { cents: { type: 'integer' } }, required: ['cents'] },
};
const LOOK = { name: 'look', description: 'Looks.', category: 'read', cmd: 'ls' };
const problems = (file: Record<string, unknown>) =>
  readTenantTools(file).problems.map(({ pointer, message }) => `${pointer} ${message}`);

describe('a file of tools', () => {
  it('may have programs, functions or both', () => {
    expect(readTenantTools({ functions: [CHARGE] })).toMatchObject({
      programs: [],
      functions: [
        { kind: 'function', tool_id: 'billing.charge', idempotent: false, timeout_ms: 120_000, result: null },
      ],
      problems: [],
    });
    expect(readTenantTools({ tools: [LOOK], functions: [{ ...CHARGE, category: 'read' }] })).toMatchObject({
      programs: [{ tool_id: 'look' }],
      functions: [{ idempotent: true }],
    });
    expect(readTenantTools({}).problems).not.toEqual([]);
  });

  it('has all of its problems listed at their places, and no tool then', () => {
    const file = {
      tools: [LOOK],
      functions: [
        { ...CHARGE, name: 'look' },
        { ...CHARGE, parameters: { type: 'string' } },
      ],
    };
    expect(problems(file)).toEqual([
      '/functions/0/name the name `look` is given twice',
      '/functions/1/parameters/type must be `object`: arguments have names',
    ]);
    expect(readTenantTools(file)).toMatchObject({ programs: [], functions: [] });
    for (const name of ['fs.charge', 'api.shop.get', 'mcp.x', 'bash'])
      expect(problems({ functions: [{ ...CHARGE, name }] }).join()).toContain('/functions/0/name');
  });
});

describe('the definition of a function', () => {
  const { functions } = readTenantTools({ functions: [CHARGE] });
  const tool = { ...functions[0]!, version: 1 };

  it('checks arguments by its schema, up to 64 KiB', () => {
    const definition = functionDefinition(tool);
    expect(argumentFaults(definition, { cents: 1 })).toEqual([]);
    expect(argumentFaults(definition, { cents: 'x' })).toEqual([{ pointer: '/cents', message: 'must be integer' }]);
    expect(argumentFaults(definition, { cents: 1, more: 'x'.repeat(70_000) })[0]?.message).toContain('65536 bytes');
    expect(argumentFaults(definition, null)).not.toEqual([]);
  });

  it('is stored and hashed with the words that stored tools and permits under way have', () => {
    const callers = (['caller', 'inline'] as const).map((mode) => ({ ...CHARGE, mode }));
    const drafts = callers.map((source) => readTenantTools({ functions: [source] }).functions[0]!);
    for (const draft of drafts) {
      expect(draft.mode).toBe('inline');
      const definition = definitionForDigest(functionDefinition({ ...draft, version: 1 }));
      // As 3591d597 hashed it.
      expect(definition).toMatchObject({ external: { mode: 'inline', idempotent: draft.idempotent } });
      expect(definition).not.toHaveProperty('function');
    }
  });

  it('has a digest that covers who runs it and both schemas', () => {
    const digest = (more: object) => JSON.stringify(definitionForDigest(functionDefinition({ ...tool, ...more })));
    const changes = [
      { mode: 'inline' },
      { idempotent: true },
      { result: { type: 'object' } },
      { parameters: { type: 'object' } },
      { timeout_ms: 5_000 },
    ];
    expect(new Set([digest({}), ...changes.map(digest)]).size).toBe(changes.length + 1);
  });
});
