// SPDX-License-Identifier: Apache-2.0
// The pages of a consent. Names of servers, scopes and people are chosen by others; `html` escapes them.
import type { McpConsentState, McpConsentView } from '@writ/contract';
import type { Session } from '../../edge/access/sign-in/sessions.ts';
import { html, type Html } from '../../edge/pages/html.ts';
import type { Page } from '../../edge/pages/page.ts';
import { formOf, hostOf, name, personOf, placeOf } from '../../edge/pages/person-pages.ts';
import type { ProviderRow } from '../../store/identities/identities.ts';

/** How often the browser looks again while tokens are fetched, in seconds. */
const LOOK_AGAIN_S = 2;

/** What the links and forms of a page need. */
export interface Links {
  /** the URL of the consent */
  readonly consent: string;
}

const signOutOf = ({ consent }: Links, session: Session): Html =>
  formOf(
    `${consent}/sign-out`,
    session.formToken('sign-out'),
    html`<button class="plain" type="submit">Sign out</button>`,
  );

/** What a person consents to. */
export function consentPage(consent: McpConsentView, session: Session, links: Links, purpose: string): Page {
  const { tenant_name, server, at, issuer, place, scopes, lists } = consent;
  return {
    status: 200,
    title: `Connect ${server} under your own rights`,
    main: html`<p>Continue only if you asked for this yourself, a moment ago.</p>
      <dl>
        <dt>Organisation</dt>
        <dd>${name(tenant_name)}</dd>
        <dt>Signed in as</dt>
        <dd>${personOf(session)}</dd>
        <dt>MCP server</dt>
        <dd>${name(server)} at ${name(at)}</dd>
        <dt>You will consent at</dt>
        <dd>
          ${name(place)}${hostOf(issuer) === place ? null : html`, where the authorization server ${name(hostOf(issuer))} sends you`}
        </dd>
        <dt>Rights that are asked for</dt>
        <dd>
          ${
            scopes.length === 0
              ? html`those that ${name(place)} gives by default`
              : html`<ul>
                  ${scopes.map((scope) => html`<li>${name(scope)}</li>`)}
                </ul>`
          }
        </dd>
      </dl>
      <p>
        Calls that agents make for you then have your rights at this server. Writ keeps the access sealed, and uses it
        for your calls alone. No agent sees it. You can end it at any time.
      </p>
      ${lists ? html`<p>You asked for it as an administrator: Writ also lists the server's tools with your rights.</p>` : null}
      ${formOf(links.consent, session.formToken(purpose), html`<button type="submit">Continue to ${name(place)}</button>`)}
      ${signOutOf(links, session)}`,
  };
}

/** For a person whom nobody asked. */
export const wrongPersonPage = (session: Session, links: Links): Page => ({
  status: 403,
  title: 'This link is for somebody else',
  main: html`<p>You are signed in as ${personOf(session)}. Only the person who asked for this link can use it.</p>
    <p>Did somebody send it to you? Then close this page: nothing happened.</p>
    <p><a href="${links.consent}?as=another">Sign in as another person</a></p>
    ${signOutOf(links, session)}`,
});

/** The same for a link that is unknown, and for one that is no longer good. */
export const gonePage = (): Page => ({
  status: 404,
  title: 'This link is not good any more',
  main: html`<p>
    It was used, it is too old, or it is not complete. Ask for a new one: <code>writ mcp-server connect NAME</code>
  </p>`,
});

/** For a tenant with several identity providers. */
export const choicePage = (providers: readonly ProviderRow[], { consent }: Links, asAnother: boolean): Page => ({
  status: 200,
  title: 'Where do you sign in?',
  main: html`<ul>
    ${providers.map(
      ({ name: called, issuer }) =>
        html`<li>
          <a href="${consent}?provider=${encodeURIComponent(called)}${asAnother ? '&as=another' : ''}"
            >${called} (${placeOf(issuer)})</a
          >
        </li>`,
    )}
  </ul>`,
});

export const signedOutPage = ({ consent }: Links): Page => ({
  status: 200,
  title: 'You are signed out',
  main: html`<p>Your identity provider may still know you. Close the browser on a computer that others use.</p>
    <p><a href="${consent}?as=another">Sign in as another person</a></p>`,
});

/** How far it is. */
export function statusPage({ server, state, problem }: McpConsentState): Page {
  const at = { status: 200 } as const;
  if (state === 'connected')
    return {
      ...at,
      title: `${server} is connected`,
      main: html`<p>Calls that agents make for you have your rights there from now on. You can close this page.</p>
        <p>To end it: <code>writ mcp-server disconnect ${server}</code></p>`,
    };
  if (state === 'exchanging')
    return {
      ...at,
      title: `${server} is being connected`,
      refresh: { seconds: LOOK_AGAIN_S, url: null },
      main: html`<p role="status">Writ fetches the access. This page shows when it is there.</p>`,
    };
  if (state === 'asked' || state === 'confirmed')
    return {
      ...at,
      title: `${server} is not connected yet`,
      main: html`<p>You have not consented yet. Open the link again to go on.</p>`,
    };
  return {
    ...at,
    title: `${server} is not connected`,
    main: html`${problem === null ? null : html`<p>${name(problem.message)} (<code>${problem.code}</code>)</p>`}
      <p>Ask for a new link: <code>writ mcp-server connect ${server}</code></p>`,
  };
}
