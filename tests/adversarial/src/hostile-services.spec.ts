// SPDX-License-Identifier: Apache-2.0
// The servers of one tenant answer what is expensive to read. No answer holds up the event loop of the executor, which
// serves all tenants, and what is no answer is said at once.
import { vi } from 'vitest';
import { wavOf } from '@writ/audio';
import { outsideTls } from '@writ/testing';
import {
  makeWorld,
  openFakeInternet,
  startStack,
  type FakeInternet,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { OF_MAILBOXES, OF_SPEECH, OF_STORES } from './hostile-services/hostile-answers.ts';
import { MailServer } from './hostile-services/mail-server.ts';
import { eventLoops } from './neighbours/event-loops.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

/** Milliseconds of processor time without a break. Each of the answers took seconds where the loop read it. */
const WORK_MS_MAX = 400;
const COLLECTION = '{"id":"1","dimension":2,"configuration_json":{"hnsw":{"space":"cosine"}}}';

let internet: FakeInternet;
let mail: MailServer;
let stack: Stack;
let world: World;
let token: string;
let answer = '';

beforeAll(async () => {
  mail = await MailServer.open();
  internet = await openFakeInternet(
    (request, response) => {
      request.resume().on('end', () => {
        const body = request.method === 'GET' ? COLLECTION : answer;
        response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      });
    },
    { 993: mail.port },
  );
  stack = await startStack({
    programs: { executor: [internet.program] },
    env: { executor: { ...internet.env, NODE_EXTRA_CA_CERTS: outsideTls().caPath } },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'small.txt': 'one\n' } });
  const { admin, agentId, workspaceId } = world;
  await admin.request('PUT', '/v1/secrets', { name: 'MAIL_PASSWORD', value: 'correct-horse-battery', note: 'x' });
  const register = async (kind: string, name: string, settings: object): Promise<void> => {
    const { resource_id } = (await admin.must('/v1/resources', { kind, name, settings })) as { resource_id: string };
    const grant = { kind, resource_id, right: 'use', agent_id: agentId, clearance: 'autopilot' };
    expect((await admin.request('PUT', '/v1/resource-grants', grant)).status).toBeLessThan(300);
  };
  await register('mailbox', 'default', {
    ...{ host: 'mail.outside.example', port: 993, tls: 'implicit' },
    ...{ username: 'ada', secret: 'MAIL_PASSWORD', address: 'ada@outside.example' },
  });
  await register('info_store', 'outside', {
    backend: { kind: 'chroma', url: 'https://chroma.outside.example', collection: 'handbook' },
    embedding: { kind: 'openai', url: 'https://embed.outside.example/v1', model: 'm', dimensions: 2 },
    label: 'untrusted_content',
  });
  await register('model', 'service', {
    task: 'transcription',
    provider: { kind: 'openai', url: 'https://speech.outside.example/v1', model: 'whisper-x' },
  });
  const sound = Buffer.from(wavOf(new Float32Array(16_000)));
  await admin.request('PUT', `/v1/workspaces/${workspaceId}/files/ok.wav`, sound, {
    'content-type': 'application/octet-stream',
  });
  const net = [{ domain: '*.outside.example', methods: ['GET', 'POST', 'TLS'], ports: [443, 993] }];
  const grant = {
    ...{ tools: ['*'], fs: [{ path: '', read: true, write: true }], net, secrets: [], budgets: {} },
    ...{ resources: ['mailbox:*', 'info_store:*', 'model:*'], not_before: 0, expires_at: Date.now() + 3_600_000 },
  };
  const made = await admin.must('/v1/capability-tokens', { agent_id: agentId, workspace_id: workspaceId, grant });
  token = (made as { capability_token_id: string }).capability_token_id;
});
afterAll(async () => {
  await stack?.stop();
  internet?.close();
  mail?.close();
});

let sessions = 0;
/** Runs one call, whose code is null where it succeeded, and the longest block of the event loop meanwhile. */
async function measured(tool: string, args: JsonValue): Promise<{ code: string | null; workMs: number }> {
  await eventLoops(stack);
  sessions += 1;
  const over = { capability_token_id: token, session_id: `s-${sessions}` };
  const { body } = await world.call(tool, args, over, 50_000);
  const { executor } = await eventLoops(stack);
  return { code: body.error?.code ?? (body.status === 'ok' ? null : body.state), workMs: executor?.workMs ?? Infinity };
}

it.each(OF_MAILBOXES)('a mailbox that answers %s blocks nobody', async (_what, answers, code) => {
  mail.answers = answers;
  const seen = await measured('email.find', { limit: 20 });
  expect(seen.code).toBe(code);
  expect(seen.workMs).toBeLessThan(WORK_MS_MAX);
});

it.each(OF_STORES)('a store that answers %s blocks nobody', async (_what, body, code) => {
  answer = body;
  const seen = await measured('vecdb.query', { store: 'outside', mode: 'vector', embedding: [1, 0], k: 5 });
  expect(seen.code).toBe(code);
  expect(seen.workMs).toBeLessThan(WORK_MS_MAX);
});

it.each(OF_SPEECH)('a service of transcription that answers %s blocks nobody', async (_what, body, code) => {
  answer = body;
  const seen = await measured('audio.transcribe', { path: 'ok.wav', model: 'service' });
  expect(seen.code).toBe(code);
  expect(seen.workMs).toBeLessThan(WORK_MS_MAX);
});
