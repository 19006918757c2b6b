// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomUUID } from 'node:crypto';
import type { Trust } from '../trust.ts';
import { NotMade } from './finding.ts';
import { memberOf, objectOf, textIn, type Answer, type DoctorApi, type JsonObject } from './doctor-api.ts';
import type { KeptLog } from './state-file.ts';

/** No tenant of a person has such a name by chance: a later run closes the open ones of this form. */
export const TENANT_NAME = /^writ-doctor [0-9a-f]{16}$/;
export const newTenantName = (): string => `writ-doctor ${randomBytes(8).toString('hex')}`;

/** A call of a check that takes longer says nothing about its promise. */
const CALL_MS = 25_000;
const TOKEN_MS = 3_600_000;

/** The functions that the doctor itself runs, one for each check of permits. */
export const FUNCTIONS = ['forged', 'replayed', 'foreign'] as const;

/** A tenant of the doctor's own. */
export interface DoctorTenant {
  readonly tenantId: string;
  readonly admin: DoctorApi;
}

/** A workspace with a token for it, and the agent that calls there. */
export class Room {
  readonly workspaceId: string;
  readonly tokenId: string;
  readonly #world: World;
  readonly #agent: DoctorApi;

  constructor(world: World, agent: DoctorApi, workspaceId: string, tokenId: string) {
    this.#world = world;
    this.#agent = agent;
    this.workspaceId = workspaceId;
    this.tokenId = tokenId;
  }

  /** Makes a call, and waits for its end. */
  async call(tool_id: string, args: unknown, { by = this.#agent, ...more }: CallOptions = {}): Promise<Answer> {
    return await by.post(`/v1/tool-calls?wait=${String(CALL_MS)}`, {
      agent_id: this.#world.agentId,
      tool_id,
      args,
      capability_token_id: this.tokenId,
      workspace_id: this.workspaceId,
      idempotency_key: randomUUID(),
      ...more,
    });
  }

  /**
   * Runs a command whose result the check needs.
   * @throws NotMade for a call that did not run to its end
   */
  async run(command: string): Promise<{ readonly answer: JsonObject; readonly output: string }> {
    const reply = await this.call('shell.run', { command });
    const answer = objectOf(reply);
    const result = memberOf(answer, 'result');
    if (typeof result['output'] !== 'string') throw new NotMade(`a command did not run: ${describe(reply)}`);
    return { answer, output: result['output'] };
  }

  /** The content of a file at the head; null where there is none. */
  async file(path: string): Promise<string | null> {
    const answer = await this.#world.admin.get(`/v1/workspaces/${this.workspaceId}/files/${path}`);
    if (answer.status === 404) return null;
    if (answer.status >= 300) throw new NotMade(`reading a file answered ${String(answer.status)}`);
    return answer.text;
  }

  async head(): Promise<string> {
    return textIn(await this.#world.admin.must('GET', `/v1/workspaces/${this.workspaceId}`), 'head_snapshot_id');
  }
}

export interface CallOptions {
  readonly by?: DoctorApi;
  readonly idempotency_key?: string;
  readonly max_autonomy?: string;
}

/** An answer to a call in words. */
export function describe(answer: Answer): string {
  const value = objectOf(answer);
  const state = textIn(value, 'tx_outcome') || textIn(value, 'state');
  return [String(answer.status), state, answer.code ?? ''].filter((each) => each !== '').join(' ');
}

/** What a check needs beside its tenant. */
export interface Surroundings {
  /** with the platform key */
  readonly platform: DoctorApi;
  readonly trust: Trust;
  /** a log that an earlier run has kept a checkpoint of; null for the first run */
  readonly kept: KeptLog | null;
}

/** The doctor's tenant, in which the checks call, and what belongs to the whole installation. */
export class World implements DoctorTenant {
  readonly tenantId: string;
  readonly admin: DoctorApi;
  readonly agentId: string;
  readonly platform: DoctorApi;
  readonly trust: Trust;
  readonly kept: KeptLog | null;
  readonly #newTenant: () => Promise<DoctorTenant>;
  readonly #agent: DoctorApi;

  private constructor(
    { tenantId, admin }: DoctorTenant,
    { platform, trust, kept }: Surroundings,
    rest: { agentId: string; agent: DoctorApi; newTenant: () => Promise<DoctorTenant> },
  ) {
    [this.tenantId, this.admin, this.agentId, this.#agent] = [tenantId, admin, rest.agentId, rest.agent];
    [this.platform, this.trust, this.kept, this.#newTenant] = [platform, trust, kept, rest.newTenant];
  }

  /** @param newTenant makes a tenant that is closed at the end */
  static async make(around: Surroundings, newTenant: () => Promise<DoctorTenant>): Promise<World> {
    const tenant = await newTenant();
    const { admin } = tenant;
    const agentId = textIn(await admin.must('POST', '/v1/agents', { name: 'doctor' }), 'agent_id');
    const agent = admin.as(await newKey(admin, { role: 'agent', agent_id: agentId }));
    const declared = FUNCTIONS.map((name) => ({
      name: `doctor.${name}`,
      description: 'Does nothing.',
      category: 'write',
      mode: 'pull',
      parameters: { type: 'object' },
    }));
    await admin.must('PUT', '/v1/tools', { functions: declared });
    return new World(tenant, around, { agentId, agent, newTenant });
  }

  /** One more tenant. */
  async another(): Promise<DoctorTenant> {
    return await this.#newTenant();
  }

  /** A new key of the tenant. */
  async key(members: Readonly<Record<string, unknown>>): Promise<DoctorApi> {
    return this.admin.as(await newKey(this.admin, members));
  }

  /** A new workspace, with a token for all of it unless `grant` says otherwise. */
  async room(files: Readonly<Record<string, string>>, grant: Readonly<Record<string, unknown>> = {}): Promise<Room> {
    const named = { name: `doctor ${randomUUID().slice(0, 8)}` };
    const workspaceId = textIn(await this.admin.must('POST', '/v1/workspaces', named), 'workspace_id');
    const contents = Object.entries(files).map(([path, content]) => ({ path, content }));
    if (contents.length > 0) await this.admin.must('POST', `/v1/workspaces/${workspaceId}/files`, { files: contents });
    const token = await this.admin.must('POST', '/v1/capability-tokens', {
      agent_id: this.agentId,
      workspace_id: workspaceId,
      grant: {
        tools: ['fs.*', 'shell.*', 'doctor.*'],
        fs: [{ path: '', read: true, write: true }],
        net: [],
        secrets: [],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + TOKEN_MS,
        ...grant,
      },
    });
    return new Room(this, this.#agent, workspaceId, textIn(token, 'capability_token_id'));
  }
}

/** Makes a tenant with the platform key. */
export async function createTenant(platform: DoctorApi, name: string): Promise<DoctorTenant> {
  const tenant = await platform.must('POST', '/v1/tenants', { name });
  const [tenantId, key] = [textIn(tenant, 'tenant_id'), textIn(tenant, 'api_key')];
  if (tenantId === '' || key === '') throw new NotMade('POST /v1/tenants answered without an id or a key');
  return { tenantId, admin: platform.as(key) };
}

async function newKey(admin: DoctorApi, members: Readonly<Record<string, unknown>>): Promise<string> {
  return textIn(await admin.must('POST', '/v1/api-keys', { name: 'of the doctor', ...members }), 'api_key');
}
