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
  api.heard.length = 0;
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

describe("without settings of one's own", () => {
  it('the file of the local set-up is found upwards, and each command speaks as who it is for', async () => {
    expect((await writ(['operations'], { cwd: deep })).exit).toBe(0);
    expect((await writ(['call', 'fs.read', '--args', '{"path":"a.txt"}'], { cwd: deep })).exit).toBe(0);
    expect((await writ(['approvals', 'deny', IDS.approval], { cwd: deep })).exit).toBe(0);
    expect(api.heard.map(({ key }) => key)).toEqual(['Bearer admin-key', 'Bearer agent-key', 'Bearer operator-key']);
    expect(JSON.parse(api.heard[1]!.body)).toMatchObject({
      workspace_id: IDS.workspace,
      capability_token_id: IDS.token,
      agent_id: IDS.agent,
    });
  });

  it('--as names another holder', async () => {
    await writ(['approvals', '--as', 'admin'], { cwd: deep });
    expect(api.heard[0]!.key).toBe('Bearer admin-key');
    expect(await writ(['approvals', '--as', 'root'], { cwd: deep })).toMatchObject({
      exit: 2,
      err: 'error usage: `--as root` is none of admin, operator, agent, platform\n',
    });
  });

  it('WRIT_STATE_DIR says where else it is', async () => {
    expect((await writ(['operations'], { env: { WRIT_STATE_DIR: join(dir, '.writ') } })).exit).toBe(0);
  });

  it("a file that can't be read, or none, says what to do", async () => {
    writeSettings('{');
    expect((await writ(['operations'], { cwd: deep })).err).toMatch(/^error connection: .*cli\.json` can't be read/);
    rmSync(join(dir, '.writ'), { recursive: true });
    expect((await writ(['operations'], { cwd: deep })).err).toMatch(
      /^error connection: no API is known: start one with `npm start`/,
    );
  });
});

describe('address and key', () => {
  it('come from one source: a key of the environment is never sent where a file says', async () => {
    const { exit, err } = await writ(['operations'], { cwd: deep, env: { WRIT_API_KEY: 'secret' } });
    expect(exit).toBe(2);
    expect(err).toContain('`--url` or WRIT_URL is missing');
    expect(err).not.toContain('secret');
    expect((await writ(['operations', '--url', api.url], { cwd: deep })).exit).toBe(2);
    expect(api.heard).toEqual([]);
  });

  it('of the command line go before those of the environment', async () => {
    await writ(['operations', '--api-key', 'mine'], { env: api.env });
    expect(api.heard[0]!.key).toBe('Bearer mine');
  });

  it('that is no http address is refused', async () => {
    expect((await writ(['operations'], { env: { WRIT_URL: 'file:///etc', WRIT_API_KEY: 'k' } })).exit).toBe(2);
  });
});
