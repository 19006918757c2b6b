// SPDX-License-Identifier: Apache-2.0
import { CliError } from '../cli-error.ts';
import { itemsOf, memberOf, numberIn, textIn, type DoctorApi } from './doctor-api.ts';
import { createTenant, TENANT_NAME, type DoctorTenant } from './world.ts';

/** A run takes a minute, so an open tenant that is older was left by one that could not close it. */
export const LEFT_AFTER_MS = 5 * 60_000;
const PAGE = 100;
/** The newest open tenants are looked through; a run makes two. */
const PAGES_MAX = 20;
const CLOSE_TRIES = 3;

/** The tenants of one run, so that all of them are closed at its end. */
export class RunTenants {
  readonly #platform: DoctorApi;
  readonly #ids: string[] = [];
  #isClosing = false;

  constructor(platform: DoctorApi) {
    this.#platform = platform;
  }

  /** @throws CliError `interrupted` once they are being closed */
  async make(): Promise<DoctorTenant> {
    if (this.#isClosing) throw new CliError('interrupted', 'the examination is over');
    const tenant = await createTenant(this.#platform);
    this.#ids.push(tenant.tenantId);
    // It came while the others were being closed.
    if (this.#isClosing) await closeTenant(this.#platform, tenant.tenantId, 'the examination was interrupted');
    return tenant;
  }

  /** Closes all. Resolves with the ids of those that could not be closed. */
  async close(platform: DoctorApi, reason: string): Promise<readonly string[]> {
    this.#isClosing = true;
    const left = await Promise.all(
      this.#ids.map(async (id) => ((await closeTenant(platform, id, reason)) ? [] : [id])),
    );
    return left.flat();
  }
}

/** Closes the tenants that earlier runs have left open. Resolves with their number. */
export async function closeLeftTenants(platform: DoctorApi): Promise<number> {
  const now = numberIn(memberOf(await platform.must('GET', '/v1/system'), 'orchestrator'), 'now');
  let closed = 0;
  let cursor = '';
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const list = await platform.must('GET', `/v1/tenants?open=true&limit=${String(PAGE)}${cursor}`);
    for (const tenant of itemsOf(list)) {
      const isLeft = TENANT_NAME.test(textIn(tenant, 'name')) && now - numberIn(tenant, 'created_at') > LEFT_AFTER_MS;
      if (isLeft && (await closeTenant(platform, textIn(tenant, 'tenant_id'), 'left by an earlier run of the doctor')))
        closed += 1;
    }
    const next = textIn(list, 'next_cursor');
    if (next === '') return closed;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
  return closed;
}

async function closeTenant(platform: DoctorApi, tenantId: string, reason: string): Promise<boolean> {
  for (let attempt = 0; attempt < CLOSE_TRIES; attempt += 1) {
    const answer = await platform.post(`/v1/tenants/${tenantId}/close`, { reason }).catch(() => null);
    if (answer?.status === 200) return true;
  }
  return false;
}
