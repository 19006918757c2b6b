// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault, type RecordPage, type RecordsRequest } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { encodeReceipt, RECEIPT_MEDIA_TYPE } from '@writ/receipt';
import { decodeBase64 } from '@writ/signing';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { instantOf, requireRange } from '../../edge/requests/moments.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { RECORDS } from './routes.ts';
import type { RecordView } from './views.ts';
import { LedgerClient } from '../../delivery/ledger-client.ts';

type Query = RequestInputOf<typeof RECORDS.list>['query'];

/** Default rows of a page: what a person reads at once. */
const ROWS = 50;
/** Depth limit, above that of any statement. */
const STATEMENT_DEPTH = 16;

@Controller()
export class RecordsController {
  constructor(private readonly ledger: LedgerClient) {}

  @Route(RECORDS.list)
  list(@RequestInput() { caller, query }: RequestInputOf<typeof RECORDS.list>): Promise<RecordPage> {
    return this.ledger.records({
      tenant_id: caller.tenant_id,
      filter: filterOf(query),
      order: query.order ?? 'newest',
      limit: query.limit ?? ROWS,
      cursor: query.cursor ?? null,
    });
  }

  @Route(RECORDS.read)
  async read(@RequestInput() { caller, params }: RequestInputOf<typeof RECORDS.read>): Promise<RecordView> {
    const leaf_index = Number(params.leaf_index);
    const { envelope, inclusion } = await this.ledger.record(caller.tenant_id, leaf_index);
    const statement = parseIJson(decodeBase64(envelope.payload), {
      depthMax: STATEMENT_DEPTH,
    }) as RecordView['statement'];
    return {
      leaf_index,
      tree_size: inclusion.tree_size,
      statement,
      receipt: `/v1/records/${params.leaf_index}/receipt`,
    };
  }

  @Route(RECORDS.receipt)
  async receipt(
    @RequestInput() { caller, params }: RequestInputOf<typeof RECORDS.receipt>,
    @InExchange() exchange: Exchange,
  ): Promise<Buffer> {
    const file = encodeReceipt(await this.ledger.record(caller.tenant_id, Number(params.leaf_index)));
    exchange.setHeader('content-type', RECEIPT_MEDIA_TYPE);
    exchange.setHeader('content-disposition', `attachment; filename="record-${params.leaf_index}.receipt.json"`);
    // Sent as bytes, because the file's serialization is fixed and no layer may change it.
    return Buffer.from(file, 'utf8');
  }
}

/** Faults: `request.malformed`, with the parameter's name, for dates that don't exist and for empty ranges. */
function filterOf({
  agent,
  tool,
  session,
  operation,
  type,
  verdict,
  outcome,
  risk_min,
  risk_max,
  resource,
  text,
  ...query
}: Query): RecordsRequest['filter'] {
  const [since, until] = [instantOf('since', query.since), instantOf('until', query.until)];
  requireRange(since, until);
  if (risk_min !== undefined && risk_max !== undefined && risk_max < risk_min)
    throw new Fault('request.malformed', 'query parameter `risk_max` must not be less than `risk_min`');
  return definedOnly({
    agent_id: agent,
    tool_id: tool,
    session_id: session,
    operation_id: operation,
    type,
    verdict,
    outcome,
    risk_min,
    risk_max,
    since,
    until,
    resource,
    text,
  });
}

const definedOnly = <T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
