// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { CALL_USAGE_BY, Fault, parseMessage, UsagePosition, type CallUsageBy } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { CALL_USAGE } from './routes.ts';
import type { CallUsageView } from './views.ts';

const DAY_MS = 24 * 3_600_000;
/** Days of a report that names none. */
const DAYS = 30;
/** Rows of a page unless it says otherwise. */
const ROWS = 100;

@Controller()
export class UsageController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(CALL_USAGE.read)
  async read(@RequestInput() { caller, query }: RequestInputOf<typeof CALL_USAGE.read>): Promise<CallUsageView> {
    const to = query.to ?? dayAt(Date.now() + DAY_MS);
    const from = query.from ?? dayAt(Date.parse(to) - DAYS * DAY_MS);
    const wanted = (query.by ?? 'day').split(',');
    const by: CallUsageBy[] = CALL_USAGE_BY.filter((dimension) => wanted.includes(dimension));
    const after = query.cursor === undefined ? null : positionOf(query.cursor);
    const { items, next } = await this.kernel.ask('usage.calls', caller, {
      from,
      to,
      by,
      after,
      limit: query.limit ?? ROWS,
    });
    return { from, to, by, items, next_cursor: next === null ? null : cursorOf(next) };
  }
}

const cursorOf = (position: readonly string[]): string => Buffer.from(JSON.stringify(position)).toString('base64url');

/** Attacker-controlled. */
function positionOf(cursor: string): string[] {
  try {
    return parseMessage(UsagePosition, parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw new Fault('query.invalid', 'the query parameter `cursor` is none that a page has named');
  }
}

function dayAt(ms: number): string {
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) throw new Fault('query.invalid', 'the query parameter `to` is no day');
  return at.toISOString().slice(0, 10);
}
