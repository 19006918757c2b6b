// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentView, idSchema, parseMessage } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { Api, ApiProblem } from './api.ts';

const NewKey = Type.Object({ api_key: Type.String() });

const Demo = Type.Object({
  tenant_id: idSchema('tenant'),
  agent_id: idSchema('agent'),
  keys: Type.Object({ admin: Type.String(), operator: Type.String(), agent: Type.String() }),
});

/** The job's tenant: an agent, and a key for each role. */
export type Demo = Static<typeof Demo>;

const FILE = 'demo.json';

/** Reuses the tenant of an earlier run if the API still has it, else creates one. */
export async function ensureDemo(apiUrl: string, platformKey: string, stateDir: string): Promise<Demo> {
  const path = join(stateDir, FILE);
  const kept = existsSync(path) ? parseMessage(Demo, JSON.parse(readFileSync(path, 'utf8'))) : undefined;
  if (kept !== undefined && (await isTrusted(apiUrl, kept))) return kept;
  const demo = await createDemo(apiUrl, new Api(apiUrl, platformKey));
  writeFileSync(path, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  return demo;
}

/** The state directory may survive a deleted or replaced database. */
async function isTrusted(apiUrl: string, demo: Demo): Promise<boolean> {
  try {
    await new Api(apiUrl, demo.keys.admin).ask(`/v1/agents/${demo.agent_id}`);
    return true;
  } catch (error) {
    if (error instanceof ApiProblem && error.status < 500) return false;
    throw error;
  }
}

async function createDemo(apiUrl: string, platform: Api): Promise<Demo> {
  const Created = Type.Object({ tenant_id: idSchema('tenant'), api_key: Type.String() });
  const { tenant_id, api_key } = await platform.read(Created, '/v1/tenants', {
    method: 'POST',
    body: { name: 'demo' },
  });
  const admin = new Api(apiUrl, api_key);
  const { agent_id } = await admin.read(AgentView, '/v1/agents', { method: 'POST', body: { name: 'fixer' } });
  const keyFor = async (body: object): Promise<string> =>
    (await admin.read(NewKey, '/v1/api-keys', { method: 'POST', body })).api_key;
  const operator = await keyFor({ name: 'operator', role: 'operator' });
  const agent = await keyFor({ name: 'fixer', role: 'agent', agent_id });
  return { tenant_id, agent_id, keys: { admin: api_key, operator, agent } };
}
