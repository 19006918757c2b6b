// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS, TOKEN } from '../specs/samples.ts';
import { SCRIPTS, SHELLS, type Shell } from './scripts.ts';

const LISTS: Readonly<Record<string, unknown[]>> = {
  '/v1/agents': [
    { agent_id: IDS.agent, name: 'the reviewer' },
    { agent_id: '$(touch pwned)', name: 'hostile' },
  ],
  '/v1/capability-tokens': [TOKEN],
  '/v1/secrets': [{ name: 'DEPLOY_KEY' }],
};
let api: FakeApi;
let isSlow = false;
beforeAll(async () => {
  api = await fakeApi(({ url }) => {
    const items = LISTS[url.split('?')[0] ?? ''];
    return isSlow || items === undefined ? { status: 500, body: '' } : { body: { items, next_cursor: null } };
  });
});
afterAll(() => api.close());
beforeEach(() => {
  isSlow = false;
  api.requests.length = 0;
});

const complete = async (shell: Shell, ...words: string[]): Promise<string[]> => {
  const { exit, out, err } = await writ(['__complete', shell, '--within', '60000', '--', ...words], { env: api.env });
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  return out.split('\n').filter((line) => line !== '');
};

test.each<[string[], string[]]>([
  [['tok'], ['token']],
  [['token', 'a'], ['attenuate']],
  [['tokens', 'get', ''], [IDS.token]],
  [['token', 'revoke', 'cap_'], [IDS.token]],
  [['token', 'create', '--agent', ''], [IDS.agent]],
  [['secret', 'delete', ''], ['DEPLOY_KEY']],
  [['token', 'create', '--allow'], ['--allow-unknown-tools']],
  [
    ['-o', ''],
    ['json', 'yaml', 'table', 'name'],
  ],
  [['operation', 'list', '-o', 'y'], ['yaml']],
  [
    ['--as', 'admin', 'completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['agent', 'create', ''], []],
  [['nonsense', 'get', ''], []],
])('the candidates after %j are %j', async (words, candidates) => {
  expect(await complete('bash', ...words)).toEqual(candidates);
});

describe('ids come from the server that the finished command would ask, with its key', () => {
  let dir: string;
  let other: FakeApi;
  beforeAll(async () => {
    other = await fakeApi(() => ({ body: { items: [{ agent_id: 'agt_other', name: null }], next_cursor: null } }));
    dir = mkdtempSync(join(tmpdir(), 'writ-completion-'));
    const made = ['context', 'create', 'work', '--url', other.url];
    expect((await writ(made, { stdin: 'key-of-work', env: { XDG_CONFIG_HOME: dir } })).exit).toBe(0);
    mkdirSync(join(dir, '.writ'));
    const keys = { api_key: 'local-admin', operator_key: 'local-operator' };
    writeFileSync(join(dir, '.writ', 'cli.json'), JSON.stringify({ url: other.url, ...keys }));
  });
  afterAll(async () => {
    await other.close();
    rmSync(dir, { recursive: true });
  });
  const ask = async (words: string[], env: Readonly<Record<string, string>>): Promise<[string, string | undefined]> => {
    other.requests.length = 0;
    const line = ['__complete', 'bash', '--within', '60000', '--', ...words, 'agent', 'get', ''];
    return [(await writ(line, { env, cwd: dir })).out.trim(), other.requests[0]?.key];
  };

  it.each<[string[], string]>([
    [['--context', 'work'], 'key-of-work'],
    [['--context=work'], 'key-of-work'],
    [['--context', '=', 'work'], 'key-of-work'],
  ])('%j', async (words, key) => {
    expect(await ask(words, { XDG_CONFIG_HOME: dir, WRIT_URL: '', WRIT_API_KEY: '' })).toEqual([
      'agt_other',
      `Bearer ${key}`,
    ]);
    expect(await ask(words, { XDG_CONFIG_HOME: dir, ...api.env })).toEqual(['agt_other', `Bearer ${key}`]);
  });

  it('--url with --api-key, and --as', async () => {
    expect(await ask(['--url', other.url, '--api-key', 'mine'], api.env)).toEqual(['agt_other', 'Bearer mine']);
    expect(await ask(['--as', 'operator'], {})).toEqual(['agt_other', 'Bearer local-operator']);
    expect(await ask(['--as', 'nobody'], {})).toEqual(['', undefined]);
  });
});

test('hidden commands, plurals and older spellings are no candidates', async () => {
  const words = await complete('bash', '');
  expect(words).toContain('operation');
  for (const hidden of ['__complete', 'operations']) expect(words).not.toContain(hidden);
  expect(await complete('bash', 'token', '')).toEqual(expect.not.arrayContaining(['issue', 'show']));
});

test('zsh and fish get labels beside the ids, and an id that a shell would run is left out', async () => {
  expect(await complete('fish', 'agent', 'get', '')).toEqual([`${IDS.agent}\tthe reviewer`]);
  expect(await complete('zsh', 'agent', 'get', '')).toEqual([`${IDS.agent}:the reviewer`]);
});

test('without a server, with a slow one or without settings there are no ids, and no error', async () => {
  isSlow = true;
  expect(await complete('bash', 'agent', 'get', '')).toEqual([]);
  expect(await writ(['__complete', 'bash', '--', 'agent', 'get', ''])).toEqual({ exit: 0, out: '', err: '' });
  const hanging = await writ(['__complete', 'bash', '--', 'agent', 'get', ''], {
    env: { WRIT_URL: 'http://127.0.0.1:9', WRIT_API_KEY: 'k' },
  });
  expect(hanging).toEqual({ exit: 0, out: '', err: '' });
});

test('a shell that is none is refused with those that there are', async () => {
  expect(await writ(['completion', 'tcsh'])).toMatchObject({
    exit: 2,
    err: expect.stringContaining('bash, zsh, fish') as string,
  });
});

/** What each shell prints for the line `writ token g` and a key that completes it. */
const ASK: Readonly<Record<Shell, (script: string) => readonly string[]>> = {
  bash: (script) => [
    '-c',
    `source ${script}; COMP_WORDS=(writ token g); COMP_CWORD=2; _writ_complete; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // A description of candidates needs a running line editor, so this asks for what the script hands to it.
  zsh: (script) => [
    '-fc',
    `compdef() { :; }; _describe() { print -l -- "\${(@P)4}"; }; source ${script}; words=(writ token g); CURRENT=3; _writ_complete`,
  ],
  fish: (script) => ['--no-config', '-c', `source ${script}; complete -C 'writ token g'`],
};

describe.each(SHELLS)('the script of %s', (shell) => {
  const isThere = spawnSync(shell, ['--version']).status === 0;
  (isThere ? it : it.skip)(`completes a verb${isThere ? '' : ` (there is no ${shell} here)`}`, () => {
    const dir = mkdtempSync(join(tmpdir(), 'writ-completion-'));
    const program = join(dir, 'writ');
    const main = new URL('../main.ts', import.meta.url).pathname;
    writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} --conditions=@writ/source ${main} "$@"\n`);
    chmodSync(program, 0o755);
    writeFileSync(join(dir, 'script'), SCRIPTS[shell]);
    const { stdout, stderr } = spawnSync(shell, [...ASK[shell](join(dir, 'script'))], {
      encoding: 'utf8',
      env: { PATH: `${dir}:${process.env['PATH'] ?? ''}`, HOME: dir },
    });
    rmSync(dir, { recursive: true });
    expect({ stdout: stdout.split('\n')[0], stderr }).toEqual({ stdout: expect.stringMatching(/^get\b/), stderr: '' });
  });
});
