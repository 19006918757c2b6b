// SPDX-License-Identifier: Apache-2.0
// Sessions of programs: RFC 8628, and their renewal as OAuth clients know it (RFC 6749 §6).
import { Fault, isId, type TenantId } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import type { FailedKeys } from '../../edge/access/failed-keys.ts';
import type { ChangeSignIns } from '../../edge/access/sign-in/change-sign-ins.ts';
import type { DeviceApproval, DeviceApprovals } from '../../edge/access/sign-in/device-approvals.ts';
import type { SignIn } from '../../edge/access/sign-in/sign-in.ts';
import { SignInRefused } from '../../edge/access/sign-in/sign-in-refused.ts';
import type { SignInSessions } from '../../edge/access/sign-in/sign-in-sessions.ts';
import type { DeviceAuthorizations } from '../../store/sign-ins/device-authorizations.ts';
import type { TokenRequest } from '../../edge/oauth-endpoint/grants.ts';
import { OauthError, type OauthErrorCode } from '../../edge/oauth-endpoint/oauth-error.ts';
import type { TokenAnswer } from '../../edge/oauth-endpoint/token-answer.ts';
import type { DeviceAuthorization } from './views.ts';

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
export const REFRESH_GRANT = 'refresh_token';

/** How long a person may take to approve. */
const LIFETIME_MS = 600_000;
/** How long a program waits between two requests, at least (RFC 8628 §3.5). */
const INTERVAL_MS = 5_000;
/** A program that asks again within that time is answered without a look-up. */
const POLLED_MS = 1_000;
/** Remembered programs: more than ask within that time. */
const POLLED_MAX = 20_000;
/** Tries to find a code that no other program of the tenant has. One is nearly always enough. */
const CODES_MAX = 5;
const CLIENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** What OAuth calls what is wrong with a program that asks. */
const ERRORS: Readonly<Record<string, readonly [OauthErrorCode, string]>> = {
  unknown: ['invalid_grant', 'the `device_code` is not good: it was used, or is of another client'],
  pending: ['authorization_pending', 'the person has not decided yet'],
  slow_down: ['slow_down', 'wait five seconds longer between two requests'],
  denied: ['access_denied', 'the person denied it'],
  expired: ['expired_token', 'nobody approved it in time: start again'],
};

export interface DeviceFlowParts {
  /** the public URL, without a slash at its end; null: nobody signs in here */
  readonly url: string | null;
  readonly signIn: Pick<SignIn, 'providersOf'>;
  readonly devices: DeviceAuthorizations;
  readonly approvals: DeviceApprovals;
  readonly sessions: SignInSessions;
  readonly changes: ChangeSignIns;
  /** counts programs that ask by their address */
  readonly asked: FailedKeys;
  /** counts codes and tokens that were made up by their address */
  readonly failed: FailedKeys;
  /** milliseconds since the epoch */
  readonly now: () => number;
  readonly monotonic: () => number;
}

/** Answers programs. */
export class DeviceFlow {
  readonly #parts: DeviceFlowParts;
  readonly #polled: LRUCache<string, true>;

  constructor(parts: DeviceFlowParts) {
    this.#parts = parts;
    const perf = { now: parts.monotonic };
    this.#polled = new LRUCache({ max: POLLED_MAX, ttl: POLLED_MS, ttlResolution: 0, perf });
  }

  /**
   * Codes for a program. Anybody may ask. An unknown tenant, and one where nobody signs in, are answered alike, and
   * nothing is stored for them.
   * @throws OauthError
   */
  async ask(request: TokenRequest): Promise<DeviceAuthorization> {
    const { url, asked, approvals, signIn } = this.#parts;
    if (url === null)
      throw new OauthError('invalid_request', 'nobody signs in here: the operator must set `WRIT_PUBLIC_URL`');
    const [client, tenant] = [clientOf(request), request.required('tenant')];
    if (!isId('tenant', tenant))
      throw new OauthError('invalid_request', '`tenant` must be the id of a tenant, such as `ten_01...`');
    asked.verifyMayRetry(request.address);
    asked.recordFailure(request.address);
    if ((await signIn.providersOf(tenant)).length === 0)
      throw new OauthError(
        'invalid_request',
        'nobody can sign in at this `tenant`: compare its id, or ask an administrator to name the client of its identity provider',
      );
    const { text: device_code, hash } = approvals.newDeviceCode(tenant);
    const user_code = await this.#store(tenant, { device_hash: hash, client, address: request.address });
    const verification_uri = `${url}/sign-in/device?tenant=${tenant}`;
    return {
      device_code,
      user_code,
      verification_uri,
      verification_uri_complete: `${verification_uri}&user_code=${user_code}`,
      expires_in: LIFETIME_MS / 1_000,
      interval: INTERVAL_MS / 1_000,
    };
  }

