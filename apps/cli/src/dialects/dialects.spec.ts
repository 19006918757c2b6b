// SPDX-License-Identifier: Apache-2.0
import { writ } from '../specs/run-cli.ts';

const OUTPUT = 'I look.\n[TOOL_CALL:a] {"action":"fs.read","args":{"path":"a.txt"}}\n[TOOL_CALL:b] {}';
const READ = ['parse', '--dialect', 'blocks'];

describe('writ dialect parse', () => {
  it('prints text, calls and problems as data, and exits with 1 where there are problems', async () => {
    const { exit, out } = await writ(['dialect', ...READ, '--json'], { stdin: OUTPUT });
    expect([exit, JSON.parse(out)]).toEqual([
      1,
      {
        text: 'I look.\n\n',
        stop: null,
        calls: [
          { id: 'a', name: 'fs.read', tool_id: 'fs.read', args: { path: 'a.txt' }, mode: 'run', show: {}, at: 8 },
        ],
        problems: [expect.objectContaining({ level: 'call', call_id: 'b', at: 67 })],
      },
    ]);
  });

  it("prints them as text, with the model's control characters escaped", async () => {
    const { out } = await writ(['dialect', ...READ], { stdin: `${OUTPUT}\u001b[2J` });
    expect(out).toContain('a  fs.read {"path":"a.txt"}\ncall at 67 (b): the payload names no action');
    expect(out).not.toContain('\u001b');
  });

  it('exits with 0 for plain text, and with 2 without a dialect', async () => {
    expect(await writ(['dialect', ...READ], { stdin: 'Hi' })).toEqual({ exit: 0, out: 'Hi\n', err: '' });
    for (const args of [['parse'], ['parse', '--dialect', 'morse'], []])
      expect((await writ(['dialect', ...args], { stdin: '' })).exit).toBe(2);
  });
});

describe('writ dialect render', () => {
  const parsed = async (): Promise<Record<string, unknown>> =>
    JSON.parse((await writ(['dialect', ...READ, '--json'], { stdin: OUTPUT })).out) as Record<string, unknown>;
  const render = async (turn: unknown, ...more: string[]) =>
    writ(['dialect', 'render', '--dialect', 'blocks', ...more], {
      stdin: typeof turn === 'string' ? turn : JSON.stringify(turn),
    });

  it('reads the output of parse with outcomes, and prints the messages', async () => {
    const turn = { ...(await parsed()), outcomes: { a: { standing: 'completed', result: { content: 'x' } } } };
    expect((await render(turn)).out).toMatch(
      /^\[TOOL_RESULT:a\] status=Completed result=\{"content":"x"\}\n\[TOOL_RESULT:b\] status=Failed error=\{/,
    );
    expect(JSON.parse((await render(turn, '--json')).out)).toEqual([
      { role: 'user', content: expect.stringContaining('[TOOL_RESULT:a]') as unknown },
    ]);
  });

  it('renders a call without an outcome as queued', async () => {
    expect((await render(await parsed())).out).toContain('[TOOL_RESULT:a] status=Queued');
  });

  it.each([
    ['{', 'no JSON'],
    ['{}', '`calls`'],
    ['{"calls":[],"problems":[],"outcomes":{"a":{"standing":"fine"}}}', '/outcomes/a/standing'],
    ['{"calls":[],"problems":[],"extra":1}', '/extra'],
  ])('is a usage error for %s', async (stdin, said) => {
    expect(await render(stdin)).toMatchObject({ exit: 2, out: '', err: expect.stringContaining(said) as unknown });
  });
});

describe('writ dialect prompt', () => {
  const prompt = async (dialect: string, ...more: string[]) =>
    writ(['dialect', 'prompt', '--dialect', dialect, ...more], {
      stdin: '{"tools":["fs.read"],"fs":[{"path":"docs","read":true,"write":false}],"net":[],"secrets":[]}',
    });

  it('describes every tool by default', async () => {
    expect((await prompt('yips')).out).toMatch(/tool read_file \{path, maxBytes\?\}.*tool run_command/s);
  });

  it('describes only the tools that a grant allows', async () => {
    const { out } = await prompt('tools-xml', '--grant', '-');
    expect([
      out.includes('You may read: `docs`.'),
      out.includes('<read><file src="package.json"/></read>'),
      out.includes('<command>'),
    ]).toEqual([true, true, false]);
    expect(JSON.parse((await prompt('anthropic', '--grant', '-', '--json')).out)).toMatchObject({
      tools: [{ name: 'read_file', input_schema: { type: 'object' } }],
    });
  });

  it('accepts a chain of grants, and refuses a malformed grant', async () => {
    const [all, some] = ['*', 'fs.list'].map((tools) => ({ tools: [tools], fs: [], net: [], secrets: [] }));
    expect(JSON.parse((await prompt('openai', '--json', '--grant', JSON.stringify([all, some]))).out)).toMatchObject({
      tools: [{ function: { name: 'list_directory' } }],
    });
    expect(await prompt('openai', '--grant', '{"tools":"*"}')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('--grant') as unknown,
    });
  });
});
