// SPDX-License-Identifier: Apache-2.0
// Pages for people. They have no script, load nothing, and are in no frame.
import { createHash } from 'node:crypto';
import type { Exchange } from '../requests/exchange.ts';
import { Html, html } from './html.ts';

/** What a handler of a page answers. */
export interface Page {
  readonly status: number;
  readonly title: string;
  readonly main: Html;
  /** after how many seconds the browser goes on by itself: to an address that was checked, or (null) to this page */
  readonly refresh?: { readonly seconds: number; readonly url: string | null };
  readonly cookies?: readonly string[];
}

/** An answer without a page: the browser goes on to another address at once. */
export interface Redirection {
  readonly location: string;
  readonly cookies?: readonly string[];
}

/** Both colour schemes have a contrast of 7 or more for texts, and lines that stay readable on small screens. */
const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; padding: 2rem 1rem; font: 1.0625rem/1.6 system-ui, sans-serif; color: #1a1a1a; background: #fff; }
main { max-width: 36rem; margin: 0 auto; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.3; }
dt { font-weight: 600; margin-top: 0.75rem; }
dd { margin: 0; }
ul { padding-left: 1.25rem; }
form { margin: 1.5rem 0 0; }
button, .button { display: inline-block; font: inherit; padding: 0.6rem 1.2rem; border: 2px solid #0b57d0;
  border-radius: 0.4rem; background: #0b57d0; color: #fff; text-decoration: none; cursor: pointer; }
button.plain { background: none; color: inherit; border-color: #767676; }
a { color: #0b4cb4; }
:focus-visible { outline: 3px solid #b35900; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  body { color: #ececec; background: #161616; }
  a { color: #a8c7fa; }
  button, .button { background: #a8c7fa; border-color: #a8c7fa; color: #10213f; }
  button.plain { border-color: #9a9a9a; }
  :focus-visible { outline-color: #ffb77c; }
}
`;

/** Exactly the bytes that the policy allows, wherever a formatter breaks lines. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

/**
 * `form-action 'self'` also holds for where a form's answer redirects to, so a form is answered with a page. Of another
 * origin than this one nobody learns the address of a page: `no-referrer` would hide the origin from our own forms too.
 */
const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
};
const REFERRER = { 'referrer-policy': 'same-origin' };

/** Answers with a page, or sends the browser on. Nothing is stored by caches (AccessLog). */
export function answer(exchange: Exchange, page: Page | Redirection): string {
  const { cookies = [] } = page;
  const headers = 'location' in page ? { location: page.location, ...REFERRER } : { ...HEADERS, ...REFERRER };
  for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
  for (const cookie of cookies) exchange.setHeader('set-cookie', cookie);
  exchange.setStatus('location' in page ? 303 : page.status);
  return 'location' in page ? '' : documentOf(page).text;
}

const contentOf = ({ seconds, url }: Required<Page>['refresh']): string =>
  url === null ? String(seconds) : `${seconds}; url=${url}`;

function documentOf({ title, main, refresh }: Page): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${refresh === undefined ? null : html`<meta http-equiv="refresh" content="${contentOf(refresh)}" />`}
        <title>${title} · Writ</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${main}
        </main>
      </body>
    </html> `;
}
