// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { ChannelSecrets } from '../../delivery/channels/channel-secrets.ts';
import type { RequestInputOf } from '../../edge/requests/route.ts';
import { parseWebhookUrl } from '../../edge/outbound/webhook-url.ts';
import type { ChannelChange, ChannelCondition, ChannelRow, Channels } from '../../store/channels/channels.ts';
import type { CHANNELS } from './routes.ts';

/** Most channels of one tenant: each message goes to all of them. */
export const CHANNELS_MAX = 10;
const SLACK_API = 'https://slack.com/api';

type NewBody = RequestInputOf<typeof CHANNELS.create>['body'];
type ChangeBody = RequestInputOf<typeof CHANNELS.change>['body'];
/** Throws unless the change is meant for this state of the channel. */
type Condition = (present: ChannelRow) => void;

export interface ChangeChannelsParts {
  readonly kernel: Pick<KernelClient, 'ask'>;
  readonly channels: Channels;
  readonly secrets: ChannelSecrets;
  /** `host:port` */
  readonly allowed: ReadonlySet<string>;
  /** whether there are public pages of the console, to which messages lead */
  readonly hasConsole: boolean;
}

/**
 * Creates, changes and deletes channels. INVARIANT (recorded first): a change is durable in the kernel's outbox before
 * it takes effect.
 */
export class ChangeChannels {
  readonly #parts: ChangeChannelsParts;

  constructor(parts: ChangeChannelsParts) {
    this.#parts = parts;
  }

  /** Faults: `conflict` without a public console, `request.malformed` for a URL that is refused, `limit.exceeded`. */
  async create(caller: Caller, { name, kind, slack }: NewBody): Promise<ChannelRow> {
    const { channels, secrets, hasConsole } = this.#parts;
    if (!hasConsole)
      throw new Fault(
        'conflict',
        'messages of a channel lead to the console, whose public URL is not known: the operator sets `WRIT_PUBLIC_URL`, and leaves `WRIT_CONSOLE` on',
      );
    const { tenant_id, api_key_id } = caller;
    const api_url = this.#apiUrlOf(slack.api_url ?? SLACK_API);
    const channel_id = newId('channel');
    await this.#record(caller, 'channel_created', channel_id);
    const bot_token = secrets.seal({ tenant_id, channel_id }, slack.bot_token);
    const destination = slack.conversation;
    const channel = { channel_id, name, kind, destination, api_url, bot_token, created_by: api_key_id };
    return await channels.create(tenant_id, channel, CHANNELS_MAX);
  }

  /** Faults: `not_found`, `precondition.failed`, `request.malformed` for a URL that is refused. */
  async change(caller: Caller, channelId: string, body: ChangeBody, condition: Condition): Promise<ChannelRow> {
    const { tenant_id } = caller;
    const { channels, secrets } = this.#parts;
    const { conversation = null, bot_token, api_url } = body.slack ?? {};
    const of = { tenant_id, channel_id: channelId };
    const change: ChannelChange = {
      name: body.name ?? null,
      state: body.state ?? null,
      destination: conversation,
      api_url: api_url === undefined ? null : this.#apiUrlOf(api_url),
      bot_token: bot_token === undefined ? null : secrets.seal(of, bot_token),
    };
    return orNotFound(
      await channels.change(
        tenant_id,
        channelId,
        change,
        this.#recorded(caller, 'channel_changed', channelId, (present) => {
          condition(present);
          verifyTokenStays(present, change);
        }),
      ),
    );
  }

  /** Faults: `not_found`, `precondition.failed`. */
  async remove(caller: Caller, channelId: string, condition: Condition): Promise<ChannelRow> {
    const recorded = this.#recorded(caller, 'channel_deleted', channelId, condition);
    return orNotFound(await this.#parts.channels.remove(caller.tenant_id, channelId, recorded));
  }

  /** A change that is refused has no record. */
  #recorded(caller: Caller, verb: string, subject: string, condition: Condition): ChannelCondition {
    return async (present) => {
      condition(present);
      await this.#record(caller, verb, subject);
    };
  }

  async #record(caller: Caller, verb: string, subject: string): Promise<void> {
    await this.#parts.kernel.ask('change.record', caller, { verb, subject });
  }

  #apiUrlOf(text: string): string {
    try {
      const { origin, pathname, search } = parseWebhookUrl(text, this.#parts.allowed);
      if (search === '') return `${origin}${pathname.replace(/\/+$/, '')}`;
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause;
    }
    throw new Fault('request.malformed', '`api_url` must be an `https://` URL at a public address, without a query', {
      pointer: '/slack/api_url',
    });
  }
}

/**
 * INVARIANT (a token goes where it was given for): whoever changes the URL gives the token, too. Otherwise an
 * administrator could have the stored token sent to a server of their own, and read it there.
 */
function verifyTokenStays(present: ChannelRow, { api_url, bot_token }: ChannelChange): void {
  if (api_url !== null && api_url !== present.api_url && bot_token === null)
    throw new Fault('request.malformed', 'another `api_url` takes the `bot_token`, too', {
      pointer: '/slack/bot_token',
    });
}

function orNotFound<T>(row: T | null): T {
  if (row === null) throw new Fault('not_found');
  return row;
}
