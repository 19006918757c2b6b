// SPDX-License-Identifier: Apache-2.0
import type {
  Caller,
  KernelRequest,
  PolicyActivation,
  PolicyDiff,
  PolicyPage,
  PolicySchemaView,
  PolicySetView,
  PolicySetDetails,
  PolicyTemplateList,
  PolicyTimes,
} from '@writ/contract';
import { parseJson } from '@writ/digest';
import {
  diffSets,
  POLICY_SCHEMA_VERSION,
  POLICY_TEMPLATES,
  policySchema,
  PolicySetSource,
  type PolicyTool,
} from '@writ/policy';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { pageOf, type ListPage } from '@writ/paging';
import { newestFirst, requireRole, rowsAfter, type Tenancy } from '../../foundation/tenancy/index.ts';
import { enforcementOf, viewOf, type FoundSet, type PolicyRepository } from '../../judging/policies/index.ts';

/**
 * Shows policy sets and their schema to the roles that manage a tenant. Agents have no access, since a policy set shows
 * what it doesn't stop.
 */
export class ShowPolicies {
  readonly #tenancy: Tenancy;
  readonly #repository: PolicyRepository;

  constructor(tenancy: Tenancy, repository: PolicyRepository) {
    this.#tenancy = tenancy;
    this.#repository = repository;
  }

  /** Newest first. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page }: KernelRequest<'policy.list'>): Promise<PolicyPage> {
    requireReader(caller);
    const { tenant_id } = caller;
    const { engine } = this.#repository;
    const where = { ...rowsAfter(parseCursor(page.cursor), 'policy_hash'), tenant_id };
    return await this.#tenancy.within(tenant_id, async (rows) => {
      const active = await this.#repository.active(rows, tenant_id);
      const stored = await rows.policy_set.findMany({
        where,
        orderBy: newestFirst('policy_hash'),
        take: page.limit + 1,
      });
      const shipped = [...engine.shipped.values()].map((ready) =>
        viewOf({ ready, row: null }, active.policy_hash, engine),
      );
      const views = stored.map((row): PolicySetView => ({
        policy_hash: row.policy_hash,
        name: row.name,
        version: row.version,
        description: (row.document as { description: string }).description,
        enforcement: enforcementOf(row.document),
        active: row.policy_hash === active.policy_hash,
        shipped: shipped.some(({ policy_hash }) => policy_hash === row.policy_hash),
        created_by: row.created_by,
        created_at: Number(row.created_at),
      }));
      return {
        active,
        shipped,
        ...fittedPage(views, page.limit, ({ created_at, policy_hash }) => ({
          created_at: created_at ?? 0,
          id: policy_hash,
        })),
      } as PolicyPage;
    });
  }

  /** @throws Fault `auth.role`, `not_found`, `policy.unreadable` */
  async read({ caller, policy }: KernelRequest<'policy.read'>): Promise<PolicySetDetails> {
    requireReader(caller);
    const found = await this.#repository.find(caller.tenant_id, policy);
    return { ...(await this.#view(caller, found)), document: { ...found.ready.set.document } };
  }

  /** @throws Fault `auth.role`, `not_found`, `policy.unreadable` */
  async diff({ caller, from, to }: KernelRequest<'policy.diff'>): Promise<PolicyDiff> {
    requireReader(caller);
    const [a, b] = [
      await this.#repository.find(caller.tenant_id, from),
      await this.#repository.find(caller.tenant_id, to),
    ];
    const { rules, history, settings } = diffSets(a.ready.set, b.ready.set);
    return {
      from: await this.#view(caller, a),
      to: await this.#view(caller, b),
      rules: [...rules],
      history: [...history],
      settings: [...settings],
    };
  }

  /** Newest first. @throws Fault `auth.role`, `request.malformed` */
  async activations({ caller, page }: KernelRequest<'policy.activations'>): Promise<ListPage<PolicyActivation>> {
    requireReader(caller);
    const { tenant_id } = caller;
    const { created_at: at, id } = parseCursor(page.cursor);
    const before = id === '~' ? {} : { seq: { lt: BigInt(at) } };
    const views = await this.#tenancy.within(tenant_id, async (rows) => {
      const found = await rows.policy_activation.findMany({
        where: { tenant_id, ...before },
        orderBy: { seq: 'desc' },
        take: page.limit + 1,
      });
      return await Promise.all(found.map((row) => this.#repository.activationOf(rows, row)));
    });
    // The cursor of an activation is its sequence number.
    return pageOf(views, page.limit, ({ seq }) => ({ created_at: seq, id: 'seq' }));
  }

  async schema({ caller }: KernelRequest<'policy.schema'>): Promise<PolicySchemaView> {
    requireReader(caller);
    return {
      version: POLICY_SCHEMA_VERSION,
      cedar: shownSchema(await this.#repository.stored.tools(caller.tenant_id)),
      document: plain(PolicySetSource),
    };
  }

  /** For agents too: they see only how long something of theirs is good. @throws Fault `policy.unreadable` */
  async times({ caller }: KernelRequest<'policy.times'>): Promise<PolicyTimes> {
    requireRole(caller, 'admin', 'operator', 'auditor', 'agent');
    return { ...(await this.#repository.find(caller.tenant_id, null)).ready.set.document.ttl };
  }

  templates({ caller }: KernelRequest<'policy.templates'>): PolicyTemplateList {
    requireReader(caller);
    return {
      items: [...POLICY_TEMPLATES.values()].map(({ id, description, parameters }) => ({
        id,
        description,
        parameters: plain(parameters),
      })),
    };
  }

  async #view({ tenant_id }: Caller, found: FoundSet): Promise<PolicySetView> {
    const { policy_hash } = await this.#tenancy.within(tenant_id, (rows) => this.#repository.active(rows, tenant_id));
    return viewOf(found, policy_hash, this.#repository.engine);
  }
}

/** Limit on the schema in an answer, in characters: it and the document's schema fit one message. */
const SCHEMA_CHARS_MAX = 160 * 1024;

/** The schema with the arguments of all tools; of a tenant with very many, without any. */
function shownSchema(tools: readonly PolicyTool[]): string {
  const schema = policySchema(tools);
  if (schema.length <= SCHEMA_CHARS_MAX) return schema;
  return `// \`context.args\` is left out: the tools are too many. \`GET /v1/tools\` has their parameters.\n${policySchema(tools, null)}`;
}

const requireReader = (caller: Caller): void => requireRole(caller, 'admin', 'operator', 'auditor');
const plain = (schema: unknown): Record<string, unknown> =>
  parseJson(JSON.stringify(schema)) as Record<string, unknown>;
