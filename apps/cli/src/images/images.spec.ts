// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeApi, problem, writ, type FakeApi } from '../specs/run-cli.ts';

const RECIPE = { pip: [{ name: 'six', version: '1.16.0' }] };
let api: FakeApi;
let dir: string;
beforeAll(async () => {
  api = await fakeApi(() => problem(409, 'conflict', 'there is one of that name'));
  dir = mkdtempSync(join(tmpdir(), 'writ-cli-'));
  writeFileSync(join(dir, 'recipe.json'), JSON.stringify(RECIPE));
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await api.close();
});
beforeEach(() => {
  api.requests.length = 0;
});

test.each([
  ['a file', () => join(dir, 'recipe.json')],
  ['@ and a file', () => `@${join(dir, 'recipe.json')}`],
  ['JSON', () => JSON.stringify(RECIPE)],
  ['standard input', () => '-'],
])('a recipe is given as %s', async (_what, option) => {
  await writ(['image', 'create', 'tools', '--recipe', option()], { env: api.env, stdin: JSON.stringify(RECIPE) });
  expect(JSON.parse(api.requests[0]!.body)).toEqual({ name: 'tools', source: { recipe: RECIPE }, tools: [] });
});

test.each(['six', 'six>=1.16', 'six==1.16'])('the package %s is no exact version', async (text) => {
  const { exit, err } = await writ(['image', 'create', 'tools', '--pip', text], { env: api.env });
  expect(exit).toBe(2);
  expect(err).toBe(`error usage: \`${text}\` is no package of one exact version: write NAME=VERSION\n`);
});

test('a recipe in a file that is not there is a usage error', async () => {
  const { exit, err } = await writ(['image', 'create', 'tools', '--recipe', '@/no/such'], { env: api.env });
  expect(exit).toBe(2);
  expect(err).toBe("error usage: `--recipe`: `/no/such` can't be read (ENOENT)\n");
});
