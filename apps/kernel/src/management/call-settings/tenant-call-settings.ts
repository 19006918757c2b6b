// SPDX-License-Identifier: Apache-2.0
import { CallSettings, parseMessage, type CallSettingsView, type KernelRequest } from '@writ/contract';
import { requireMatch } from '@writ/nest-kit';
import { contentDigest, type Changes } from '../../evidence/changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, requireFound, requireRole, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';
import { canonicalChange } from './canonical-change.ts';

/** The settings that bound all calls of a tenant: reads them, and lets administrators set them. */
export class TenantCallSettings {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /** @throws Fault `auth.role` */
  async read({ caller }: KernelRequest<'call_settings.read'>): Promise<CallSettingsView> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    return await this.#tenancy.within(caller.tenant_id, async (rows) => await settingsOf(rows, caller.tenant_id));
  }

  /**
   * Settings that the change doesn't name stay. INVARIANT (wholly before or wholly after): a decision or a commit comes
   * before this change, or is made under it. Settings that have the wanted values are no change and have no record.
   * @throws Fault `auth.role`, `precondition.failed`; `path.escape`, `path.invalid`, `request.malformed` for an entry
   * that names no path
   */
  async set({ caller, change, if_match }: KernelRequest<'call_settings.set'>): Promise<CallSettingsView> {
    requireRole(caller, 'admin');
    const wanted = canonicalChange(change);
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make<CallSettingsView>(tenant_id, async (rows, now) => {
      // Waits for the decisions and commits under way, and later ones wait for it.
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      const before = await settingsOf(rows, tenant_id);
      requireMatch(if_match, before);
      const { changed_at: _when, ...current } = before;
      const settings = storedOf({ ...current, ...wanted });
      const digest = contentDigest(settings);
      if (digest === contentDigest(storedOf(current))) return { value: before, records: [] };
      await rows.tenant.updateMany({ where: { tenant_id }, data: { call_settings: settings, call_settings_at: now } });
      return {
        value: viewOf(settings, now),
        records: [
          { kind: 'change', actor: api_key_id, change: { verb: 'call_settings_changed', subject: tenant_id, digest } },
        ],
      };
    });
  }
}

async function settingsOf(rows: Rows, tenantId: string): Promise<CallSettingsView> {
  const { call_settings, call_settings_at } = requireFound(
    await rows.tenant.findUnique({
      where: { tenant_id: tenantId },
      select: { call_settings: true, call_settings_at: true },
    }),
  );
  return viewOf(parseMessage(CallSettings, call_settings), call_settings_at === null ? null : Number(call_settings_at));
}

const viewOf = (settings: CallSettings, changedAt: number | null): CallSettingsView => ({
  ...settings,
  command_ms: settings.command_ms ?? null,
  tool_command_ms: settings.tool_command_ms ?? {},
  changed_at: changedAt,
});

/** The settings as they are stored: times that nobody has set are absent, as in settings from before there were any. */
const storedOf = ({ command_ms = null, tool_command_ms = {}, ...rest }: CallSettings): CallSettings => ({
  ...rest,
  ...(command_ms === null ? {} : { command_ms }),
  ...(Object.keys(tool_command_ms).length === 0 ? {} : { tool_command_ms }),
});
