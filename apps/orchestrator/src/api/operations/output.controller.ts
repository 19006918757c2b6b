// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { Controller, StreamableFile } from '@nestjs/common';
import { Asked } from '../../edge/requests/asked.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { OPERATIONS } from './routes.ts';
import { ReadOutput } from './read-output.ts';

@Controller()
export class OutputController {
  constructor(private readonly readOutput: ReadOutput) {}

  @Route(OPERATIONS.output)
  async read(
    @Asked() { caller, params, query }: AskedOf<typeof OPERATIONS.output>,
    @InExchange() exchange: Exchange,
  ): Promise<StreamableFile> {
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
    // Never shown by a browser: a command chose these bytes, and they stand under our name.
    return new StreamableFile(Readable.from(parts(), { objectMode: false }), {
      type: 'text/plain; charset=utf-8',
      disposition: `attachment; filename="${params.operation_id}.${stream}.txt"`,
      length: size,
    });
  }
}
