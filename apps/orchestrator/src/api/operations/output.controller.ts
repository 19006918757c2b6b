// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { Controller, StreamableFile } from '@nestjs/common';
import { Fault } from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Authenticator } from '../../edge/access/authenticator.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { Follow } from '../../calls/follow.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { OutputFeeds } from '../../calls/live-output/output-feeds.ts';
import { OPERATIONS } from './routes.ts';
import { OutputStream, type OutputPosition } from './output-stream.ts';
import { ReadOutput } from './read-output.ts';

type OutputRequest = RequestInputOf<typeof OPERATIONS.output>;

@Controller()
export class OutputController {
  constructor(
    private readonly readOutput: ReadOutput,
    private readonly kernel: KernelClient,
    private readonly follow: Follow,
    private readonly feeds: OutputFeeds,
    private readonly authenticator: Authenticator,
  ) {}

  @Route(OPERATIONS.output)
  async read(@RequestInput() request: OutputRequest, @InExchange() exchange: Exchange): Promise<StreamableFile> {
    const { follow = 'false' } = request.query;
    return follow !== 'false' ? await this.#live(request, exchange) : await this.#kept(request, exchange);
  }

  async #kept({ caller, params, query }: OutputRequest, exchange: Exchange): Promise<StreamableFile> {
    if (query.for_ms !== undefined) throw new Fault('request.malformed', '`for_ms` goes with `follow`');
    const stream = query.stream ?? 'stdout';
    const {
      sha256,
      content_sha256 = sha256,
      size,
      cut,
      parts,
    } = await this.readOutput.run(caller, params.operation_id, stream);
    exchange.setHeader('etag', `"${content_sha256}"`);
    exchange.setHeader('writ-output-cut', String(cut));
    // Never rendered by a browser: a command chose these bytes, and they are served from this origin.
    return new StreamableFile(Readable.from(parts(), { objectMode: false }), {
      type: 'text/plain; charset=utf-8',
      disposition: `attachment; filename="${params.operation_id}.${stream}.txt"`,
      length: size,
    });
  }

  /** The kernel decides whether the caller may see the operation, each time that it is read. */
  async #live({ caller, params, query }: OutputRequest, exchange: Exchange): Promise<StreamableFile> {
    if (query.stream !== undefined)
      throw new Fault('request.malformed', '`stream` does not go with `follow`, which shows both streams as they come');
    const after = parseLastEventId(exchange.header('last-event-id'));
    const { operation_id } = params;
    const subscription = this.follow.subscribe(operation_id);
    try {
      const read = async () => await this.kernel.ask('operation.read', caller, { operation_id });
      const operation = await read();
      const { presented } = exchange;
      const { listener, stop } = this.feeds.follow(
        { tenant_id: caller.tenant_id, operation_id: operation.operation_id },
        (feed) =>
          new OutputStream({
            feed,
            operation,
            after,
            next: (ms, gone) => subscription.next(ms, gone),
            read,
            verifyKey: () => this.authenticator.verifyCaller(caller, presented, exchange.address),
            forMs: query.for_ms ?? null,
          }),
      );
      listener.readable.once('close', () => {
        stop();
        subscription.stop();
      });
      // Disables response buffering in nginx.
      exchange.setHeader('x-accel-buffering', 'no');
      return new StreamableFile(listener.readable, { type: 'text/event-stream; charset=utf-8' });
    } catch (error) {
      subscription.stop();
      throw error;
    }
  }
}

/** Parses `Last-Event-ID`. Fault `request.malformed` for an id that no stream of output sent. */
function parseLastEventId(id: string | undefined): OutputPosition | null {
  if (id === undefined || id === '') return null;
  const [, attempt, at] = /^(\d{1,9})\.(\d{1,15})$/.exec(id) ?? [];
  if (attempt === undefined || at === undefined)
    throw new Fault('request.malformed', "the header `Last-Event-ID` is none of this stream's ids");
  return { attempt: Number(attempt), at: Number(at) };
}
