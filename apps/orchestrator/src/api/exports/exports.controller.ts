// SPDX-License-Identifier: Apache-2.0
import { Controller, StreamableFile } from '@nestjs/common';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Authenticator } from '../../edge/access/authenticator.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { EXPORTS } from './routes.ts';
import { ExportBundle } from '../../delivery/exports/export-bundle.ts';
import { ExportRecords } from '../../delivery/exports/export-records.ts';

@Controller()
export class ExportsController {
  constructor(
    private readonly exportRecords: ExportRecords,
    private readonly exportBundle: ExportBundle,
    private readonly authenticator: Authenticator,
  ) {}

  @Route(EXPORTS.records)
  async records(
    @RequestInput() { caller, query }: RequestInputOf<typeof EXPORTS.records>,
    @InExchange() exchange: Exchange,
  ): Promise<StreamableFile> {
    const { presented } = exchange;
    const lines = await this.exportRecords.run({
      tenantId: caller.tenant_id,
      format: query.format ?? 'dsse',
      from: query.after === undefined ? 0 : query.after + 1,
      limit: query.limit ?? Infinity,
      follow: query.follow ?? false,
      verifyKey: () => this.authenticator.verifyCaller(caller, presented, exchange.address),
      gone: exchange.gone,
    });
    exchange.setHeader('cache-control', 'private, no-store');
    // Disables response buffering in nginx.
    exchange.setHeader('x-accel-buffering', 'no');
    return new StreamableFile(lines, { type: 'application/x-ndjson' });
  }

  @Route(EXPORTS.bundle)
  async bundle(
    @RequestInput() { caller, query }: RequestInputOf<typeof EXPORTS.bundle>,
    @InExchange() exchange: Exchange,
  ): Promise<StreamableFile> {
    const archive = await this.exportBundle.run(caller, query, exchange.gone);
    exchange.setHeader('cache-control', 'private, no-store');
    return new StreamableFile(archive, { type: 'application/x-tar' });
  }
}
