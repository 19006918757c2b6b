// SPDX-License-Identifier: Apache-2.0
import type { Caller } from '@writ/contract';
import { Agents } from '../management/agents/index.ts';
import { ApproverGroups } from '../management/approver-groups/index.ts';
import { RevokeKey } from '../management/api-keys/index.ts';
import { Budgets } from '../management/budgets/index.ts';
import { ApplyTools, ListTools } from '../management/tool-registry/index.ts';
import { BeginUpload } from '../management/audio-devices/index.ts';
import { Changes, RecordChange } from '../evidence/changes/index.ts';
import { Delegations, OffboardPerson, SuspendPerson } from '../management/delegations/index.ts';
import {
  BeginErasure,
  EraseBatches,
  TextErasureOrders,
  Erasures,
  KeepHashes,
  RetainContents,
  RetentionRules,
} from '../evidence/erasures/index.ts';
import { Freezes, LiftFreeze, PlaceFreeze } from '../management/freezes/index.ts';
import { ListOperations, ReadOperation } from '../management/operation-queries/index.ts';
import { AllowedSources } from '@writ/sandbox/images';
import { ImageBuilds, TenantImages } from '../management/images/index.ts';
import { McpConnections, McpConsents, TokenWork } from '../management/mcp-connections/index.ts';
import { DecideMcpTools, McpListings, McpServers } from '../management/mcp-servers/index.ts';
import { Profiles } from '../management/profiles/index.ts';
import { ExternalVersions } from '../management/external-versions/index.ts';
import { ResourceGrants, Resources } from '../management/resources/index.ts';
import { ListSandboxes, RegisterSandbox, Registrars } from '../management/sandboxes/index.ts';
import { Secrets } from '../management/secrets/index.ts';
import { Skills } from '../management/skills/index.ts';
import { newId } from '@writ/nest-kit';
import { Sizes } from '../foundation/workspace/sizes.ts';
import { Trees } from '../foundation/workspace/trees.ts';
import { Tenancy } from '../foundation/tenancy/index.ts';
import { TenantCallSettings } from '../management/call-settings/index.ts';
import { ReadUsage, RollUpUsage } from '../management/usage/index.ts';
import { CloseTenant, CreateTenant, TenantLimits, Tenants } from '../management/tenants/index.ts';
import {
  AttenuateToken,
  ChargeModelTokens,
  ExchangeToken,
  IssueToken,
  ListForJob,
  RevokeToken,
  SpawnToken,
  Tokens,
} from '../management/tokens/index.ts';
import {
  ChangeWorkspace,
  CreateWorkspace,
  HeadMoves,
  ImportWorkspace,
  RestoreWorkspace,
  LimitWorkspace,
  Workspaces,
} from '../management/workspaces/index.ts';
import type { TestKernel } from './test-kernel.ts';

