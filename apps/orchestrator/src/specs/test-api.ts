// SPDX-License-Identifier: Apache-2.0
import { MemoryAudioIngest } from '@writ/audio';
import { randomBytes } from 'node:crypto';
import { memoryBlobs } from '@writ/blobs';
import { memoryBus } from '@writ/bus';
import { FAULT_TITLES, subjectsOf, type AgentId, type FaultCode, type TenantId } from '@writ/contract';
import { sha256 } from '@writ/digest';
import { BusTransport, DIRECT, NestLogger, newId, Readiness } from '@writ/nest-kit';
import { startTelemetry, traceHooks } from '@writ/telemetry';
import { emptyTree, snapshotIdOf } from '@writ/workspace';
import { NestFactory } from '@nestjs/core';
import { ROUTES } from '../api/routes.ts';
import type { OrchestratorConfig } from '../config.env.ts';
import { allowedMethodsOf, concretePathsOf } from '../edge/problems/allowed-methods.ts';
import { HttpAdapter } from '../edge/server/http-adapter.ts';
import { prepareHttpServer } from '../edge/server/http-server.ts';
import { Published } from '../edge/published-keys.ts';
import type { Role } from '../edge/requests/route.ts';
import type { ConfiguredModel } from '../runs/models/models-file.ts';
import { OrchestratorModule } from '../orchestrator.module.ts';
import type { Stores } from '../store/store.module.ts';
import { EraseTexts } from '../runs/conversations/erase-texts.ts';
import { KernelClient } from '../calls/kernel/kernel-client.ts';
import { formatApiKey, hashApiKey } from '../edge/access/api-key-text.ts';
import { undocumentedAnswer } from './documented-answers.ts';
import { FakeBrowserSessions } from './fake-browser-sessions.ts';
import { FakeDeviceAuthorizations, FakeSignIns } from './fake-sign-ins.ts';
import { FakeChannels } from './fake-channels.ts';
import { FakeApiKeys } from './fake-api-keys.ts';
import { FakeMembers, FakeOffboardings } from './fake-members.ts';
import { FakeSuspensions } from './fake-suspensions.ts';
import { FakeIdentities } from './fake-identities.ts';
import { FakeInvitations } from './fake-invitations.ts';
import { FakeLedger } from './fake-ledger.ts';
import { FakeKernel } from './fake-kernel.ts';
import { FakeJobs } from './fake-jobs.ts';
import { FakeRuns } from './fake-sessions.ts';
import { FakeHooks } from './fake-webhooks.ts';

export const PLATFORM_KEY = 'writ_platform_of_a_spec';

export interface TestRequest {
  readonly key?: string;
  readonly body?: unknown;
  readonly text?: string | Uint8Array;
  readonly headers?: Record<string, string>;
}
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

/** A model that replays a transcript. */
export const RECORDED: ConfiguredModel = {
  name: 'recorded',
  provider: 'transcript',
  model: 'spec',
  prices: null,
  currency: null,
  context_tokens_max: null,
  transcript: { v: 1, model: 'spec', prompt: 'do it', turns: [{ text: 'Done.', calls: [], stop: 'end' }] },
};

/** A configuration without limits, except those that a spec sets. */
export const TEST_CONFIG = {
  WRIT_SHARD: 's0',
  WRIT_HTTP_HOST: '127.0.0.1',
  WRIT_MCP_HOSTS: '',
  WRIT_RATE_PER_SECOND: 100_000,
  WRIT_RATE_BURST: 100_000,
  WRIT_REQUESTS_MAX: 1_000,
  WRIT_CONNECTION_MAX_AGE_MS: 0,
  WRIT_AUTH_FAILURES_PER_MINUTE: 100_000,
  WRIT_TRUSTED_PROXIES: '',
  WRIT_EVENT_STREAMS_MAX: 100,
  WRIT_SESSION_IDLE_MS: 1_800_000,
  WRIT_SESSION_MAX_MS: 43_200_000,
  WRIT_KEY_SESSIONS: false,
  webhookKey: Buffer.alloc(32, 1),
  models: [RECORDED],
  webhookAllowed: new Set<string>(),
  authorizationServers: [],
  issuerAllowed: new Set<string>(),
  outbound: DIRECT,
  platformKeyHash: Buffer.from(sha256(Buffer.from(PLATFORM_KEY))),
  published: new Published(
    { value: { record_keys: [{ keyid: 'k', jwk: { kty: 'OKP' } }] }, refresh: async () => false },
    { value: { log_keys: ['writ.local+00000000+AAAA'] }, refresh: async () => false },
  ),
};

/**
 * The API as its module wires it, on real HTTP, with a fake kernel and a fake ledger.
 * @param port 0 picks a free one
 */
