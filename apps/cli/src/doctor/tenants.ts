// SPDX-License-Identifier: Apache-2.0
import { CliError } from '../cli-error.ts';
import { itemsOf, memberOf, numberIn, textIn, type DoctorApi, type JsonObject } from './doctor-api.ts';
import { createTenant, newTenantName, TENANT_NAME, type DoctorTenant } from './world.ts';

/** A run takes a minute, so an open tenant that is older was left by one that could not close it. */
export const LEFT_AFTER_MS = 5 * 60_000;
const PAGE = 100;
/** The newest open tenants are looked through; a run makes two. */
const PAGES_MAX = 20;
const CLOSE_TRIES = 3;

/** The tenants of one run, so that all of them are closed at its end. */
export class RunTenants {
  readonly #platform: DoctorApi;
  /** ids of those that are there, by their names; null where the answer to making it did not come */
  readonly #ids = new Map<string, string | null>();
  readonly #closed = new Set<string>();
  #isClosing = false;

  constructor(platform: DoctorApi) {
    this.#platform = platform;
  }

  /** @throws CliError `interrupted` once they are being closed */
  async make(): Promise<DoctorTenant> {
    if (this.#isClosing) throw new CliError('interrupted', 'the examination is over');
    const name = newTenantName();
    this.#ids.set(name, null);
    const tenant = await createTenant(this.#platform, name);
    this.#ids.set(name, tenant.tenantId);
    return tenant;
  }

  /**
   * Closes all. INVARIANT (nothing left behind): a tenant whose making got no answer may be there, so it is looked for
   * by its name. Resolves with ids, or names, of those that may be open.
   */
  async close(platform: DoctorApi, reason: string): Promise<readonly string[]> {
    this.#isClosing = true;
    const names = [...this.#ids].flatMap(([name, id]) => (id === null ? [name] : []));
    const isFound = names.length === 0 || (await this.#find(platform, names));
    const ids = [...this.#ids.values()].filter((id) => id !== null && !this.#closed.has(id)) as string[];
    const left = await Promise.all(ids.map(async (id) => ((await this.#close(platform, id, reason)) ? [] : [id])));
    return [...left.flat(), ...(isFound ? [] : names)];
  }

  async #close(platform: DoctorApi, id: string, reason: string): Promise<boolean> {
    const isClosed = await closeTenant(platform, id, reason);
    if (isClosed) this.#closed.add(id);
    return isClosed;
  }

  /** Resolves with whether all open tenants could be looked through. */
  async #find(platform: DoctorApi, names: readonly string[]): Promise<boolean> {
    try {
      for await (const tenant of openTenants(platform)) {
        const name = textIn(tenant, 'name');
        if (names.includes(name)) this.#ids.set(name, textIn(tenant, 'tenant_id'));
      }
      return true;
    } catch {
      return false;
    }
  }
}

/** What became of the tenants that earlier runs have left open. */
export interface LeftTenants {
  readonly closed: number;
  readonly open: readonly string[];
  /** false: not all open tenants could be looked through */
  readonly isComplete: boolean;
}

/** Closes the tenants that earlier runs have left open. */
export async function closeLeftTenants(platform: DoctorApi): Promise<LeftTenants> {
  const left = { closed: 0, open: [] as string[] };
  try {
    const now = numberIn(memberOf(await platform.must('GET', '/v1/system'), 'orchestrator'), 'now');
    for await (const tenant of openTenants(platform)) {
      const isLeft = TENANT_NAME.test(textIn(tenant, 'name')) && now - numberIn(tenant, 'created_at') > LEFT_AFTER_MS;
      const id = textIn(tenant, 'tenant_id');
      if (!isLeft) continue;
      if (await closeTenant(platform, id, 'left by an earlier run of the doctor')) left.closed += 1;
      else left.open.push(id);
    }
    return { ...left, isComplete: true };
  } catch {
    return { ...left, isComplete: false };
  }
}

/** Open tenants, newest first. @throws NotMade, and CliError without an answer */
async function* openTenants(platform: DoctorApi): AsyncGenerator<JsonObject> {
  let cursor = '';
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const list = await platform.must('GET', `/v1/tenants?open=true&limit=${String(PAGE)}${cursor}`);
    yield* itemsOf(list);
    const next = textIn(list, 'next_cursor');
    if (next === '') return;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}

async function closeTenant(platform: DoctorApi, tenantId: string, reason: string): Promise<boolean> {
  const path = `/v1/tenants/${encodeURIComponent(tenantId)}/close`;
  for (let attempt = 0; attempt < CLOSE_TRIES; attempt += 1) {
    const answer = await platform.post(path, { reason }).catch(() => null);
    if (answer?.status === 200) return true;
  }
  return false;
}
