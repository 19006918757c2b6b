// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import type { BoundResource } from '../resources/resource-kinds.ts';
import type { WebsiteSettings } from '../resources/resource-settings.ts';
import { EGRESS_LIMITS, type OutputLabel, type RequestResource, type ToolDefinition } from './definition.ts';

const closed = { additionalProperties: false } as const;
const URL_RULES = '`http://` or `https://`, a host name in ASCII, no user and no fragment';
const Url = Type.String({ minLength: 1, maxLength: 2_048, description: URL_RULES });

/** External content may be written to influence the agent that reads it. */
export const UNTRUSTED_CONTENT_LABELS: readonly OutputLabel[] = [{ label: 'untrusted_content', when: 'always' }];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const routeOf = (args: Readonly<Record<string, unknown>>): RequestResource => {
  const route = args['route'] as { readonly method?: unknown; readonly url?: unknown } | undefined;
  return { method: textOf(route?.method), url: textOf(route?.url), purpose: textOf(args['purpose']) };
};

const broker = {
  class: 'broker',
  accepts_secrets: [],
  labels: UNTRUSTED_CONTENT_LABELS,
  limits: EGRESS_LIMITS,
  version: 1,
} as const;

/**
 * All headers except those that frame a message, belong to the connection or choose the recipient: these are set here.
 */
const HeaderName = Type.String({
  maxLength: 64,
  pattern:
    '^(?!(?:host|connection|content-length|content-type|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-[a-z-]*)$)[a-z0-9][a-z0-9-]*$',
  description: 'in lower case; none that frames the message or speaks of the connection',
});
const Header = Type.Object(
  {
    name: HeaderName,
    value: Type.String({
      maxLength: 4_096,
      pattern: '^[\\t\\x20-\\x7e]*$',
      description: 'may name secrets, over https: `Bearer ${secret:NAME}`',
    }),
  },
  closed,
);

export const NET_EGRESS: ToolDefinition = {
  ...broker,
  tool_id: 'net.egress',
  version: 2,
  accepts_secrets: ['headers'],
  description:
    'Sends one HTTP request to a host that the token names. It follows no redirect. The purpose is recorded, and policy sees it. A secret in a header is put in on its way out, and seen by nobody in here.',
  category: 'admin',
  mutating: true,
  parameters: Type.Object(
    {
      route: Type.Object(
        { method: Type.Enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']), url: Url },
        closed,
      ),
      purpose: Type.String({ minLength: 1, maxLength: 256, description: 'what the request is for, in words' }),
      headers: Type.Optional(Type.Array(Header, { maxItems: 32 })),
      payload_ref: Type.Optional(
        Type.String({ minLength: 1, maxLength: 4096, description: 'a file of the workspace that is sent as the body' }),
      ),
      content_type: Type.Optional(
        Type.String({
          maxLength: 128,
          pattern: '^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(; ?[A-Za-z0-9_-]+=[A-Za-z0-9_-]+)?$',
          description: 'of the body; application/octet-stream by default',
        }),
      ),
    },
    closed,
  ),
  result: Type.Object(
    {
      status: Type.Integer(),
      headers: Type.Record(Type.String(), Type.String()),
      body: Type.String(),
      encoding: Type.Union([Type.Literal('utf8'), Type.Literal('base64')]),
      size: Type.Integer({ description: 'bytes of the body that came' }),
      truncated: Type.Boolean({ description: 'whether more of it came than `body` holds' }),
    },
    closed,
  ),
  resources: (args) =>
    typeof args['payload_ref'] === 'string' ? [{ kind: 'fs', access: 'read', path: args['payload_ref'] }] : [],
  requests: (args) => [routeOf(args)],
};

/**
 * The address of the page that a call reads: its `url`, or the page of a website that `url` names relative to it.
 * Null where there is none, or where it lies outside of the website. Total and pure.
 */
export function pageUrlOf(
  args: Readonly<Record<string, unknown>>,
  site: Pick<BoundResource, 'settings'> | undefined,
): string | null {
  const { url } = args;
  if (site === undefined) return typeof url === 'string' ? url : null;
  const base = URL.parse((site.settings as WebsiteSettings).url);
  if (base === null) return null;
  if (url === undefined) return base.href;
  const page = URL.parse(textOf(url), base.href);
  const folder = base.pathname.slice(0, base.pathname.lastIndexOf('/') + 1);
  return page !== null && page.origin === base.origin && page.pathname.startsWith(folder) ? page.href : null;
}

/** The parts of a definition that depend on where the page is. */
const pageAt = (site: BoundResource | undefined): Pick<ToolDefinition, 'requests' | 'faults'> => ({
  // The address of a page of a registered website is known once the website is: until then the call names none.
  requests: (args) =>
    site === undefined && args['site'] !== undefined
      ? []
      : [{ method: 'GET', url: pageUrlOf(args, site) ?? '', purpose: '' }],
  faults: (args) => {
    if (args['url'] === undefined && args['site'] === undefined)
      return [{ pointer: '/url', message: 'is required: the address of a page; or give `site`' }];
    return site !== undefined && pageUrlOf(args, site) === null
      ? [{ pointer: '/url', message: `lies outside of the website \`${site.name}\`` }]
      : [];
  },
});

export const WEB_FETCH: ToolDefinition = {
  ...broker,
  tool_id: 'web.fetch',
  version: 3,
  accepts_secrets: ['headers'],
  description:
    'Reads a web page as text: what a person would read of it, without menus and markup. Follows redirects to hosts that the token names; headers go to the host of the URL alone. A secret in a header is put in on its way out, and seen by nobody in here.',
  category: 'read',
  mutating: false,
  parameters: Type.Object(
    {
      url: Type.Optional({ ...Url, description: `${URL_RULES}; with \`site\` relative to it, or its first page` }),
      site: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'a registered website, by name or id' }),
      ),
      headers: Type.Optional(Type.Array(Header, { maxItems: 32 })),
      max_chars: Type.Optional(
        Type.Integer({ minimum: 100, maximum: 100_000, description: 'characters to return; 20000 by default' }),
      ),
    },
    closed,
  ),
  result: Type.Object(
    {
      url: Type.String({ description: 'where it was found, redirects followed' }),
      status: Type.Integer(),
      content_type: Type.String(),
      title: Type.Union([Type.String(), Type.Null()]),
      text: Type.String(),
      size: Type.Integer({ description: 'bytes of the page' }),
      truncated: Type.Boolean(),
    },
    closed,
  ),
  resources: () => [],
  ...pageAt(undefined),
  targets: ({ site }) =>
    typeof site === 'string' ? [{ kind: 'website', ref: site, right: 'use', pointer: '/site' }] : [],
  bind: ([site]) => ({ ...WEB_FETCH, ...pageAt(site) }),
};