export async function openTestApi(more: Partial<OrchestratorConfig> = {}, port = 0) {
  const lines: string[] = [];
  const undocumented = new Set<string>();
  const telemetry = startTelemetry({
    service: 'orchestrator',
    version: '0',
    destination: { write: (line) => void lines.push(line) },
  });
  const logger = telemetry.logger('info');
  const [bus, readiness, keys, blobs] = [
    memoryBus({ now: Date.now, trace: traceHooks }),
    new Readiness(),
    new FakeApiKeys(),
    memoryBlobs(),
  ];
  const identities = new FakeIdentities(keys);
  const members = new FakeMembers(keys, identities);
  const offboardings = new FakeOffboardings(members, keys);
  const signIns = new FakeSignIns(identities);
  const deviceAuthorizations = new FakeDeviceAuthorizations(signIns);
  const empty = emptyTree();
  const kernel = new FakeKernel({ emptySnapshot: snapshotIdOf(empty.root) });
  await kernel.serve(bus);
  const ledger = new FakeLedger();
  await ledger.serve(bus);
  const hooks = new FakeHooks();
  // Nothing is delivered unless a test enables it.
  hooks.isPaused = true;
  const channels = new FakeChannels();
  channels.isPaused = true;
  const runs = new FakeRuns();
  runs.isPaused = true;
  const jobs = new FakeJobs();
  const audio = new MemoryAudioIngest();
  const invitations = new FakeInvitations(members, keys, identities);
  const stores: Stores = {
    keys,
    identities,
    members,
    offboardings,
    suspensions: new FakeSuspensions(members, offboardings),
    invitations,
    browserSessions: new FakeBrowserSessions(),
    signIns,
    deviceAuthorizations,
    blobs,
    audio,
    webhooks: hooks.webhooks,
    deliveries: hooks.deliveries,
    channels: channels.channels,
    channelMessages: channels.messages,
    sessions: runs.sessions,
    runWork: runs.work,
    sessionTexts: runs.sessionTexts,
    jobs,
    jobWork: jobs.work,
    close: async () => undefined,
  };
  const config = { ...TEST_CONFIG, ...more } as unknown as OrchestratorConfig;
  const app = await NestFactory.create(
    OrchestratorModule.with(config, { bus, logger, telemetry, readiness }, stores),
    new HttpAdapter(allowedMethodsOf(ROUTES), config.WRIT_TRUSTED_PROXIES, concretePathsOf(ROUTES)),
    { logger: new NestLogger(logger), abortOnError: false },
  );
  app.connectMicroservice(
    {
      strategy: new BusTransport({
        bus,
        process: 'orchestrator',
        shard: 's0',
        telemetry,
        report: (error) => {
          throw error;
        },
      }),
    },
    { inheritAppConfig: false },
  );
  prepareHttpServer(app, config);
  await app.startAllMicroservices();
  await app.listen(port, '127.0.0.1');
  readiness.started();
  const url = await app.getUrl();

  const newKey = async (tenantId: TenantId, role: Role, agentId: AgentId | null = null): Promise<string> => {
    const id = newId('apiKey');
    const text = formatApiKey(id, randomBytes(32));
    await keys.create(tenantId, {
      api_key_id: id,
      name: role,
      role,
      agent_id: agentId,
      ...(role === 'worker' ? { tools: ['billing.*'] } : {}),
      hash: hashApiKey(text),
      created_by: 'spec',
    });
    return text;
  };
  const newTenant = async () => {
    const tenantId = newId('tenant');
    await blobs.putMany(
      tenantId,
      empty.nodes.map((node) => node.bytes),
    );
    const agentId = newId('agent');
    kernel.keep(tenantId, agentId, 'agent', { agent_id: agentId, name: 'fixer', created_at: 1 });
    return {
      tenantId,
      agentId,
      admin: await newKey(tenantId, 'admin'),
      operator: await newKey(tenantId, 'operator'),
      auditor: await newKey(tenantId, 'auditor'),
      agent: await newKey(tenantId, 'agent', agentId),
      worker: await newKey(tenantId, 'worker'),
    };
  };
  return {
    app,
    audio,
    bus,
    kernel,
    ledger,
    keys,
    identities,
    members,
    invitations,
    signIns,
    deviceAuthorizations,
    blobs,
    hooks,
    channels,
    runs,
    jobs,
    telemetry,
    readiness,
    lines,
    url,
    newKey,
    newTenant,
    ask: async (method: string, path: string, request: TestRequest = {}) => {
      const answer = await ask(url, method, path, request);
      const missing = undocumentedAnswer(method, path, answer.status);
      if (missing !== null) undocumented.add(missing);
      return answer;
    },
    /** erases texts, as every replica does periodically */
    eraseTexts: () =>
      new EraseTexts(new KernelClient(bus, subjectsOf('s0'), Date.now), runs.sessionTexts, (error) => {
        throw error;
      }).run(),
    publishOperation: (tenantId: string, operationId: string, state: string, more: object = {}) =>
      bus.publish(subjectsOf('s0').event('operation', tenantId), {
        v: 1,
        tenant_id: tenantId,
        operation_id: operationId,
        state,
        ...more,
      }),
    close: async () => {
      await app.close();
      await bus.close();
      await telemetry.shutdown();
      // INVARIANT (documented): the API's document lists every answer that a spec receives.
      if (undocumented.size > 0)
        throw new Error(`the document of the API does not list that ${[...undocumented].join('; ')}`);
    },
  };
}
export type TestApi = Awaited<ReturnType<typeof openTestApi>>;
export type TestTenant = Awaited<ReturnType<TestApi['newTenant']>>;

async function ask(
  url: string,
  method: string,
  path: string,
  { key, body, text, headers = {} }: TestRequest,
): Promise<TestAnswer> {
  const content = body === undefined ? text : JSON.stringify(body);
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(content === undefined ? {} : { body: content as string }),
  });
  const read = await answer.text();
  const isJson = /[/+]json/.test(answer.headers.get('content-type') ?? '') && read !== '';
  return {
    status: answer.status,
    headers: answer.headers,
    text: read,
    json: isJson ? (JSON.parse(read) as Record<string, unknown>) : {},
  };
}

/** The members that every problem has. */
export const problem = (code: FaultCode, status: number) =>
  expect.objectContaining({
    type: `https://writ.dev/errors/${code}`,
    title: FAULT_TITLES[code],
    status,
    detail: expect.any(String),
    code,
    instance: expect.stringMatching(/^urn:writ:request:req_/),
  });
