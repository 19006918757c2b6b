// SPDX-License-Identifier: Apache-2.0
import { Controller, StreamableFile } from '@nestjs/common';
import type { Caller, OperationEvent } from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Authenticator } from '../../edge/access/authenticator.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { EVENT_STREAMS } from './routes.ts';
import { EventHub } from '../../calls/event-hub.ts';
import { EventStream } from '../../delivery/event-stream.ts';

@Controller()
export class EventsController {
  constructor(
    private readonly hub: EventHub,
    private readonly authenticator: Authenticator,
  ) {}

  @Route(EVENT_STREAMS.follow)
  follow(
    @RequestInput() { caller, query }: RequestInputOf<typeof EVENT_STREAMS.follow>,
    @InExchange() exchange: Exchange,
  ): StreamableFile {
    const { presented } = exchange;
    const stream = new EventStream({
      isFor: (event) => isFor(caller, event),
      verifyKey: () => this.authenticator.verifyCaller(caller, presented, exchange.address),
      isResuming: exchange.header('last-event-id') !== undefined,
      forMs: query.for_ms ?? null,
    });
    try {
      stream.readable.once('close', this.hub.subscribe(caller.tenant_id, stream));
    } catch (error) {
      stream.readable.destroy();
      throw error;
    }
    // Disables response buffering in nginx.
    exchange.setHeader('x-accel-buffering', 'no');
    return new StreamableFile(stream.readable, { type: 'text/event-stream; charset=utf-8' });
  }
}

/** An agent's key receives only events of its agent's calls, and none whose agent is missing. */
const isFor = (caller: Caller, event: OperationEvent): boolean =>
  caller.role !== 'agent' || (event.agent_id !== undefined && event.agent_id === caller.agent_id);