/** The requests of people and their programs, on the same database. */
export function openManagement(kernel: TestKernel) {
  const { tenants, sealer, outbox, events, blobs, views, masterKey } = kernel;
  const tenancy = new Tenancy(tenants);
  const changes = new Changes(tenancy, sealer, outbox);
  const sizes = new Sizes(tenants, new Trees(blobs));
  const newMoves = (): HeadMoves => new HeadMoves(tenancy, changes, blobs, new Trees(blobs), sizes);
  const moves = newMoves();
  const sealing = { vault: kernel.vault, hpkeBox: kernel.valueParts.cipher };
  return {
    tenancy,
    changes,
    createTenant: new CreateTenant(changes, masterKey),
    limits: new TenantLimits(tenancy, changes, sizes),
    tenants: new Tenants(tenancy, kernel.workers),
    closeTenant: new CloseTenant(changes, kernel.endCalls, kernel),
    callSettings: new TenantCallSettings(tenancy, changes),
    recordChange: new RecordChange(changes),
    revokeKey: new RevokeKey(changes, kernel.endCalls),
    agents: new Agents(tenancy, changes),
    approverGroups: new ApproverGroups(tenancy, changes, kernel.policies),
    delegations: new Delegations(tenancy, changes),
    offboard: new OffboardPerson(changes),
    suspend: new SuspendPerson(changes),
    tokens: new Tokens(tenancy),
    issue: new IssueToken(changes),
    attenuate: new AttenuateToken(changes),
    exchange: new ExchangeToken(changes),
    listForJob: new ListForJob(changes),
    revoke: new RevokeToken(tenancy, changes, events),
    spawn: new SpawnToken(tenants, changes, kernel.args),
    drawTokens: new ChargeModelTokens(tenants),
    secrets: new Secrets(tenancy, changes, kernel.vault, kernel.valueParts.cipher),
    applyTools: new ApplyTools(tenancy, changes),
    listTools: new ListTools(tenancy),
    registerSandbox: new RegisterSandbox(changes),
    listSandboxes: new ListSandboxes(tenancy),
    registrars: new Registrars(tenancy, changes),
    budgets: new Budgets(tenancy, changes),
    readUsage: new ReadUsage(tenants),
    rollUpUsage: new RollUpUsage(kernel.workers, tenants, 0),
    profiles: new Profiles(tenancy, changes),
    images: new TenantImages(tenancy, changes, AllowedSources.parse('engine,registry.example.org/acme')),
    imageBuilds: new ImageBuilds(kernel.workers, tenants, changes),
    skills: new Skills(tenancy, changes, blobs),
    resources: new Resources(tenancy, changes),
    mcpServers: new McpServers(tenancy, changes),
    decideMcpTools: new DecideMcpTools(tenancy, changes),
    mcpListings: new McpListings({
      workers: kernel.workers,
      tenants,
      tenancy,
      changes,
      vault: kernel.vault,
      blobs,
      images: kernel.images,
    }),
    mcpConnections: new McpConnections(tenancy, changes),
    mcpConsents: new McpConsents({ workers: kernel.workers, tenancy, changes, ...sealing }),
    tokenWork: new TokenWork({ workers: kernel.workers, tenancy, changes, ...sealing }),
    resourceGrants: new ResourceGrants(tenancy, changes),
    beginUpload: new BeginUpload(changes, kernel.vault),
    externalVersions: new ExternalVersions(tenancy, changes),
    workspaces: new Workspaces(tenancy),
    createWorkspace: new CreateWorkspace(changes, blobs),
    /** A replica: it shares nothing with the others but the database. */
    newChangeWorkspace: () => new ChangeWorkspace(newMoves(), blobs),
    changeWorkspace: new ChangeWorkspace(moves, blobs),
    importWorkspace: new ImportWorkspace(moves, blobs),
    limitWorkspace: new LimitWorkspace(tenancy, changes, sizes),
    restoreWorkspace: new RestoreWorkspace(moves, tenancy),
    readOperation: new ReadOperation(tenants, views),
    beginErasure: new BeginErasure(tenants, changes),
    eraseBatches: new EraseBatches(kernel.workers, changes),
    erasures: new Erasures(tenancy),
    textErasureOrders: new TextErasureOrders(kernel.workers, tenants, changes),
    retention: new RetentionRules(tenancy, changes),
    newRetain: (everyMs: number) => new RetainContents(kernel.workers, tenants, everyMs),
    newKeepHashes: (afterMs: number) => new KeepHashes(kernel.workers, tenants, afterMs),
    freezes: new Freezes(tenants),
    placeFreeze: new PlaceFreeze(kernel),
    liftFreeze: new LiftFreeze(kernel, kernel.bell),
    listOperations: new ListOperations(tenancy),
  };
}

export type TestManagement = ReturnType<typeof openManagement>;

/** A caller of the tenant, with a new key. */
export const callerOf = (tenantId: string, role: Caller['role'] = 'admin', agentId: string | null = null): Caller => ({
  tenant_id: tenantId,
  api_key_id: newId('apiKey'),
  role,
  agent_id: agentId,
});

/** The start of a request. */
export const requestBy = (caller: Caller) => ({ v: 1 as const, caller });

/** Reads a list to its end, `limit` items at a time, and returns its pages. */
export async function pagesOf<T>(
  limit: number,
  list: (page: {
    cursor: string | null;
    limit: number;
  }) => Promise<{ items: readonly T[]; next_cursor: string | null }>,
): Promise<(readonly T[])[]> {
  const pages: (readonly T[])[] = [];
  let cursor: string | null = null;
  do {
    const { items, next_cursor } = await list({ cursor, limit });
    pages.push(items);
    cursor = next_cursor;
  } while (cursor !== null);
  return pages;
}

/** The refusal of a promise: its code, and everything that its caller gets. */
export async function refusalOf(
  request: Promise<unknown>,
): Promise<{ code: string; message: string; detail: string | undefined; pointer: string | undefined }> {
  const error = await request.then(
    () => {
      throw new Error('it was not refused');
    },
    (thrown: unknown) => thrown,
  );
  const { code, message, detail, pointer } = error as Error & { code: string; detail?: string; pointer?: string };
  return { code, message, detail, pointer };
}
