// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { TOOLS } from '@writ/contract';
import { ToolIds, toolNames } from './tool-names.ts';

/** What Claude Desktop, Cursor and the Copilot CLI all accept. */
const ACCEPTED = /^[A-Za-z0-9_]{1,64}$/;
const OWN = [...TOOLS.keys(), 'operations.wait', 'operations.cancel', 'tools.search', 'tools.describe'];
const pageOf = (ids: readonly string[]) => ({
  items: ids.map((tool_id) => ({ tool: { tool_id } })),
  next_cursor: null,
});
const idsOf = (ids: readonly string[]): ToolIds =>
  new ToolIds({ ask: () => Promise.resolve(pageOf(ids)) } as never, () => 0);
const called = (ids: readonly string[], name: string): Promise<string> => idsOf(ids).of({} as never, name);

test("Writ's own tools have the name that their id gives, whatever a tenant registers", () => {
  const names = toolNames(['fs_read', 'operations_wait', 'tools.search_', 'web.search']);
  for (const id of OWN) expect(names.get(id)).toBe(id.replaceAll('.', '_'));
  expect(new Set(names.values()).size).toBe(names.size);
  expect(names.get('fs_read')).toMatch(/^fs_read_[0-9a-f]{8}$/);
});

test('ids that give one name get a digest, and an id that is that name keeps it', () => {
  expect(toolNames(['gh.pr']).get('gh.pr')).toBe('gh_pr');
  const names = toolNames(['gh.pr', 'gh_pr', 'a.b_c', 'a_b.c']);
  expect(names.get('gh_pr')).toBe('gh_pr');
  for (const [one, begin] of [
    ['gh.pr', 'gh_pr'],
    ['a.b_c', 'a_b_c'],
    ['a_b.c', 'a_b_c'],
  ] as const)
    expect(names.get(one)).toMatch(new RegExp(`^${begin}_[0-9a-f]{8}$`));
});

const segment = fc.string({ unit: fc.constantFrom(...'ab_'), minLength: 1, maxLength: 30 });
const id = fc
  .array(segment, { minLength: 1, maxLength: 3 })
  .map((parts) => `a${parts.join('.')}`.slice(0, 64).replace(/\.$/, '_'));

test('names of any tools of a tenant are accepted, unique, the same in any order, and lead back to the id', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.oneof(id, fc.constantFrom(...OWN)), { maxLength: 40 }), async (ids) => {
      const names = toolNames(ids);
      expect([...names.values()].filter((name) => !ACCEPTED.test(name))).toEqual([]);
      expect(new Set(names.values()).size).toBe(names.size);
      expect(new Map([...toolNames([...ids].reverse())])).toEqual(names);
      for (const one of ids) {
        expect(await called(ids, names.get(one)!)).toBe(one);
        if (one.includes('.')) expect(await called(ids, one)).toBe(one);
      }
    }),
  );
});

test('an id that takes the name with the digest of another one does not get its calls', async () => {
  const [first, second] = ['a.b_c', 'a_b.c'];
  const name = toolNames([first, second]).get(first)!;
  expect(name).toMatch(/^a_b_c_[0-9a-f]{8}$/);
  const ids = [first, second, name];
  const names = toolNames(ids);
  expect(names.get(name)).toBe(name);
  expect(names.get(first)).not.toBe(name);
  for (const one of ids) expect(await called(ids, names.get(one)!)).toBe(one);
});

test('a name that no tool has is returned as it is', async () => {
  for (const name of ['no_such', 'no.such', 'no-such', 'x'.repeat(128)]) expect(await called(['a.b'], name)).toBe(name);
});

describe('the names of a tenant', () => {
  let [now, reads] = [0, 0];
  let tools: readonly string[] | Error = [];
  let ids: ToolIds;
  const by = (tenant_id = 'ten_1') => ({ tenant_id }) as never;
  beforeEach(() => {
    [now, reads, tools] = [0, 0, ['gh.pr']];
    const ask = async () => {
      reads += 1;
      await Promise.resolve();
      if (tools instanceof Error) throw tools;
      return pageOf(tools);
    };
    ids = new ToolIds({ ask } as never, () => now);
  });

  test('are read once a second, whichever names are called, and for each tenant', async () => {
    const called = Array.from({ length: 50 }, (_, n) => ids.of(by(), `no_such_${String(n)}`));
    expect(new Set(await Promise.all([...called, ids.of(by(), 'gh_pr')])).size).toBe(51);
    expect([await ids.of(by(), 'gh_pr'), reads]).toEqual(['gh.pr', 1]);
    await ids.of(by('ten_2'), 'no_such');
    expect(reads).toBe(2);
  });

  test('have a new tool within a second', async () => {
    await ids.of(by(), 'no_such');
    tools = ['gh.pr', 'gh.issue'];
    now = 999;
    expect(await ids.of(by(), 'gh_issue')).toBe('gh_issue');
    now = 1_000;
    expect([await ids.of(by(), 'gh_issue'), reads]).toEqual(['gh.issue', 2]);
  });

  test('that could not be read are read again by the next call', async () => {
    tools = new Error('no answer');
    await expect(ids.of(by(), 'gh_pr')).rejects.toThrow('no answer');
    tools = ['gh.pr'];
    expect(await ids.of(by(), 'gh_pr')).toBe('gh.pr');
  });
});
