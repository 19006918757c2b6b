// SPDX-License-Identifier: Apache-2.0
// Parts of pages on which people sign in, and the pages that all of them have.
import { html, type Html } from './html.ts';
import type { Page } from './page.ts';

/** A name that another side chose: whatever direction its letters have, the text around it stays as it is. */
export const name = (text: string): Html => html`<bdi>${text}</bdi>`;

/** Who an identity provider says it is: whoever runs the provider chooses the name. */
export const personOf = ({ shown, issuer }: { readonly shown: string; readonly issuer: string }): Html =>
  html`${name(shown)}, as ${name(placeOf(issuer))} says`;

/** The form that is sent with the token of the session. */
export const formOf = (action: string, token: string, button: Html): Html =>
  html`<form method="post" action="${action}"><input type="hidden" name="token" value="${token}" />${button}</form>`;

/** The way to the other site: a page, since a form is answered with no redirection to another site. */
export function leavePage(url: string): Page {
  return {
    status: 200,
    title: 'One moment',
    refresh: { seconds: 0, url },
    main: html`<p><a class="button" href="${url}" rel="noreferrer">Continue to ${name(hostOf(url))}</a></p>`,
  };
}

export const noSignInPage = (): Page => ({
  status: 409,
  title: 'Nobody can sign in here yet',
  main: html`<p>
    An administrator must name the client of the identity provider:
    <code>writ identity-providers put NAME ISSUER --sign-in-client ID</code>
  </p>`,
});

/** For a request that didn't come from a page of this session. */
export const strayPage = (): Page => ({
  status: 403,
  title: 'Nothing happened',
  main: html`<p>
    The request did not come from the page that you are signed in at, or you were signed out meanwhile. Open the link
    again.
  </p>`,
});

/** @param reason a sentence of this program, never of another side */
export const refusedPage = (reason: string): Page => ({
  status: 400,
  title: 'You are not signed in',
  main: html`<p>${reason} Open the link again.</p>`,
});

/** An issuer without its scheme: many tenants of one product are told apart by their paths. */
export function placeOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : `${parsed.host}${parsed.pathname === '/' ? '' : parsed.pathname}`;
}

export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