  /** The session of a program that was approved. @throws OauthError */
  async token(request: TokenRequest): Promise<TokenAnswer> {
    const { devices, approvals } = this.#parts;
    const [client, text] = [clientOf(request), request.required('device_code')];
    const code = approvals.readDeviceCode(text);
    if (code === null)
      throw this.#madeUp(request, 'the `device_code` is not good: it was used, or is of another client');
    const name = code.hash.toString('base64');
    if (this.#polled.has(name)) throw new OauthError(...(ERRORS['slow_down'] as [OauthErrorCode, string]));
    this.#polled.set(name, true);
    const poll = await devices.poll(code.tenantId, code.hash, client);
    if (poll.answer !== 'approved') throw new OauthError(...(ERRORS[poll.answer] as [OauthErrorCode, string]));
    return await this.#redeem(code.hash, client, await approvals.open(code.tenantId, poll.approval));
  }

  /** Another text for a session of a program. The one before is good until seconds after this one is used. */
  async refresh(request: TokenRequest): Promise<TokenAnswer> {
    const { sessions } = this.#parts;
    const presented = request.required('refresh_token');
    const why = 'the session has ended, or was never there: sign in again';
    if (!sessions.isGenuine(presented)) throw this.#madeUp(request, why);
    const found = await sessions.refresh(presented);
    if (found === null) throw new OauthError('invalid_grant', why);
    return this.#answer(found.text, found.session.expiresAt);
  }

  async #redeem(hash: Buffer, client: string, approval: DeviceApproval): Promise<TokenAnswer> {
    try {
      const text = await this.#parts.changes.redeem(hash, client, approval);
      if (text === null) throw new OauthError(...(ERRORS['unknown'] as [OauthErrorCode, string]));
      return this.#answer(text, approval.expires_at);
    } catch (error) {
      const isOver = error instanceof SignInRefused || (error instanceof Fault && error.code === 'auth.invalid');
      if (!isOver) throw error;
      throw new OauthError(
        'access_denied',
        'whoever approved it was signed out meanwhile, or may not sign in any more',
      );
    }
  }

  #answer(text: string, expiresAt: number): TokenAnswer {
    const expires_in = Math.max(0, Math.floor((expiresAt - this.#parts.now()) / 1_000));
    return { access_token: text, refresh_token: text, token_type: 'Bearer', expires_in };
  }

  async #store(
    tenantId: TenantId,
    device: { readonly device_hash: Buffer; readonly client: string; readonly address: string },
  ): Promise<string> {
    const { devices, approvals } = this.#parts;
    for (let n = 0; n < CODES_MAX; n += 1) {
      const code = approvals.newUserCode();
      const row = { ...device, user_code_hash: approvals.userCodeHash(tenantId, code) };
      if (await devices.create(tenantId, row, { lifetimeMs: LIFETIME_MS, intervalMs: INTERVAL_MS })) return code;
    }
    throw new Fault('overloaded', 'too many programs ask to be signed in');
  }

  #madeUp({ address }: TokenRequest, why: string): OauthError {
    this.#parts.failed.verifyMayRetry(address);
    this.#parts.failed.recordFailure(address);
    return new OauthError('invalid_grant', why);
  }
}

/** How a program calls itself. @throws OauthError */
function clientOf(request: TokenRequest): string {
  const client = request.required('client_id');
  if (CLIENT.test(client)) return client;
  throw new OauthError(
    'invalid_request',
    '`client_id` must be one to 64 letters, digits, `.`, `_` and `-`, and begin with a letter or a digit',
  );
}
