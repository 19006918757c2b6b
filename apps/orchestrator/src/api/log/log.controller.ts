// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault, type Consistency, type Inclusion, type Signatures } from '@writ/contract';
import { encodeEntryBundle, parseTilePath } from '@writ/merkle';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { LOG } from './routes.ts';
import { LedgerClient } from '../../delivery/ledger-client.ts';

/** A tile never changes. It belongs to a tenant, so shared caches may not store it. */
const IMMUTABLE = 'private, max-age=31536000, immutable';
/** The newest checkpoint changes soon, so caches must revalidate it. */
const REVALIDATED = 'private, no-cache';

@Controller()
export class LogController {
  constructor(private readonly ledger: LedgerClient) {}

  @Route(LOG.checkpoint)
  async checkpoint(
    @RequestInput() { caller }: RequestInputOf<typeof LOG.checkpoint>,
    @InExchange() exchange: Exchange,
  ): Promise<string> {
    const note = await this.ledger.checkpoint(caller.tenant_id);
    exchange.setHeader('content-type', 'text/plain; charset=utf-8');
    exchange.setHeader('cache-control', REVALIDATED);
    return note;
  }

  @Route(LOG.entries)
  async entries(
    @RequestInput() { caller, params }: RequestInputOf<typeof LOG.entries>,
    @InExchange() exchange: Exchange,
  ): Promise<Buffer> {
    const { index, width } = bundleOf(params.bundle);
    return bytesOf(exchange, encodeEntryBundle(await this.ledger.entries(caller.tenant_id, index, width)));
  }

  @Route(LOG.signatures)
  async signatures(
    @RequestInput() { caller, params }: RequestInputOf<typeof LOG.signatures>,
    @InExchange() exchange: Exchange,
  ): Promise<Signatures> {
    const { index, width } = bundleOf(params.bundle);
    const signatures = await this.ledger.signatures(caller.tenant_id, index, width);
    exchange.setHeader('cache-control', IMMUTABLE);
    return signatures;
  }

  @Route(LOG.tile)
  async tile(
    @RequestInput() { caller, params }: RequestInputOf<typeof LOG.tile>,
    @InExchange() exchange: Exchange,
  ): Promise<Buffer> {
    const tileId = parseTilePath(params.tile);
    if (tileId === null || tileId.kind === 'entries') throw new Fault('not_found');
    return bytesOf(exchange, await this.ledger.tile(caller.tenant_id, tileId));
  }

  @Route(LOG.inclusion)
  async inclusion(
    @RequestInput() { caller, query }: RequestInputOf<typeof LOG.inclusion>,
    @InExchange() exchange: Exchange,
  ): Promise<Inclusion> {
    exchange.setHeader('cache-control', REVALIDATED);
    return await this.ledger.inclusion(caller.tenant_id, query.leaf_index);
  }

  @Route(LOG.consistency)
  async consistency(
    @RequestInput() { caller, query }: RequestInputOf<typeof LOG.consistency>,
    @InExchange() exchange: Exchange,
  ): Promise<Consistency> {
    const proof = await this.ledger.consistency(caller.tenant_id, query.from, query.to);
    exchange.setHeader('cache-control', IMMUTABLE);
    return proof;
  }
}

/** @throws Fault `not_found` for a name of no bundle */
function bundleOf(name: string): { index: number; width: number } {
  const named = parseTilePath(`entries/${name}`);
  if (named === null) throw new Fault('not_found');
  return named;
}

function bytesOf(exchange: Exchange, bytes: Uint8Array): Buffer {
  exchange.setHeader('content-type', 'application/octet-stream');
  exchange.setHeader('cache-control', IMMUTABLE);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
