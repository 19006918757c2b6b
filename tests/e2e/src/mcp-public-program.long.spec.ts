// SPDX-License-Identifier: Apache-2.0
// A public MCP server that is a program, as npm gives it: `@modelcontextprotocol/server-everything` in an image of the
// tenant. It is listed, accepted and called, and its process is kept. Skipped by name where it can't be installed.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import Docker from 'dockerode';
import {
  eventually,
  makeWorld,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { npmPackages, repositoryRoot, testAddress } from '@writ/testing';
import { vi } from 'vitest';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const PROGRAM = '/opt/everything/node_modules/@modelcontextprotocol/server-everything/dist/index.js';
/** Tools of the program, with what each is accepted as. */
const TOOLS = {
  echo: 'read',
  'get-sum': 'read',
  'get-structured-content': 'read',
  'toggle-simulated-logging': 'write',
};

/** The part of an image's digest that names what is made of it. */
const shortOf = (digest: string): string => digest.replace('sha256:', '').slice(0, 32);

const everything = await npmPackages('everything', join(repositoryRoot(), 'tests', 'e2e', 'src', 'everything'));

describe.skipIf(everything === null)('a public program that speaks MCP (skipped where npm can not install it)', () => {
  let docker: Docker;
  let image: string | undefined;
  let stack: Stack;
  let world: World;
  let token: string;
  let resourceId: string;

  beforeAll(async () => {
    process.env['DOCKER_HOST'] = testAddress('DOCKER_HOST');
    docker = new Docker();
    image = await imageWith(everything!);
    stack = await startStack({ env: { kernel: { WRIT_IMAGE_SOURCES: 'engine' } } });
    world = await makeWorld(stack.url, stack.keys.platformKey);
    await world.admin.must('/v1/images', { name: 'everything', source: { digest: image }, tools: [] });
    await eventually(
      'the image is ready',
      async () => (await world.admin.get('/v1/images/everything')).body.state === 'ready',
      120_000,
    );
    const settings = { transport: 'stdio', image: 'everything', command: ['node', PROGRAM, 'stdio'] };
    const registered = await world.admin.must('/v1/resources', { kind: 'mcp_server', name: 'every', settings });
    resourceId = registered.resource_id as string;
    const grant = {
      kind: 'mcp_server',
      resource_id: resourceId,
      right: 'use',
      agent_id: world.agentId,
      clearance: 'autopilot',
    };
    expect((await world.admin.request('PUT', '/v1/resource-grants', grant)).status).toBeLessThan(300);
    const issued = await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['mcp.every.*'],
        fs: [],
        net: [],
        secrets: [],
        budgets: { cpu_ms: 3_600_000 },
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    });
    token = issued.capability_token_id as string;
  });
  afterAll(async () => {
    await stack?.stop();
    if (image === undefined) return;
    // The stack was killed, so the process that waits stands still, and the next executor of this machine would end it.
    const left = await docker.listContainers({ all: true, filters: { label: [`writ.resource=${resourceId}`] } });
    for (const { Id } of left) await docker.getContainer(Id).remove({ force: true });
    // What an executor made of it lies above it, and takes it along where nothing else does.
    const made = await docker.listImages({ filters: { reference: ['writ/runnable'] } });
    const above = made.flatMap(({ RepoTags }) => RepoTags ?? []).filter((tag) => tag.includes(shortOf(image!)));
    for (const each of [...above, image])
      await docker
        .getImage(each)
        .remove({ force: true })
        .catch(() => undefined);
  });

  /** The base of sandboxes with the packages in it, as a tenant would build it; the engine alone has it. */
  async function imageWith(packages: string): Promise<string> {
    const container = await docker.createContainer({
      Image: testAddress('WRIT_TEST_SANDBOX_BASE'),
      Cmd: ['/bin/true'],
    });
    try {
      // The folder of the cache is its owner's alone, and a program runs as nobody of this machine.
      const as = ['--mode', 'a+rX', '--transform', 's,^\\.,opt/everything,'];
      const tar = spawn('tar', ['-C', packages, ...as, '-cf', '-', '.']);
      await container.putArchive(tar.stdout, { path: '/' });
      return ((await container.commit()) as { Id: string }).Id;
    } finally {
      await container.remove({ force: true });
    }
  }

  const call = async (tool: string, args: JsonValue): Promise<JsonValue> =>
    (await world.call(`mcp.every.${tool}`, args, { capability_token_id: token })).body;

  it('is listed, and its tools are accepted by what they say of themselves', async () => {
    const tools = await eventually('the tools are listed', async () => {
      const { body } = await world.admin.get('/v1/mcp-servers/every/tools');
      const { problem } = (await world.admin.get('/v1/mcp-servers/every')).body;
      expect(problem ?? null).toBeNull();
      return (body.items as JsonValue[]).length > 0 ? (body.items as JsonValue[]) : null;
    });
    const chosen = Object.entries(TOOLS).map(([name, category]) => {
      const found = tools.find(({ remote_name }) => remote_name === name);
      expect(found, name).toMatchObject({ state: 'new' });
      return { name, digest: found!.seen.digest as string, category };
    });
    const accepted = await world.admin.request('POST', '/v1/mcp-servers/every/tools/accept', { tools: chosen });
    expect(accepted, JSON.stringify(accepted.body)).toMatchObject({ status: 200 });
  });

  it('answers calls, with a checked structured answer and a receipt that counts its use', async () => {
    expect(await call('echo', { message: 'hello' })).toMatchObject({
      status: 'ok',
      result: { content: [{ type: 'text', text: 'Echo: hello' }] },
    });
    expect(JSON.stringify((await call('get-sum', { a: 2, b: 3 })).result)).toContain('The sum of 2 and 3 is 5');
    const ended = await call('get-structured-content', { location: 'Chicago' });
    expect(ended.result.structured).toMatchObject({ conditions: expect.any(String), temperature: expect.any(Number) });
    const { record } = await verifiedReceipt(stack, world, ended.operation_id as string, 'outcome');
    expect(record).toMatchObject({ tool_id: 'mcp.every.get-structured-content', usage_counted_by: 'host' });
  });

  it('keeps its process between calls: what one call switched on, the next switches off', async () => {
    const said = async (): Promise<string> => JSON.stringify((await call('toggle-simulated-logging', {})).result);
    expect(await said()).toMatch(/started/i);
    expect(await said()).toMatch(/stopped/i);
  });
});
