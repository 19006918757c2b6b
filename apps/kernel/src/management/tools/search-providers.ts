// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  NOT_AVAILABLE,
  parseMessage,
  searchTool,
  SearchTool,
  type KernelRequest,
  type SearchProvider,
  type SearchProviderView,
} from '@writ/contract';
import { parseUrl, TargetError, urlOf } from '@writ/egress';
import type { Changed, ChangeRecord, Changes } from '../../evidence/changes/index.ts';
import { definitionDigest } from '../../judging/tools/tenant-tools.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, requireRole, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';
import { lockTools, putInForce, storeVersion } from './tool-rows.ts';

const TOOL_ID = NOT_AVAILABLE.searchWeb;

/** The provider in force, and the newest version of the tool, whether it is in force or not. */
interface NewestVersion {
  readonly version: number;
  readonly view: SearchProviderView | null;
}

/**
 * What answers a tenant's searches of the web. The tool is made of it and kept as the tenant's other tools are, so that
 * a change of the provider comes wholly before a decision about a search or wholly after it, and a search that was
 * decided on one provider goes to no other.
 */
export class SearchProviders {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /** @throws Fault `auth.role`, `not_found` */
  async read({ caller }: KernelRequest<'search.read'>): Promise<SearchProviderView> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { view } = await this.#tenancy.within(
      caller.tenant_id,
      async (rows) => await standingOf(rows, caller.tenant_id),
    );
    if (view === null) throw new Fault('not_found');
    return view;
  }

  /**
   * Where the addresses of its host lead is judged by the gate, for each search anew.
   * @throws Fault `auth.role`, `request.malformed`
   */
  async set({ caller, provider }: KernelRequest<'search.set'>): Promise<SearchProviderView> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    const asked = { ...provider, url: baseUrl(provider.url) };
    return await this.#changes.make(tenant_id, async (rows): Promise<Changed<SearchProviderView>> => {
      await lockTools(rows, tenant_id);
      const { version, view } = await standingOf(rows, tenant_id);
      if (view !== null && view.provider.url === asked.url && view.provider.kind === asked.kind)
        return { value: view, records: [] };
      const document: SearchTool = { v: 1, tool_id: TOOL_ID, version: version + 1, provider: asked };
      const definition_digest = definitionDigest(searchTool(document));
      await storeVersion(rows, tenant_id, api_key_id, {
        tool_id: TOOL_ID,
        version: document.version,
        definition_digest,
        document,
      });
      await this.#put(rows, tenant_id, { version: document.version, definition_digest, updated_by: api_key_id });
      const after = await standingOf(rows, tenant_id);
      if (after.view === null) throw new Error('the provider that was set is not there');
      return { value: after.view, records: [recordOf('search_provider_set', api_key_id, definition_digest)] };
    });
  }

  /** @throws Fault `auth.role`, `not_found` */
  async remove({ caller }: KernelRequest<'search.remove'>): Promise<SearchProviderView> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make(tenant_id, async (rows): Promise<Changed<SearchProviderView>> => {
      await lockTools(rows, tenant_id);
      const { version, view } = await standingOf(rows, tenant_id);
      if (view === null) throw new Fault('not_found');
      await this.#put(rows, tenant_id, { version, definition_digest: null, updated_by: api_key_id });
      return { value: view, records: [recordOf('search_provider_removed', api_key_id, view.definition_digest)] };
    });
  }

  async #put(
    rows: Rows,
    tenantId: string,
    more: { readonly version: number; readonly definition_digest: string | null; readonly updated_by: string },
  ): Promise<void> {
    // From here to COMMIT no decision is written.
    await callIn(rows, kernelSql.changeRules, { tenant: tenantId });
    await putInForce(rows, tenantId, { tool_id: TOOL_ID, category: 'read', ...more });
  }
}

async function standingOf(rows: Rows, tenant_id: string): Promise<NewestVersion> {
  const row = await rows.tool.findUnique({ where: { tenant_id_tool_id: { tenant_id, tool_id: TOOL_ID } } });
  if (row === null) return { version: 0, view: null };
  const { version, definition_digest, updated_by, updated_at } = row;
  if (definition_digest === null) return { version, view: null };
  const { document } = await rows.tool_version.findUniqueOrThrow({
    where: { tenant_id_tool_id_version: { tenant_id, tool_id: TOOL_ID, version } },
  });
  const provider: SearchProvider = parseMessage(SearchTool, document).provider;
  return { version, view: { provider, definition_digest, set_by: updated_by, set_at: Number(updated_at) } };
}

/** The URL in its one spelling, without a slash at its end. */
function baseUrl(url: string): string {
  try {
    if (url.includes('?')) throw new TargetError('the URL of a provider has no query');
    return urlOf(parseUrl(url)).replace(/\/+$/, '');
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    throw new Fault('request.malformed', `\`/url\`: ${error.message}`);
  }
}

const recordOf = (verb: string, actor: string, digest: string): ChangeRecord => ({
  kind: 'change',
  actor,
  change: { verb, subject: TOOL_ID, digest },
});
