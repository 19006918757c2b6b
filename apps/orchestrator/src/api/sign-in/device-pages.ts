// SPDX-License-Identifier: Apache-2.0
// The page on which a person approves a program (RFC 8628 §3.3).
//
// INVARIANT (a person at the page): a device is approved by a form of a session whose person proved to the identity
// provider minutes ago who they are, after the page showed the code, the program and its address.
// INVARIANT (its own people): a code is looked up in the tenant of the session alone.
// INVARIANT (no guessing): wrong codes count against the session and against the address.
import { isId } from '@writ/contract';
import type { FailedKeys } from '../../edge/access/failed-keys.ts';
import { readUserCode, type DeviceApprovals } from '../../edge/access/sign-in/device-approvals.ts';
import { DEVICE_PATH } from '../../edge/access/sign-in/return-to.ts';
import type { SignInRecords } from '../../edge/access/sign-in/sign-in-records.ts';
import type { SignInSession } from '../../edge/access/sign-in/sign-in-sessions.ts';
import type { Page } from '../../edge/pages/page.ts';
import type { PageRequest } from '../../edge/pages/page-request.ts';
import type { DeviceAuthorizations } from '../../store/sign-ins/device-authorizations.ts';
import { strayPage } from '../../edge/pages/person-pages.ts';
import { codePage, decidedPage, devicePage, devicePurpose, noCodePage } from './pages.ts';
import { RECENT_S, type SignInPages } from './sign-in-pages.ts';

const WHY = 'A program asks to be signed in as you. Sign in first, and then compare its code.';

export interface DevicePagesParts {
  readonly pages: SignInPages;
  readonly devices: DeviceAuthorizations;
  readonly approvals: DeviceApprovals;
  readonly records: SignInRecords;
  /** counts wrong codes by session */
  readonly ofSession: FailedKeys;
  /** counts wrong codes by address */
  readonly ofAddress: FailedKeys;
}

/** Each method answers one kind of request. Faults are shown by the controller. */
export class DevicePages {
  readonly #parts: DevicePagesParts;

  constructor(parts: DevicePagesParts) {
    this.#parts = parts;
  }

  /** What the person is asked; else the way to the sign-in. */
  async open(request: PageRequest): Promise<Page> {
    const { pages, devices, approvals } = this.#parts;
    const session = await pages.sessionOf(request);
    const given = request.query.get('user_code');
    const code = given === null ? null : readUserCode(given);
    const tenant = request.query.get('tenant') ?? session?.tenantId ?? null;
    if (session === null || session.tenantId !== tenant || !isRecent(session))
      return await pages.startAt(request, tenant, { to: backTo(tenant, code), asAnother: false }, WHY);
    if (given === null) return codePage(pages.url, tenant);
    this.#verifyMayTry(request, session);
    const device = code === null ? null : await devices.asking(tenant, approvals.userCodeHash(tenant, code));
    if (code === null || device === null) return this.#wrong(request, session);
    return devicePage(device, code, session, pages.url);
  }

  /** Approves or denies. */
  async decide(request: PageRequest): Promise<Page> {
    const { pages, devices, approvals, records } = this.#parts;
    const session = await pages.sessionOf(request);
    const form = await request.form();
    const code = readUserCode(form.get('user_code') ?? '');
    const decision = form.get('decision');
    if (session === null || code === null || (decision !== 'approve' && decision !== 'deny')) return strayPage();
    if (!isRecent(session) || !pages.isOwnForm(request, session, devicePurpose(code), form)) return strayPage();
    this.#verifyMayTry(request, session);
    const { tenantId, signInId, credentialId } = session;
    const hash = approvals.userCodeHash(tenantId, code);
    if ((await devices.asking(tenantId, hash)) === null) return this.#wrong(request, session);
    const isApproved = decision === 'approve';
    await records.deviceDecided(tenantId, { sign_in_id: signInId, credential_id: credentialId }, isApproved);
    const who = { approved_by: signInId, person_id: session.personId };
    const approval = isApproved ? { ...who, sealed: await approvals.seal(approvalOf(session)) } : null;
    return (await devices.decide(tenantId, hash, approval)) ? decidedPage(isApproved) : noCodePage();
  }

  /** Fault `rate.limited` */
  #verifyMayTry(request: PageRequest, { signInId }: SignInSession): void {
    this.#parts.ofSession.verifyMayRetry(signInId);
    this.#parts.ofAddress.verifyMayRetry(request.address);
  }

  #wrong(request: PageRequest, { signInId }: SignInSession): Page {
    this.#parts.ofSession.recordFailure(signInId);
    this.#parts.ofAddress.recordFailure(request.address);
    return noCodePage();
  }
}

/** An issuer that doesn't say when the person proved who they are may have asked nobody. */
const isRecent = ({ authenticatedMs }: SignInSession): boolean =>
  authenticatedMs !== null && authenticatedMs < RECENT_S * 1_000;

/** The way back to the page. Only what was read is repeated. */
function backTo(tenant: string | null, code: string | null): string {
  const query = new URLSearchParams();
  if (isId('tenant', tenant)) query.set('tenant', tenant);
  if (code !== null) query.set('user_code', code);
  return `${DEVICE_PATH}?${query.toString()}`;
}

const approvalOf = (session: SignInSession) => ({
  tenant_id: session.tenantId,
  provider_id: session.providerId,
  subject_hash: session.subjectHash,
  scopes: session.scopes,
  groups: session.groups,
  identity: session.identity,
  signed_in_at: session.signedInAt,
  expires_at: session.expiresAt,
  approved_by: session.signInId,
});
