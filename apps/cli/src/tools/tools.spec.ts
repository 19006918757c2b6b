// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ } from '../specs/run-cli.ts';

test('every tool is one row', async () => {
  const api = await fakeApi(() => ({ body: { items: [{ tool_id: 'fs.read', version: 1, description: 'Reads a text file.', category: 'read', class: 'inline', mutating: false }] } }));
  expect((await writ(['tools'], { env: api.env })).out).toMatch(/fs\.read +read +inline +Reads a text file\./);
  await api.close();
});
