// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '@writ/contract';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

const DIGEST = '7'.repeat(64);
const VIEW = {
  name: 'release',
  description: 'How to release.',
  digest: DIGEST,
  files: 2,
  bytes: 10,
  updated_by: 'key_a',
  updated_at: 0,
};
const WHOLE = {
  ...VIEW,
  files: [{ path: 'SKILL.md', sha256: DIGEST, size: 10 }],
  versions: [{ digest: DIGEST, bytes: 10, created_by: 'key_a', created_at: 0 }],
};

let cwd: string;
let api: FakeApi;
let answer: unknown;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'writ-skill-'));
  mkdirSync(join(cwd, 'release', 'steps'), { recursive: true });
  writeFileSync(join(cwd, 'release', 'SKILL.md'), 'text');
  writeFileSync(join(cwd, 'release', 'steps', 'logo.png'), Uint8Array.of(0, 255));
  answer = { valid: true, problems: [], change: 'added', skill: VIEW };
  api = await fakeApi(({ method, url }) => ({
    body:
      method === 'POST'
        ? answer
        : method === 'DELETE'
          ? { removed: 'release' }
          : url === '/v1/skills/release'
            ? WHOLE
            : { items: [VIEW], next_cursor: null },
  }));
});
afterEach(async () => {
  rmSync(cwd, { recursive: true, force: true });
  await api.close();
});
const skill = (...args: string[]) => writ(['skill', ...args], { env: api.env, cwd });
const sent = (): unknown => JSON.parse(api.requests[0]?.body ?? 'null');

test("a skill's folder is sent byte for byte, and the result is shown", async () => {
  expect(await skill('add', 'release')).toMatchObject({
    exit: 0,
    out: expect.stringMatching(/release[^]*7{64}[^]*added/),
  });
  expect(sent()).toEqual({
    files: [
      { path: 'SKILL.md', content: 'dGV4dA==', encoding: 'base64' },
      { path: 'steps/logo.png', content: 'AP8=', encoding: 'base64' },
    ],
  });
  expect(JSON.parse((await skill('add', 'release', '--json')).out)).toEqual({ change: 'added', skill: VIEW });
});

test('problems of a skill name their files, with control characters escaped', async () => {
  answer = {
    valid: false,
    change: null,
    skill: null,
    problems: [
      { pointer: '/files/0/content', message: 'SKILL.md:2:1: \u001b[2Jno name' },
      { pointer: '/files/1/content', message: 'too long' },
      { pointer: '/files/1/path', message: 'a name' },
      { pointer: '/files', message: 'too many' },
    ],
  };
  const { exit, err } = await skill('add', 'release');
  expect(exit).toBe(1);
  expect(err).toMatch(
    /skill\.invalid[^]*nothing was uploaded\nSKILL\.md:2:1: [^\n]*no name\nsteps\/logo\.png: too long\na name\ntoo many/,
  );
  expect(err).not.toContain('\u001b');
});

test.each([
  ['is not there', () => undefined, 'nothing-here', /no folder that can be read/],
  ['is a file', () => undefined, 'release/SKILL.md', /no folder that can be read/],
  [
    'is empty',
    () => {
      mkdirSync(join(cwd, 'empty'));
    },
    'empty',
    /is empty/,
  ],
  [
    'holds a link to a file',
    () => {
      symlinkSync('/etc/passwd', join(cwd, 'release', 'passwd'));
    },
    'release',
    /`passwd` is a link/,
  ],
  [
    'holds a link to a folder',
    () => {
      symlinkSync('/etc', join(cwd, 'release', 'steps', 'etc'));
    },
    'release',
    /`steps\/etc` is a link/,
  ],
  [
    'holds a file that is too long',
    () => {
      writeFileSync(join(cwd, 'release', 'long'), Buffer.alloc(LIMITS.skillFileBytes.max + 1));
    },
    'release',
    /`long` is longer than 131072 bytes/,
  ],
  [
    'is too long as a whole',
    () => {
      for (let n = 0; n < 9; n++) writeFileSync(join(cwd, 'release', `f${n}`), Buffer.alloc(LIMITS.skillFileBytes.max));
    },
    'release',
    /more than 1048576 bytes/,
  ],
  [
    'has too many files',
    () => {
      for (let n = 0; n < 300; n++) writeFileSync(join(cwd, 'release', `f${n}`), '');
    },
    'release',
    /more than 256 files/,
  ],
])("a skill's folder that %s is not sent", async (_how, change, folder, words) => {
  change();
  expect(await skill('add', folder)).toMatchObject({ exit: 2, err: expect.stringMatching(words) });
  expect(api.requests).toEqual([]);
});

test('skills are listed, shown and removed', async () => {
  expect((await skill()).out).toMatch(/release +7{12} +2 +10/);
  expect((await skill('show', 'release')).out).toMatch(/SKILL\.md[^]*7{64}/);
  expect((await skill('remove', 'release')).out).toContain('removed release');
  expect(api.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    expect.stringMatching(/^GET \/v1\/skills\?limit=50$/),
    'GET /v1/skills/release',
    'DELETE /v1/skills/release',
  ]);
});
