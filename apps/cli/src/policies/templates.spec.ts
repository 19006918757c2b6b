// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compilePolicySet, decidePolicy, POLICY_TEMPLATES } from '@writ/policy';
import { folderOf } from '../specs/folder-of.ts';
import { writ } from '../specs/run-cli.ts';

const SET = {
  v: 1,
  name: 'ours',
  cedar: '@id("all") @reason("everything is permitted") permit (principal, action, resource);\n',
};
const folderWith = (set: unknown): string => folderOf({ 'set.json': set });
const template = (...args: string[]) => writ(['policy', 'template', ...args], { cwd: folderWith(SET) });
const write = {
  agent_id: 'agt_a',
  delegated_by: [],
  workspace_id: 'wsp_a',
  tool_id: 'fs.write',
  category: 'write',
  tool_class: 'inline',
  resources: [{ kind: 'fs', access: 'write', path: 'infra/a.tf' }],
  risk_milli: 0,
  risk_ceiling: 'none',
  task_class: 'general',
  labels: [],
  session_mode: 'interactive',
  job_lists_tool: false,
  staged_change: false,
  max_autonomy: null,
} as const;

describe('writ policy template', () => {
  it('lists every template, and shows the parameters of one', async () => {
    const { out } = await template('list');
    for (const id of POLICY_TEMPLATES.keys()) expect(out).toContain(id);
    const shown = (await template('show', 'protect_paths')).out;
    expect(shown).toMatch(/paths +list +needed/);
    expect(shown).toMatch(/then +soft_gate \| escalated \| refuse +"soft_gate"/);
    expect(JSON.parse((await template('show', 'call_limit', '--json')).out)).toMatchObject({
      id: 'call_limit',
      parameters: { required: expect.arrayContaining(['tools']) as unknown },
    });
  });

  it('fills in a list by item or as JSON, numbers, and defaults', async () => {
    const { exit, out } = await template(
      'fill',
      'protect_paths',
      '--set',
      'paths=infra/*',
      '--set',
      'paths=a,b=c',
      '--set',
      'then=refuse',
    );
    expect([exit, out]).toEqual([
      0,
      expect.stringContaining('(resource.path like "infra/*" || resource.path like "a,b=c")'),
    ]);
    const limit = JSON.parse(
      (await template('fill', 'call_limit', '--set', 'tools=["fs.*","shell.run"]', '--set', 'n=5', '--json')).out,
    ) as { history: unknown[] };
    expect(limit.history).toEqual([
      expect.objectContaining({ kind: 'at_most', tools: ['fs.*', 'shell.run'], n: 5, window_ms: 3_600_000 }),
    ]);
  });

  it('adds the rules to a set, which then decides by them, and leaves the file unchanged', async () => {
    const cwd = folderWith(SET);
    const { exit, out } = await writ(
      ['policy', 'template', 'fill', 'protect_paths', '--set', 'paths=infra/*', '--into', 'set.json'],
      { cwd },
    );
    expect(exit).toBe(0);
    expect(decidePolicy(compilePolicySet(JSON.parse(out) as Record<string, unknown>), write)).toMatchObject({
      mode: 'soft_gate',
      rule_ids: ['protect_paths', 'all'],
    });
    expect(JSON.parse(readFileSync(join(cwd, 'set.json'), 'utf8'))).toEqual(SET);
  });

  it.each([
    [['fill', 'protect_paths'], 'protect_paths: it lacks `paths`'],
    [
      ['fill', 'protect_paths', '--set', 'paths=a', '--set', 'then=maybe'],
      'protect_paths#/then: it must be one of `soft_gate`, `escalated`, `refuse`',
    ],
    [['fill', 'protect_paths', '--set', 'paths=a', '--set', 'path=b'], 'protect_paths#/path: it is not known here'],
    [['fill', 'call_limit', '--set', 'tools=fs.*', '--set', 'n=many'], 'call_limit#/n: it must be integer'],
    [['fill', 'call_limit', '--set', 'tools=fs.*', '--set', 'tools=NO TOOL'], 'call_limit#/tools/1: '],
  ])("%j: reports the parameter that doesn't fit, and prints no rules", async (args, words) => {
    const { exit, out, err } = await template(...args);
    expect([exit, out]).toEqual([1, '']);
    expect(err).toContain(words);
    expect(err).toContain(
      `error policy.invalid: the parameters don't fit; writ policy template get ${String(args[1])}`,
    );
  });

  it('reports problems of the set with the added rules', async () => {
    const { exit, out, err } = await template(
      'fill',
      'protect_paths',
      '--set',
      'paths=a',
      '--set',
      'id=all',
      '--into',
      'set.json',
    );
    expect([exit, out]).toEqual([1, '']);
    expect(err).toMatch(/set\.json#\/cedar:3:1: the id `all` is given to two rules/);
  });

  it.each([
    [['fill', 'no_such'], 'there is no template `no_such`'],
    [['show', 'no_such'], 'there is no template `no_such`'],
    [['fill', 'call_limit', '--set', 'n'], 'it takes `name=value`'],
    [['fill', 'call_limit', '--set', 'n=1', '--set', 'n=2'], '`--set n` is given twice'],
    [['fill', 'call_limit', '--set', 'tools=["a"'], 'is no JSON that Writ takes'],
  ])('%j is a usage error', async (args, words) => {
    const { exit, err } = await template(...args);
    expect([exit, err]).toEqual([2, expect.stringContaining(words)]);
  });
});
