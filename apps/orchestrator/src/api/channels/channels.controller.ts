// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault } from '@writ/contract';
import { requireMatch } from '@writ/nest-kit';
import { pageOf } from '../../edge/requests/fields.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { Channels, settingsOf, type ChannelRow } from '../../store/channels/channels.ts';
import { ChangeChannels } from './change-channels.ts';
import { CHANNELS } from './routes.ts';
import type { ChannelView } from './views.ts';

@Controller()
export class ChannelsController {
  constructor(
    private readonly channels: Channels,
    private readonly changeChannels: ChangeChannels,
  ) {}

  @Route(CHANNELS.list)
  async list(
    @RequestInput() { caller, query }: RequestInputOf<typeof CHANNELS.list>,
  ): Promise<{ items: ChannelView[]; next_cursor: string | null }> {
    const { items, next_cursor } = await this.channels.list(caller.tenant_id, pageOf(query));
    return { items: items.map((row) => viewOf(row)), next_cursor };
  }

  @Route(CHANNELS.create)
  async create(@RequestInput() { caller, body }: RequestInputOf<typeof CHANNELS.create>): Promise<ChannelView> {
    const { channel, secret } = await this.changeChannels.create(caller, body);
    return viewOf(channel, secret);
  }

  @Route(CHANNELS.read)
  async read(@RequestInput() { caller, params }: RequestInputOf<typeof CHANNELS.read>): Promise<ChannelView> {
    const row = await this.channels.read(caller.tenant_id, params.channel_id);
    if (row === null) throw new Fault('not_found');
    return viewOf(row);
  }

  @Route(CHANNELS.change)
  async change(@RequestInput() request: RequestInputOf<typeof CHANNELS.change>): Promise<ChannelView> {
    const { caller, params, body } = request;
    return viewOf(await this.changeChannels.change(caller, params.channel_id, body, conditionOf(request)));
  }

  @Route(CHANNELS.remove)
  async remove(@RequestInput() request: RequestInputOf<typeof CHANNELS.remove>): Promise<ChannelView> {
    const { caller, params } = request;
    return viewOf(await this.changeChannels.remove(caller, params.channel_id, conditionOf(request)));
  }
}

/** A channel, with its secret where that was made just now. */
function viewOf(row: ChannelRow, secret: string | null = null): ChannelView {
  const { destination: _destination, api_url: _url, settings: _settings, ...common } = row;
  return { ...common, [row.kind]: { ...settingsOf(row), ...(secret === null ? {} : { secret }) } };
}

/** The condition of `If-Match`, on what the API shows of the channel. */
const conditionOf =
  ({ ifMatch }: { readonly ifMatch: readonly string[] | null }) =>
  (present: ChannelRow): void => {
    if (ifMatch !== null) requireMatch(ifMatch, viewOf(present));
  };
