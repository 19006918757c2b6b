// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

test('agents are created, shown and listed', async () => {
  const agent = { agent_id: IDS.agent, name: 'fixer\u001b[31m', created_at: 0 };
  const api = await fakeApi(({ url, method }) => ({
    body: method === 'GET' && url.startsWith('/v1/agents?') ? { items: [agent], next_cursor: null } : agent,
  }));
  for (const args of [['create', 'fixer'], ['show', IDS.agent], ['list']]) {
    const { exit, out } = await writ(['agents', ...args], { env: api.env });
    expect(exit).toBe(0);
    expect(out).toContain('fixer\\u{1b}[31m');
  }
  await api.close();
});
