// SPDX-License-Identifier: Apache-2.0
// The pages of sign-ins. Names of people, providers and programs are chosen by others; `html` escapes them.
import type { Caller } from '@writ/contract';
import type { KeySession } from '../../edge/access/sign-in/key-sessions.ts';
import { KEY_PATH } from '../../edge/access/sign-in/return-to.ts';
import type { SignInSession } from '../../edge/access/sign-in/sign-in-sessions.ts';
import { html, type Html } from '../../edge/pages/html.ts';
import type { Page } from '../../edge/pages/page.ts';
import type { ProviderRow } from '../../store/identities/identities.ts';
import type { AskingDevice } from '../../store/sign-ins/device-authorizations.ts';
import { formOf, name, personOf, placeOf } from '../../edge/pages/person-pages.ts';

/** Where a sign-in starts, and where it leads. */
export interface Start {
  /** the public URL */
  readonly url: string;
  readonly tenantId: string;
  /** a path that was checked */
  readonly to: string;
  /** whether the provider is to ask who it is, though it may know the person */
  readonly asAnother: boolean;
}

const hidden = (field: string, value: string): Html => html`<input type="hidden" name="${field}" value="${value}" />`;
const signOutForm = (session: Pick<SignInSession, 'formToken'>, url: string): Html =>
  formOf(
    `${url}/sign-in/sign-out`,
    session.formToken('sign-out'),
    html`<button class="plain" type="submit">Sign out</button>`,
  );
const signedInAs = ({ identity }: SignInSession): Html => personOf({ shown: identity.shown, issuer: identity.issuer });

/** The providers to sign in at, each with a button. @param why one sentence about what the sign-in is for */
export const startPage = (providers: readonly ProviderRow[], start: Start, why: string): Page => ({
  status: 200,
  title: 'Sign in',
  main: html`<p>${why}</p>
    ${providers.map(
      ({ name: called, issuer }) =>
        html`<form method="post" action="${start.url}/sign-in/start">
          ${hidden('tenant', start.tenantId)}${hidden('provider', called)}${hidden('to', start.to)}${
            start.asAnother ? hidden('as', 'another') : null
          }<button type="submit">Sign in at ${called} (${placeOf(issuer)})</button>
        </form>`,
    )}`,
});

/** Who is signed in. */
export const youPage = (session: SignInSession, roles: readonly string[], url: string): Page => ({
  status: 200,
  title: 'You are signed in',
  main: html`<dl>
      <dt>Signed in as</dt>
      <dd>${signedInAs(session)}</dd>
      <dt>Organisation</dt>
      <dd><code>${session.tenantId}</code></dd>
      <dt>Roles</dt>
      <dd>${roles.length === 0 ? 'none' : roles.join(', ')}</dd>
    </dl>
    <p><a href="${url}/sign-in?tenant=${session.tenantId}&amp;as=another">Sign in as another person</a></p>
    ${signOutForm(session, url)}`,
});

/** Asks for an API key. @param wrong what is wrong with the one before; null: there was none */
export const keyPage = (url: string, to: string, wrong: string | null = null): Page => ({
  status: 200,
  title: 'Sign in with an API key',
  main: html`${wrong === null ? null : html`<p role="alert"><strong>${wrong}</strong></p>`}
    <p>
      This way is for trials. Whoever copies the cookie of this browser can do what the key may do, until the session
      ends or the key is revoked.
    </p>
    <form method="post" action="${url}${KEY_PATH}">
      ${hidden('to', to)}
      <p>
        <label
          >API key:
          <input type="password" name="key" autocomplete="off" autocapitalize="none" spellcheck="false" required
        /></label>
      </p>
      <button type="submit">Sign in</button>
    </form>`,
});

/** The same page, which also leads to where a person enters an API key. */
export const orWithKey = (page: Page, url: string, to: string): Page => ({
  ...page,
  main: html`${page.main}
    <p><a href="${url}${keyPathTo(to)}">Sign in with an API key</a></p>`,
});

/** Where a person enters an API key, to go on to a path that was checked. */
export const keyPathTo = (to: string): string => `${KEY_PATH}?${new URLSearchParams({ to }).toString()}`;

/** Who is signed in with an API key. */
export const keyHolderPage = (session: KeySession, { tenant_id, api_key_id, role }: Caller, url: string): Page => ({
  status: 200,
  title: 'You are signed in',
  main: html`<dl>
      <dt>Signed in with the API key</dt>
      <dd><code>${api_key_id}</code></dd>
      <dt>Organisation</dt>
      <dd><code>${tenant_id}</code></dd>
      <dt>Role</dt>
      <dd>${role}</dd>
      <dt>The session ends at</dt>
      <dd>${new Date(session.expiresAt).toISOString()}</dd>
    </dl>
    <p><a href="${url}${KEY_PATH}">Sign in with another API key</a></p>
    ${signOutForm(session, url)}`,
});

