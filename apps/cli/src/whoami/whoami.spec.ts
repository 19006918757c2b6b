// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

const NOBODY = {
  kind: 'platform',
  tenant_id: null,
  api_key_id: null,
  name: null,
  role: null,
  agent_id: null,
  tools: null,
  scopes: null,
  capability_token_id: null,
  principal: null,
  person_id: null,
  expires_at: null,
};

test('`writ whoami` says who the API takes the caller for', async () => {
  const who = {
    ...NOBODY,
    kind: 'exchanged_token',
    api_key_id: IDS.key,
    role: 'agent',
    agent_id: IDS.agent,
    scopes: ['tools:read', 'operations:read'],
    capability_token_id: IDS.token,
    expires_at: 60_000,
  };
  const api = await fakeApi(() => ({ body: who }));
  const { out, exit } = await writ(['whoami'], { env: api.env });
  expect(api.requests.at(-1)).toMatchObject({ method: 'GET', url: '/v1/whoami' });
  expect(exit).toBe(0);
  for (const shown of ['exchanged token', IDS.key, IDS.agent, IDS.token, 'tools:read operations:read', '00:01:00Z'])
    expect(out).toContain(shown);
  expect(JSON.parse((await writ(['whoami', '--json'], { env: api.env })).out)).toEqual(who);
  await api.close();
});

test('`writ whoami` says of the platform key no more than that', async () => {
  const api = await fakeApi(() => ({ body: NOBODY }));
  expect((await writ(['whoami'], { env: api.env })).out).toBe('kind  platform\n');
  await api.close();
});
