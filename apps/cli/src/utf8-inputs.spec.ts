// SPDX-License-Identifier: Apache-2.0
//
// Every way by which text enters the program: a file, standard input, an argument, a hidden value, a line at a
// terminal.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { fakeRuns, SESSION_ID } from './specs/fake-runs.ts';
import { Pty } from './specs/pty.ts';
import { fakeApi, writ, type FakeApi } from './specs/run-cli.ts';
import { IDS } from './specs/samples.ts';

vi.setConfig({ testTimeout: 240_000 });

/** An é of Latin-1 at offset seven. */
const LATIN_1 = Buffer.from('{"a":"h\xe9llo"}', 'latin1');
const AT = 'is not UTF-8: byte 7 (0xe9)';

let api: FakeApi;
let folder: string;
let file: string;
beforeAll(async () => {
  api = await fakeApi(() => ({ body: {} }));
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
  folder = mkdtempSync(join(tmpdir(), 'writ-utf8-'));
  file = join(folder, 'input');
  writeFileSync(file, LATIN_1);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const where = ['--token', IDS.token, '--workspace', IDS.workspace];
const job = ['job', 'create', 'nightly', '--cron', '@daily', '--model', 'main', ...where];

it.each<[string, (path: string) => readonly string[]]>([
  ['call --args', (path) => ['call', 'fs.write', ...where, '--args', `@${path}`]],
  ['job create --input-file', (path) => [...job, '--input-file', path]],
  ['policy validate', (path) => ['policy', 'validate', path]],
  ['tools apply', (path) => ['tools', 'apply', '--file', path]],
  ['mk8 check', (path) => ['mk8', 'check', path]],
  ['dialect prompt --grant', (path) => ['dialect', 'prompt', '--dialect', 'blocks', '--grant', `@${path}`]],
])('a file that is not UTF-8 is refused with the offset of its byte, and nothing is sent: %s', async (_name, args) => {
  const { exit, err } = await writ(args(file), { env: api.env, cwd: folder });
  expect([exit, err, api.requests]).toEqual([2, expect.stringContaining(AT), []]);
  expect(err).toContain(file);
});

it.each<[string, readonly string[]]>([
  ['call --args -', ['call', 'fs.write', ...where, '--args', '-']],
  ['turn', ['turn', '--dialect', 'blocks', ...where]],
  ['dialect parse', ['dialect', 'parse', '--dialect', 'yips']],
  ['dialect render', ['dialect', 'render', '--dialect', 'yips']],
  ['job create --input-file -', [...job, '--input-file', '-']],
  ['mk8 check -', ['mk8', 'check', '-']],
  ['secret set', ['secret', 'set', 'NAME']],
])(
  'standard input that is not UTF-8 is refused with the offset of its byte, and nothing is sent: %s',
  async (_name, args) => {
    const { exit, err } = await writ(args, { env: api.env, stdin: LATIN_1 });
    expect([exit, err, api.requests]).toEqual([2, expect.stringContaining(`standard input ${AT}`), []]);
  },
);

it('an argument that is not UTF-8 is refused before anything is sent', async () => {
  const { exit, err } = await writ(['call', 'fs.write', ...where, '--args', '{"content":"h\ufffdllo"}'], {
    env: api.env,
  });
  expect([exit, err, api.requests]).toEqual([
    2,
    expect.stringContaining('argument 8 is not UTF-8: its byte 13 begins no character'),
    [],
  ]);
});

describe('the program as a process', () => {
  const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
  const run = (command: string, input: Uint8Array | string = ''): [number | null, string] => {
    const { status, stderr } = spawnSync(
      'bash',
      [
        '-c',
        command,
        'bash',
        process.execPath,
        '--disable-warning=ExperimentalWarning',
        '--conditions=@writ/source',
        MAIN,
      ],
      { input, encoding: 'utf8', env: { ...process.env, ...api.env } },
    );
    return [status, stderr];
  };

  it('refuses standard input and arguments that are not UTF-8', () => {
    expect(run('"$@" dialect parse --dialect blocks', LATIN_1)).toEqual([
      2,
      expect.stringContaining(`standard input ${AT}`),
    ]);
    expect(run('"$@" secret set NAME', LATIN_1)).toEqual([2, expect.stringContaining(`standard input ${AT}`)]);
    expect(run('"$@" call fs.write --args $\'{"a":"h\\xe9llo"}\'')).toEqual([
      2,
      expect.stringContaining('argument 4 is not UTF-8: its byte 7'),
    ]);
  });
});

it('a line at a terminal that is not UTF-8 is refused, and the question stays open', async () => {
  const runs = await fakeRuns({
    streams: [
      async (run) => {
        run.replied('I see.').end();
      },
    ],
  });
  const pty = new Pty(['chat', '--session', SESSION_ID], runs.env);
  try {
    const asked = await pty.waitFor('› ');
    pty.type(Buffer.from('h\xe9llo\r', 'latin1'));
    const refused = await pty.waitFor('not UTF-8', asked);
    await pty.waitFor('› ', refused);
    pty.type('hello\r');
    await pty.waitFor('I see.', refused);
    const said = runs.requests.flatMap(({ body }) =>
      JSON.stringify(body ?? '').includes('llo') ? [JSON.stringify(body)] : [],
    );
    expect([said.length > 0, said.some((text) => text.includes('\ufffd'))]).toEqual([true, false]);
  } finally {
    pty.stop();
    runs.close();
  }
});