export const keySignedOutPage = (url: string): Page => ({
  status: 200,
  title: 'You are signed out',
  main: html`<p>
      This browser has forgotten the key. The key itself stays good. If somebody may have copied the cookie, revoke the
      key: <code>writ keys revoke ID</code>
    </p>
    <p><a href="${url}${KEY_PATH}">Sign in with an API key</a></p>`,
});

/** The way to where the person wanted to go: a page, since the cookie of a session comes with our own pages alone. */
export const arrivedPage = (url: string): Page => ({
  status: 200,
  title: 'You are signed in',
  refresh: { seconds: 0, url },
  main: html`<p><a class="button" href="${url}">Continue</a></p>`,
});

export const signedOutPage = (url: string, tenantId: string): Page => ({
  status: 200,
  title: 'You are signed out',
  main: html`<p>Your identity provider may still know you. Close the browser on a computer that others use.</p>
    <p>Sessions of programs that you approved go on. End them with <code>DELETE /v1/sign-ins/own/ID</code>.</p>
    <p><a href="${url}/sign-in?tenant=${tenantId}&amp;as=another">Sign in as another person</a></p>`,
});

/** For a page that needs to know whose people it is for. */
export const noTenantPage = (): Page => ({
  status: 400,
  title: 'This address is not complete',
  main: html`<p>Open the whole link that your program or your administrator gave you.</p>`,
});

/** For a person who opened the page without a code. */
export const codePage = (url: string, tenantId: string): Page => ({
  status: 200,
  title: 'Which program do you want to sign in?',
  main: html`<form method="get" action="${url}/sign-in/device">
    ${hidden('tenant', tenantId)}
    <p>
      <label
        >The code that the program shows:
        <input type="text" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required
      /></label>
    </p>
    <button type="submit">Continue</button>
  </form>`,
});

/** What a person approves. */
export const devicePage = (device: AskingDevice, code: string, session: SignInSession, url: string): Page => ({
  status: 200,
  title: 'Sign a program in as yourself?',
  main: html`<p>
      <strong>Compare the code.</strong> Approve only if you started the program a moment ago, and it shows:
    </p>
    <p><code>${code}</code></p>
    <dl>
      <dt>The program calls itself</dt>
      <dd>${name(device.client)}</dd>
      <dt>It asked from</dt>
      <dd>${device.address}</dd>
      <dt>It asked at</dt>
      <dd>${new Date(device.created_at).toISOString()}</dd>
      <dt>It will act as</dt>
      <dd>${signedInAs(session)}</dd>
    </dl>
    <p>
      Did somebody send you this link or this code? Then deny: whoever sent it would act in your name. No support and no
      administrator ever asks for it.
    </p>
    ${decisionOf(url, session, code, 'approve', html`<button type="submit">Approve: the codes are the same</button>`)}
    ${decisionOf(url, session, code, 'deny', html`<button class="plain" type="submit">Deny</button>`)}`,
});

const decisionOf = (url: string, session: SignInSession, code: string, decision: string, button: Html): Html =>
  formOf(
    `${url}/sign-in/device`,
    session.formToken(devicePurpose(code)),
    html`${hidden('user_code', code)}${hidden('decision', decision)}${button}`,
  );

/** What the token of the form is for: one code alone. */
export const devicePurpose = (code: string): string => `device ${code}`;

export const decidedPage = (isApproved: boolean): Page => ({
  status: 200,
  title: isApproved ? 'The program is signed in' : 'You denied it',
  main: isApproved
    ? html`<p>Go back to the program. You can close this page.</p>`
    : html`<p>The program gets nothing. You can close this page.</p>`,
});

/** The same for a code that is unknown, and for one that is no longer good. */
export const noCodePage = (): Page => ({
  status: 404,
  title: 'This code is not good',
  main: html`<p>It was used, it is too old, or it was mistyped. Start again in the program.</p>`,
});

export const noKeysPage = (): Page => ({
  status: 404,
  title: 'No API key signs in here',
  main: html`<p>
    The operator can turn it on, for trials: <code>WRIT_KEY_SESSIONS=true</code> beside <code>WRIT_PUBLIC_URL</code>.
  </p>`,
});

export const goneHerePage = (): Page => ({
  status: 404,
  title: 'Nobody signs in here',
  main: html`<p>The operator must set <code>WRIT_PUBLIC_URL</code>.</p>`,
});
