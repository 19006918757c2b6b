// SPDX-License-Identifier: Apache-2.0
// What a request gives of a channel's destination, by kind: checked, and divided into settings and the secret.
import { Fault } from '@writ/contract';
import { newSecret } from '../../delivery/webhooks/secrets.ts';
import { hostOf } from '../../edge/outbound/allowed-hosts.ts';
import { urlOfHost } from '../../edge/outbound/egress-gate.ts';
import { parseWebhookUrl } from '../../edge/outbound/webhook-url.ts';
import type { RequestInputOf } from '../../edge/requests/route.ts';
import {
  CHANNEL_KINDS,
  type ChannelChange,
  type ChannelKind,
  type ChannelRow,
  type KindSettings,
  type NewChannel,
} from '../../store/channels/channels.ts';
import type { CHANNELS } from './routes.ts';

const SLACK_API = 'https://slack.com/api';

type NewBody = RequestInputOf<typeof CHANNELS.create>['body'];
type ChangeBody = RequestInputOf<typeof CHANNELS.change>['body'];
type EmailSettings = KindSettings['email'];
/** `host:port` of hosts that the operator allowed. */
type Allowed = ReadonlySet<string>;

export interface NewDestination extends Pick<NewChannel, 'destination' | 'api_url' | 'settings'> {
  readonly secret: string;
  /** a secret that was made here, which the answer shows once */
  readonly made: string | null;
}

export interface DestinationChange extends Pick<ChannelChange, 'destination' | 'api_url' | 'settings'> {
  /** the kind whose settings were given; null: none were */
  readonly kind: ChannelKind | null;
  readonly secret: string | null;
}

/** @throws Fault `request.malformed`, also unless the body has the settings of its kind and no other */
export function newDestination(body: NewBody, allowed: Allowed): NewDestination {
  const { kind } = body;
  for (const other of CHANNEL_KINDS) if (other !== kind && body[other] !== undefined) throw ofOtherKind(kind, other);
  const common = { destination: kind, api_url: '', made: null };
  if (kind === 'slack') {
    const { conversation: destination, bot_token: secret, api_url = SLACK_API } = given(kind, body.slack);
    return { ...common, destination, api_url: slackUrlOf(api_url, allowed), settings: null, secret };
  }
  if (kind === 'teams') {
    const { href: secret, origin } = hookUrlOf(given(kind, body.teams).url, allowed, kind);
    return { ...common, settings: { origin }, secret };
  }
  if (kind === 'email') {
    const { username = null, password = null, ...rest } = given(kind, body.email);
    const settings = { ...rest, username };
    verifyMailServer(settings, allowed);
    if ((username === null) !== (password === null))
      throw malformed('`username` and `password` go together', '/email/password');
    return { ...common, settings, secret: password ?? '' };
  }
  const { url } = given(kind, body.webhook);
  const { text } = newSecret();
  return { ...common, settings: { url: hookUrlOf(url, allowed, kind).href }, secret: text, made: text };
}

/** @throws Fault `request.malformed` */
export function changedDestination(body: ChangeBody, allowed: Allowed): DestinationChange {
  const [kind = null, other] = CHANNEL_KINDS.filter((each) => body[each] !== undefined);
  if (kind !== null && other !== undefined) throw ofOtherKind(kind, other);
  const { slack, webhook, teams, email } = body;
  const none = { kind, destination: null, api_url: null, settings: null, secret: null };
  if (slack !== undefined) {
    const { conversation: destination = null, bot_token: secret = null, api_url } = slack;
    return { ...none, destination, secret, api_url: api_url === undefined ? null : slackUrlOf(api_url, allowed) };
  }
  if (webhook !== undefined) return { ...none, settings: { url: hookUrlOf(webhook.url, allowed, 'webhook').href } };
  if (teams !== undefined) {
    const { href: secret, origin } = hookUrlOf(teams.url, allowed, 'teams');
    return { ...none, settings: { origin }, secret };
  }
  if (email !== undefined) {
    const { password: secret = null, ...settings } = email;
    return { ...none, settings, secret };
  }
  return none;
}

/**
 * INVARIANT (a secret goes where it was given for): whoever changes the host gives the secret, too. Otherwise an
 * administrator could have the stored one sent to a server of their own, and read it there.
 * @throws Fault `request.malformed`
 */
export function verifyDestinationChange(present: ChannelRow, change: DestinationChange, allowed: Allowed): void {
  const { kind, api_url, secret } = change;
  if (kind !== null && kind !== present.kind) throw ofOtherKind(present.kind, kind);
  if (api_url !== null && api_url !== present.api_url && secret === null)
    throw malformed('another `api_url` takes the `bot_token`, too', '/slack/bot_token');
  if (kind === 'email') verifyMailChange(present.settings as EmailSettings, change, allowed);
}

function verifyMailChange(present: EmailSettings, { settings, secret }: DestinationChange, allowed: Allowed): void {
  const changed: EmailSettings = { ...present, ...settings };
  verifyMailServer(changed, allowed);
  const isSame = (['host', 'port', 'tls', 'username'] as const).every((name) => changed[name] === present[name]);
  if (changed.username !== null && !isSame && secret === null)
    throw malformed('another `host`, `port`, `tls` or `username` takes the `password`, too', '/email/password');
  if (changed.username === null && secret !== null)
    throw malformed('a `password` takes a `username`', '/email/username');
}

function verifyMailServer({ host, port, tls }: EmailSettings, allowed: Allowed): void {
  const url = parsed(urlOfHost(host, port), allowed);
  if (url === null) throw malformed('`host` must be a name, or a public address', '/email/host');
  if (tls === 'none' && !allowed.has(hostOf(url)))
    throw malformed('`tls` may be `none` only where the operator allowed `host:port`', '/email/tls');
}

const malformed = (detail: string, pointer: string): Fault => new Fault('request.malformed', detail, { pointer });

const ofOtherKind = (kind: string, other: string): Fault =>
  malformed(`the channel's \`kind\` is \`${kind}\`, so \`${other}\` must not be given`, `/${other}`);

function given<T>(kind: ChannelKind, settings: T | undefined): T {
  if (settings === undefined) throw malformed(`\`kind\` is \`${kind}\`, so \`${kind}\` must be given`, `/${kind}`);
  return settings;
}

function slackUrlOf(text: string, allowed: Allowed): string {
  const { origin, pathname, search } = parsed(text, allowed) ?? {};
  if (origin === undefined || search !== '')
    throw malformed('`api_url` must be an `https://` URL at a public address, without a query', '/slack/api_url');
  return `${origin}${pathname?.replace(/\/+$/, '')}`;
}

function hookUrlOf(text: string, allowed: Allowed, kind: ChannelKind): URL {
  const url = parsed(text, allowed);
  if (url === null)
    throw malformed('`url` must be an `https://` URL at a public address, without a user', `/${kind}/url`);
  return url;
}

/** Null where the URL is refused. The reason stays here: the URL may hold a secret. */
function parsed(text: string, allowed: Allowed): URL | null {
  try {
    return parseWebhookUrl(text, allowed);
  } catch (cause) {
    if (cause instanceof Fault) return null;
    throw cause;
  }
}
