// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault, type Consistency, type Inclusion, type Signatures } from '@writ/contract';
import { encodeEntryBundle, parseTilePath } from '@writ/merkle';
import { Asked } from '../../edge/requests/asked.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { LOG } from './routes.ts';
import { LedgerClient } from '../../delivery/ledger-client.ts';

/** A tile of one name has the same bytes for ever; it is the tenant's, so no shared cache may keep it. */
const FOR_EVER = 'private, max-age=31536000, immutable';
/** The newest checkpoint is another one soon: a cache asks every time. */
const NEWEST = 'private, no-cache';

@Controller()
export class LogController {
  constructor(private readonly ledger: LedgerClient) {}

  @Route(LOG.checkpoint)
  async checkpoint(
    @Asked() { caller }: AskedOf<typeof LOG.checkpoint>,
    @InExchange() exchange: Exchange,
  ): Promise<string> {
    const note = await this.ledger.checkpoint(caller.tenant_id);
    exchange.setHeader('content-type', 'text/plain; charset=utf-8');
    exchange.setHeader('cache-control', NEWEST);
    return note;
  }

  @Route(LOG.entries)
  async entries(
    @Asked() { caller, params }: AskedOf<typeof LOG.entries>,
    @InExchange() exchange: Exchange,
  ): Promise<Buffer> {
    const { index, width } = bundleOf(params.bundle);
    return bytesOf(exchange, encodeEntryBundle(await this.ledger.entries(caller.tenant_id, index, width)));
  }

  @Route(LOG.signatures)
  async signatures(
    @Asked() { caller, params }: AskedOf<typeof LOG.signatures>,
    @InExchange() exchange: Exchange,
  ): Promise<Signatures> {
    const { index, width } = bundleOf(params.bundle);
    const signatures = await this.ledger.signatures(caller.tenant_id, index, width);
    exchange.setHeader('cache-control', FOR_EVER);
    return signatures;
  }

  @Route(LOG.tile)
  async tile(@Asked() { caller, params }: AskedOf<typeof LOG.tile>, @InExchange() exchange: Exchange): Promise<Buffer> {
    const named = parseTilePath(params.tile);
    if (named === null || named.kind === 'entries') throw new Fault('not_found');
    return bytesOf(exchange, await this.ledger.tile(caller.tenant_id, named));
  }

  @Route(LOG.inclusion)
  async inclusion(
    @Asked() { caller, query }: AskedOf<typeof LOG.inclusion>,
    @InExchange() exchange: Exchange,
  ): Promise<Inclusion> {
    exchange.setHeader('cache-control', NEWEST);
    return await this.ledger.inclusion(caller.tenant_id, query.leaf_index);
  }

  @Route(LOG.consistency)
  async consistency(
    @Asked() { caller, query }: AskedOf<typeof LOG.consistency>,
    @InExchange() exchange: Exchange,
  ): Promise<Consistency> {
    const proof = await this.ledger.consistency(caller.tenant_id, query.from, query.to);
    exchange.setHeader('cache-control', FOR_EVER);
    return proof;
  }
}

/** @throws Fault `not_found` for what names no bundle */
function bundleOf(name: string): { index: number; width: number } {
  const named = parseTilePath(`entries/${name}`);
  if (named === null) throw new Fault('not_found');
  return named;
}

function bytesOf(exchange: Exchange, bytes: Uint8Array): Buffer {
  exchange.setHeader('content-type', 'application/octet-stream');
  exchange.setHeader('cache-control', FOR_EVER);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
