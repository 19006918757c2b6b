// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { APPROVAL, IDS, OPERATION, RESULT } from '../specs/samples.ts';

let api: FakeApi;
let dir: string;
let deep: string;

beforeAll(async () => {
  api = await fakeApi(({ url }) => ({
    body: url.includes('tool-calls')
      ? RESULT
      : url.includes('deny')
        ? OPERATION
        : url.includes('approvals')
          ? { items: [APPROVAL], next_cursor: null }
          : { items: [], next_cursor: null },
  }));
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
  dir = mkdtempSync(join(tmpdir(), 'writ-cli-'));
  deep = join(dir, 'a', 'b');
  mkdirSync(deep, { recursive: true });
  mkdirSync(join(dir, '.writ'));
  writeSettings({
    url: api.url,
    api_key: 'admin-key',
    operator_key: 'operator-key',
    agent_key: 'agent-key',
    platform_key: 'p',
    agent_id: IDS.agent,
    workspace_id: IDS.workspace,
    capability_token_id: IDS.token,
  });
});
afterEach(() => rmSync(dir, { recursive: true }));

const writeSettings = (settings: unknown): void =>
  writeFileSync(join(dir, '.writ', 'cli.json'), typeof settings === 'string' ? settings : JSON.stringify(settings));

describe('without address and key', () => {
  it("the settings file is found in a parent folder, and each command uses its holder's key", async () => {
    expect((await writ(['operations'], { cwd: deep })).exit).toBe(0);
    expect((await writ(['call', 'fs.read', '--args', '{"path":"a.txt"}'], { cwd: deep })).exit).toBe(0);
    expect((await writ(['approvals', 'deny', IDS.approval], { cwd: deep })).exit).toBe(0);
    expect(api.requests.map(({ key }) => key)).toEqual(['Bearer admin-key', 'Bearer agent-key', 'Bearer operator-key']);
    expect(JSON.parse(api.requests[1]!.body)).toMatchObject({
      workspace_id: IDS.workspace,
      capability_token_id: IDS.token,
      agent_id: IDS.agent,
    });
  });

  it("--as selects another holder's key", async () => {
    await writ(['approvals', '--as', 'admin'], { cwd: deep });
    expect(api.requests[0]!.key).toBe('Bearer admin-key');
    expect(await writ(['approvals', '--as', 'root'], { cwd: deep })).toMatchObject({
      exit: 2,
      err: 'error usage: `--as root` is none of admin, operator, agent, platform\n',
    });
  });

  it('WRIT_STATE_DIR names the folder of the settings file', async () => {
    expect((await writ(['operations'], { env: { WRIT_STATE_DIR: join(dir, '.writ') } })).exit).toBe(0);
  });

  it('an unreadable or missing settings file is an error with advice', async () => {
    writeSettings('{');
    expect((await writ(['operations'], { cwd: deep })).err).toMatch(/^error connection: .*cli\.json` can't be read/);
    rmSync(join(dir, '.writ'), { recursive: true });
    expect((await writ(['operations'], { cwd: deep })).err).toMatch(
      /^error connection: no API is configured: start one with `npm start`/,
    );
  });
});

describe('the address and the key', () => {
  it('come from one source: a key of the environment is never sent to an address from a file', async () => {
    const { exit, err } = await writ(['operations'], { cwd: deep, env: { WRIT_API_KEY: 'secret' } });
    expect(exit).toBe(2);
    expect(err).toContain('`--url` or WRIT_URL is missing');
    expect(err).not.toContain('secret');
    expect((await writ(['operations', '--url', api.url], { cwd: deep })).exit).toBe(2);
    expect(api.requests).toEqual([]);
  });

  it('of the command line take precedence over the environment', async () => {
    await writ(['operations', '--api-key', 'mine'], { env: api.env });
    expect(api.requests[0]!.key).toBe('Bearer mine');
  });

  it('are refused where the address is not http', async () => {
    expect((await writ(['operations'], { env: { WRIT_URL: 'file:///etc', WRIT_API_KEY: 'k' } })).exit).toBe(2);
  });
});
