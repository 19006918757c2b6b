// SPDX-License-Identifier: Apache-2.0
import { parseRiskRules } from '@writ/risk';
import { writ, type CliEnvironment } from '../specs/run-cli.ts';

const assess = async (command: string, ...more: string[]): Promise<unknown> =>
  JSON.parse((await writ(['risk', 'assess', '--command', command, '--json', ...more])).out);
const answers = async (stdin: CliEnvironment['stdin'], ...more: string[]): Promise<unknown[]> => {
  const { exit, out, err } = await writ(['risk', 'assess', '--stdin', ...more], { stdin });
  expect([exit, err]).toEqual([0, '']);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
};
const REFUSED = { risk_score: 1, risk_basis: [], category: 'admin', autonomy_mode: 'no_go' };

describe('writ risk assess', () => {
  it.each([
    ['git status', { risk_score: 0.05, risk_basis: ['category.write'], category: 'read', autonomy_mode: 'autopilot' }],
    ['npm test', { risk_score: 0.05, risk_basis: ['category.write'], category: 'write', autonomy_mode: 'autopilot' }],
    [
      'rm -rf src',
      {
        risk_score: 0.62,
        risk_basis: ['category.write', 'delete.tree'],
        category: 'write',
        autonomy_mode: 'soft_gate',
      },
    ],
    [
      'git push --force',
      {
        risk_score: 0.715,
        risk_basis: ['category.write', 'loss.shared_history'],
        category: 'admin',
        autonomy_mode: 'soft_gate',
      },
    ],
    [
      'X=/; rm -rf $X',
      { risk_score: 1, risk_basis: ['category.write', 'delete.root'], category: 'admin', autonomy_mode: 'no_go' },
    ],
  ])('answers for `%s` with four fields, without a server', async (command, answer) => {
    expect(await assess(command)).toEqual(answer);
  });

  it('includes the working directory', async () => {
    expect(await assess('rm -rf *', '--cwd', 'build')).toMatchObject({ autonomy_mode: 'autopilot' });
    expect(await assess('rm -rf *')).toMatchObject({ autonomy_mode: 'no_go' });
  });

  it('explains the parts of the score', async () => {
    expect(await assess('rm -rf src', '--explain')).toMatchObject({
      risk_score: 0.62,
      dimensions: { reversibility: 0.5, blast_radius: 0.2, ambiguity: 0, policy_sensitivity: 0.05 },
      contributions: expect.arrayContaining([
        { rule: 'delete.tree', dimension: 'reversibility', points: 500 },
      ]) as unknown,
      reasons: expect.arrayContaining([
        { code: 'delete.tree', message: '`rm` would delete `src` and all that is in it' },
      ]) as unknown,
    });
  });

  it('prints the mode, the score and each rule as text', async () => {
    const { exit, out } = await writ(['risk', 'assess', '--command', 'rm -rf src']);
    expect(exit).toBe(0);
    expect(out).toContain('soft_gate: it waits for one person');
    expect(out).toMatch(/score +0\.620/);
    expect(out).toMatch(
      /delete\.tree +reversibility 0\.500, blast radius 0\.200 +`rm` would delete `src` and all that is in it/,
    );
    expect(out).toMatch(/category\.write +policy sensitivity 0\.050 +the tool changes files/);
  });

  it('escapes control characters of a command', async () => {
    const { out } = await writ(['risk', 'assess', '--command', "rm -rf $'a\\x1b[2Jb'"]);
    expect(out.replaceAll('\n', '')).not.toMatch(/[\x00-\x1f]/);
  });

  it.each([[[]], [['--command', 'ls', '--stdin']], [['--command', '']], [['--command', 'a'.repeat(65_537)]]])(
    'is a usage error for %j',
    async (args) => {
      const { exit, out, err } = await writ(['risk', 'assess', ...args]);
      expect([exit, out]).toEqual([2, '']);
      expect(err).toMatch(/^error usage: /);
    },
  );
});

describe('writ risk assess --stdin', () => {
  it('answers each line with one object, in order, with and without a final newline', async () => {
    const modes = ['autopilot', 'soft_gate', 'no_go', 'autopilot'];
    const lines = ['ls', 'rm -rf src', 'sudo ls', 'echo é | wc'].join('\n');
    for (const stdin of [lines, `${lines}\n`, lines.replaceAll('\n', '\r\n')])
      expect(await answers(stdin)).toEqual(
        modes.map((autonomy_mode) => expect.objectContaining({ autonomy_mode }) as unknown),
      );
  });

  it('refuses an empty line and goes on', async () => {
    const wrong = { ...REFUSED, error: { code: 'command.empty', message: 'there is no command in it' } };
    expect(await answers('\nls\n   \n\nls')).toEqual([
      wrong,
      expect.not.objectContaining({ error: expect.anything() as unknown }),
      wrong,
      wrong,
      expect.objectContaining({ autonomy_mode: 'autopilot' }),
    ]);
  });

  it('refuses a line that is no text, too long or has a NUL, and goes on', async () => {
    const stdin = Buffer.concat([
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.from(`a\0b\n${'a'.repeat(65_537)}\n${'é'.repeat(40_000)}\nls\n`),
    ]);
    const wrong = (code: string): unknown =>
      expect.objectContaining({ ...REFUSED, error: { code, message: expect.any(String) as unknown } });
    expect(await answers(stdin)).toEqual([
      wrong('command.not_utf8'),
      wrong('command.nul'),
      wrong('command.too_long'),
      wrong('command.too_long'),
      expect.objectContaining({ autonomy_mode: 'autopilot' }),
    ]);
  });

  it('accepts a line of maximum length, and text that is no bash', async () => {
    expect(await answers(`${'a'.repeat(65_536)}\nif then (\n'`)).toEqual([
      expect.objectContaining({ autonomy_mode: 'autopilot' }),
      expect.objectContaining({ risk_basis: ['category.write', 'shell.unparsed'], autonomy_mode: 'soft_gate' }),
      expect.objectContaining({ autonomy_mode: 'soft_gate' }),
    ]);
  });

  it('prints nothing for empty input', async () => {
    expect(await answers('')).toEqual([]);
  });

  it('explains each line', async () => {
    expect(await answers('ls\n', '--explain')).toEqual([
      expect.objectContaining({
        dimensions: expect.anything() as unknown,
        contributions: expect.anything() as unknown,
      }),
    ]);
  });
});

describe('writ risk rules', () => {
  it('prints the table of rules, which fits its schema', async () => {
    const { out } = await writ(['risk', 'rules', '--json']);
    expect(parseRiskRules(JSON.parse(out)).length).toBeGreaterThan(50);
    expect((await writ(['risk', 'rules'])).out).toContain('delete.root');
    expect(JSON.parse((await writ(['risk', 'rules', '--schema'])).out)).toMatchObject({
      title: 'RiskRules',
      type: 'array',
    });
  });
});
