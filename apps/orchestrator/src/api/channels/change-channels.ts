// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { ChannelSecrets } from '../../delivery/channels/channel-secrets.ts';
import type { RequestInputOf } from '../../edge/requests/route.ts';
import type { ChannelCondition, ChannelRow, Channels } from '../../store/channels/channels.ts';
import { changedDestination, newDestination, verifyDestinationChange } from './destinations.ts';
import type { CHANNELS } from './routes.ts';

/** Most channels of one tenant: each message goes to all of them. */
export const CHANNELS_MAX = 10;

type NewBody = RequestInputOf<typeof CHANNELS.create>['body'];
type ChangeBody = RequestInputOf<typeof CHANNELS.change>['body'];
/** A new channel. `secret`: made here, for the answer alone; null: the caller gave one. */
export interface CreatedChannel {
  readonly channel: ChannelRow;
  readonly secret: string | null;
}
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

  /** Faults: `conflict` without a console, `request.malformed` for settings that are refused, `limit.exceeded`. */
  async create(caller: Caller, body: NewBody): Promise<CreatedChannel> {
    const { channels, secrets, allowed, hasConsole } = this.#parts;
    if (!hasConsole)
      throw new Fault(
        'conflict',
        'messages of a channel lead to the console, whose public URL is not known: the operator sets `WRIT_PUBLIC_URL`, and leaves `WRIT_CONSOLE` on',
      );
    const { tenant_id, api_key_id } = caller;
    const { secret, made, ...destination } = newDestination(body, allowed);
    const channel_id = newId('channel');
    await this.#record(caller, 'channel_created', channel_id);
    const bot_token = secrets.seal({ tenant_id, channel_id }, secret);
    const { name, kind } = body;
    const channel = { channel_id, name, kind, ...destination, bot_token, created_by: api_key_id };
    return { channel: await channels.create(tenant_id, channel, CHANNELS_MAX), secret: made };
  }

  /** Faults: `not_found`, `precondition.failed`, `request.malformed` for settings that are refused. */
  async change(caller: Caller, channelId: string, body: ChangeBody, condition: Condition): Promise<ChannelRow> {
    const { tenant_id } = caller;
    const { channels, secrets, allowed } = this.#parts;
    const given = changedDestination(body, allowed);
    const { destination, api_url, settings, secret } = given;
    const of = { tenant_id, channel_id: channelId };
    const change = {
      ...{ name: body.name ?? null, state: body.state ?? null, destination, api_url, settings },
      bot_token: secret === null ? null : secrets.seal(of, secret),
    };
    return orNotFound(
      await channels.change(
        tenant_id,
        channelId,
        change,
        this.#recorded(caller, 'channel_changed', channelId, (present) => {
          condition(present);
          verifyDestinationChange(present, given, allowed);
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
}

function orNotFound<T>(row: T | null): T {
  if (row === null) throw new Fault('not_found');
  return row;
}
