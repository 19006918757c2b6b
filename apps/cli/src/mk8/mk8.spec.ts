// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERBS } from '@writ/mk8-shell';
import { writ } from '../specs/run-cli.ts';

const BAD = '{\n  "operations": [\n    {"verb": "FileRead", "args": ["../x"]},\n    {"verb": "Nope"}\n  ]\n}';
const GOOD = JSON.stringify({
  operations: [
    { verb: 'FileCopy', args: ['a.txt', '$WORKSPACE/b.txt'], captureAs: 'DONE' },
    { verb: 'If', if: { predicate: { kind: 'FileExists', args: ['c'] }, then: { verb: 'Echo', args: ['$DONE'] } } },
  ],
});

let folder: string;
const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mk8-cli-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('writ mk8 check', () => {
  it('reports all problems at once, with pointer, line and column, and exits with 1', async () => {
    const { exit, out } = await writ(['mk8', 'check', '-', '--json'], { stdin: BAD });
    expect([exit, JSON.parse(out)]).toEqual([
      1,
      {
        ok: false,
        problems: [
          { pointer: '/operations/0/args/0', message: '`path` holds `..`, which leads out', line: 3, column: 35 },
          { pointer: '/operations/1/verb', message: 'there is no verb `Nope`', line: 4, column: 14 },
        ],
      },
    ]);
  });

  it('reports problems in lines that editors parse', async () => {
    const path = file('bad.json', BAD);
    expect(await writ(['mk8', 'check', path])).toEqual({
      exit: 1,
      err: '',
      out: `${path}:3:35: /operations/0/args/0: \`path\` holds \`..\`, which leads out\n${path}:4:14: /operations/1/verb: there is no verb \`Nope\`\n`,
    });
  });

  it('exits with 0 for a valid script, and shows its possible effects', async () => {
    const { exit, err, out } = await writ(['mk8', 'check', '-', '--json'], { stdin: GOOD });
    expect([exit, err, JSON.parse(out)]).toEqual([
      0,
      '',
      {
        ok: true,
        problems: [],
        effects: expect.objectContaining({
          category: 'write',
          reads: ['a.txt', 'c'],
          writes: ['b.txt'],
          hosts: [],
          templates: [],
        }),
      },
    ]);
  });

  it('applies the rules, fragments and variables of a sandbox', async () => {
    const rules = file(
      'rules.json',
      JSON.stringify({
        blacklist: [{ id: 'own.word', kind: 'word', pattern: 'hello', scope: 'everywhere', reason: 'greets' }],
      }),
    );
    const fragments = file('fragments.json', JSON.stringify({ greet: [{ verb: 'Echo', args: ['hello'] }] }));
    const script = '{"operations":[{"verb":"Include","args":["greet"]}]}';
    expect((await writ(['mk8', 'check', '-'], { stdin: script })).out).toContain('there is no fragment `greet`');
    expect((await writ(['mk8', 'check', '-', '--fragments', fragments], { stdin: script })).exit).toBe(0);
    expect(
      (await writ(['mk8', 'check', '-', '--fragments', fragments, '--rules', rules], { stdin: script })).out,
    ).toContain('own.word');
  });

  it.each([[['--rules', '/absent']], [['--set', 'nonsense']], [['--nope']]])(
    'is a usage error with %j',
    async (args) => {
      const { exit, out } = await writ(['mk8', 'check', '-', ...args], { stdin: GOOD });
      expect([exit, out]).toEqual([2, '']);
    },
  );

  it("refuses rules that can't be read, and a file that isn't there", async () => {
    expect(
      await writ(['mk8', 'check', '-', '--rules', file('r.json', '{"blacklist":1}')], { stdin: GOOD }),
    ).toMatchObject({ exit: 2, err: expect.stringContaining('/blacklist') as unknown });
    expect((await writ(['mk8', 'check', join(folder, 'absent.json')])).exit).toBe(2);
  });

  it('escapes control characters of a script', async () => {
    const { out } = await writ(['mk8', 'check', '-'], { stdin: '{"operations":[{"verb":"a\\u001b[2Jb"}]}' });
    expect(out).not.toContain('\u001b[2J');
  });
});

describe('writ mk8 explain', () => {
  it('prints steps and effects as data', async () => {
    const { exit, out } = await writ(['mk8', 'explain', '-', '--json'], { stdin: GOOD });
    expect([exit, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({
        steps: [
          {
            verb: 'FileCopy',
            pointer: '/operations/0',
            args: ['a.txt', '$WORKSPACE/b.txt'],
            conditions: [],
            label: null,
            goto: null,
            capture_as: 'DONE',
            attempts: 1,
            timeout_ms: 30_000,
          },
          {
            verb: 'Echo',
            pointer: '/operations/1/if/then',
            args: ['$DONE'],
            conditions: ['FileExists c'],
            label: null,
            goto: null,
            capture_as: null,
            attempts: 1,
            timeout_ms: 30_000,
          },
        ],
        effects: {
          reads: ['a.txt', 'c'],
          writes: ['b.txt'],
          deletes: [],
          hosts: [],
          requests: [],
          templates: [],
          open: [],
          network: false,
          process: false,
          category: 'write',
        },
      }),
    ]);
  });

  it('prints them as text, or the problems of an invalid script', async () => {
    const { out } = await writ(['mk8', 'explain', '-'], { stdin: GOOD });
    expect(out).toMatch(/1 +FileCopy +"a\.txt" "\$WORKSPACE\/b\.txt" +captured as DONE, 30 s +\/operations\/0/);
    expect(out).toMatch(/writes +b\.txt/);
    expect(await writ(['mk8', 'explain', '-'], { stdin: BAD })).toMatchObject({
      exit: 1,
      out: expect.stringContaining('there is no verb') as unknown,
    });
  });
});

describe('writ mk8 verbs and docs', () => {
  it('list every verb, or those of a group', async () => {
    expect((JSON.parse((await writ(['mk8', 'verbs', '--json'])).out) as unknown[]).length).toBe(VERBS.size);
    expect(JSON.parse((await writ(['mk8', 'verbs', '--group', 'math', '--json'])).out) as unknown[]).toEqual([
      expect.objectContaining({ name: 'MathEval', min: 1, max: 1, effect: 'none' }),
    ]);
    expect((await writ(['mk8', 'verbs'])).out).toContain('FileWriteMany [path, content, …]');
  });

  it('describe one verb in full, or all', async () => {
    expect((await writ(['mk8', 'docs', 'filehead'])).out).toContain('FileHead [path, lines?]');
    expect((await writ(['mk8', 'docs'])).out).toContain('MathEval [expression]');
    expect((await writ(['mk8', 'docs', '--prompt'])).out).toContain('mk8.shell runs a JSON script');
    expect(JSON.parse((await writ(['mk8', 'docs', '--schema'])).out)).toMatchObject({
      title: 'Script of mk8.shell, version 1',
    });
    expect(await writ(['mk8', 'docs', 'Nope'])).toMatchObject({
      exit: 2,
      out: '',
      err: expect.stringContaining('there is no verb `Nope`') as unknown,
    });
  });
});
