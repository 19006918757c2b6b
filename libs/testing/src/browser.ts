// SPDX-License-Identifier: Apache-2.0
// A browser as far as tests need one: it keeps cookies for each host and port, follows redirections, and sends forms.
// It runs no scripts.

/** A form of a page. */
export interface PageForm {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly button: string;
}

/** What a browser shows. */
export interface BrowserPage {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly forms: readonly PageForm[];
  readonly links: readonly string[];
  /** where the page goes on by itself; null: it stays */
  readonly next: string | null;
}

/** Redirections of one request; a sign-in has some. */
const HOPS_MAX = 15;

export interface BrowserOptions {
  /** sent with every request */
  readonly headers?: Readonly<Record<string, string>>;
  /** servers on loopback that play others: their origins by the origins that they play */
  readonly plays?: Readonly<Record<string, string>>;
}

/** Keeps cookies, and remembers what it was told by servers. */
export class Browser {
  /** the URL of each request, in their order */
  readonly visited: string[] = [];
  /** each `Set-Cookie` header */
  readonly received: string[] = [];
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #options: BrowserOptions;

  constructor(options: BrowserOptions = {}) {
    this.#options = options;
  }

  /** Opens a URL, and follows redirections; those that `stopAt` begins with are not opened. */
  async open(url: string, stopAt?: string): Promise<BrowserPage> {
    return await this.#go(url, { method: 'GET' }, stopAt);
  }

  /** Sends a form of a page, by a part of its button's text. */
  async send(page: BrowserPage, button: string, changes: SendChanges = {}): Promise<BrowserPage> {
    const form = page.forms.find((each) => each.button.includes(button));
    if (form === undefined) throw new Error(`no form with a button \`${button}\` at ${page.url}: ${page.text}`);
    const body = new URLSearchParams({ ...form.fields, ...changes.fields }).toString();
    const origin = changes.origin === undefined ? new URL(page.url).origin : changes.origin;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...(origin === null ? {} : { origin }) };
    return await this.#go(new URL(form.action, page.url).href, { method: 'POST', headers, body }, undefined);
  }

  /** Goes on where the page does so by itself. */
  async goOn(page: BrowserPage, stopAt?: string): Promise<BrowserPage> {
    if (page.next === null) throw new Error(`the page ${page.url} stays: ${page.text}`);
    return await this.open(new URL(page.next, page.url).href, stopAt);
  }

  /** The cookies for a URL, as the header has them. */
  cookiesFor(url: string): string {
    return [...(this.#cookies.get(new URL(url).host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Makes the browser send this cookie to the host of the URL. */
  plant(url: string, name: string, value: string): void {
    this.#jarOf(url).set(name, value);
  }

  async #go(start: string, first: RequestInit, stopAt: string | undefined): Promise<BrowserPage> {
    let [url, request] = [start, first];
    for (let hops = 0; hops < HOPS_MAX; hops += 1) {
      this.visited.push(url);
      const response = await this.#fetch(url, request);
      for (const cookie of response.headers.getSetCookie()) this.#keep(url, cookie);
      const location = response.headers.get('location');
      if (location === null) return pageOf(url, response, await response.text());
      await response.arrayBuffer();
      url = new URL(location, url).href;
      request = { method: 'GET' };
      if (stopAt !== undefined && url.startsWith(stopAt)) return pageOf(url, response, '');
    }
    throw new Error(`redirections go in circles, at ${url}`);
  }

  async #fetch(url: string, request: RequestInit): Promise<Response> {
    const { headers: all = {}, plays = {} } = this.#options;
    const { origin, host, protocol } = new URL(url);
    const player = plays[origin];
    const forwarded =
      player === undefined ? {} : { 'x-forwarded-host': host, 'x-forwarded-proto': protocol.replace(':', '') };
    const own = request.headers as Record<string, string> | undefined;
    const headers = { ...all, ...forwarded, ...own, cookie: this.cookiesFor(url) };
    const place = player === undefined ? url : `${player}${url.slice(origin.length)}`;
    return await fetch(place, { ...request, headers, redirect: 'manual' });
  }

  #jarOf(url: string): Map<string, string> {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    return jar;
  }

  #keep(url: string, header: string): void {
    this.received.push(header);
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
    const isOver = /;\s*max-age=0/i.test(header) || /;\s*expires=thu, 01 jan 1970/i.test(header);
    if (isOver) this.#jarOf(url).delete(name);
    else this.#jarOf(url).set(name, value);
  }
}

/** What a form is sent with instead of what a browser would send. */
export interface SendChanges {
  readonly fields?: Readonly<Record<string, string>>;
  /** null: none */
  readonly origin?: string | null;
}

function pageOf(url: string, { status, headers }: Response, text: string): BrowserPage {
  const next = /<meta http-equiv="refresh" content="\d+(?:; url=([^"]*))?"/.exec(text);
  return {
    url,
    status,
    headers,
    text,
    forms: [...text.matchAll(/<form method="post" action="([^"]*)">(.*?)<\/form>/gs)].map(
      ([, action = '', inner = '']) => ({
        action: unescaped(action),
        fields: Object.fromEntries(
          [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
            ([, name = '', value = '']) => [name, unescaped(value)],
          ),
        ),
        button: unescaped(/<button[^>]*>(.*?)<\/button>/s.exec(inner)?.[1]?.replaceAll(/<[^>]*>/g, '') ?? ''),
      }),
    ),
    links: [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, link = '']) => unescaped(link)),
    next: next === null ? null : unescaped(next[1] ?? url),
  };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const unescaped = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => ENTITIES[name] ?? '');
