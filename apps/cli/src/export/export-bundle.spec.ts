// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { folderOf } from '../specs/folder-of.ts';
import { fakeApi, problem, writ } from '../specs/run-cli.ts';

test("an export's range accepts moments and periods before now", async () => {
  const api = await fakeApi(() => problem(404, 'not_found', 'there are no records'));
  const out = join(folderOf({}), 'b.tar');
  const before = Date.now();
  for (const since of ['2h', '2026-01-31T09:30:00Z'])
    await writ(['export', 'bundle', '--since', since, '--out', out], { env: api.env });
  const asked = api.requests.map(({ url }) => Number(new URL(`http://x${url}`).searchParams.get('since')));
  expect(asked[0]).toBeGreaterThanOrEqual(before - 7_200_000);
  expect(asked[0]).toBeLessThanOrEqual(Date.now() - 7_200_000);
  expect(asked[1]).toBe(Date.parse('2026-01-31T09:30:00Z'));
  for (const since of ['yesterday', '2026-01-31', '7x', '2026-13-01T00:00Z']) {
    expect(await writ(['export', 'bundle', '--since', since, '--out', out], { env: api.env })).toMatchObject({
      exit: 2,
      err: expect.stringContaining(`--since ${since}`) as string,
    });
  }
  expect(api.requests).toHaveLength(2);
  await api.close();
});
