// SPDX-License-Identifier: Apache-2.0
import { APPROVAL_ORDERS, Fault, type ApprovalOrder } from '@writ/contract';
import { canonicalJson, sha256Hex, utf8Bytes } from '@writ/digest';
import { cursorCodec, ROW_CURSOR } from '@writ/paging';
import { Type, type Static } from 'typebox';
import { parseCursor } from '../../../foundation/database/cursor.ts';
import type { Selection, StatementValues } from './selection.ts';

/** Where a page ended, and in which list: a position in one order says nothing about another. */
const Position = Type.Object(
  {
    order: Type.Enum(APPROVAL_ORDERS),
    /** fingerprint of what selects */
    of: Type.String({ pattern: '^[0-9a-f]{16}$' }),
    risk: Type.Number({ minimum: 0, maximum: 1 }),
    at: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    id: Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' }),
  },
  { additionalProperties: false },
);
const CODEC = cursorCodec(Position);

/** The columns that an order needs of each row. */
export interface OrderedRow {
  readonly approval_id: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly risk_score: number;
}

interface Order {
  /** the columns, each in the same direction */
  readonly columns: readonly string[];
  readonly direction: 'ASC' | 'DESC';
  readonly at: (row: OrderedRow) => number;
}

const byTime = { columns: ['a.created_at', 'a.approval_id'], at: ({ created_at }: OrderedRow) => created_at };
const ORDERS: Readonly<Record<ApprovalOrder, Order>> = {
  newest: { ...byTime, direction: 'DESC' },
  oldest: { ...byTime, direction: 'ASC' },
  expires: { columns: ['a.expires_at', 'a.approval_id'], direction: 'ASC', at: ({ expires_at }) => expires_at },
  risk: { columns: ['a.risk_score', 'a.created_at', 'a.approval_id'], direction: 'DESC', at: byTime.at },
};

/** The pages of one selection in one order. */
export interface OrderedPages {
  /** the condition of the rows of a page, or none for the first */
  readonly after: string;
  readonly orderBy: string;
  cursorAfter(row: OrderedRow): string;
}

/**
 * The pages of a list without order and filter. Their cursors are those of the version before, since pages may come
 * from kernels of both versions in turn.
 */
export function plainPages(cursor: string | null, values: StatementValues): OrderedPages {
  const { columns, direction } = ORDERS.newest;
  const { created_at, id } = parseCursor(cursor);
  return {
    after: `(${columns.join(', ')}) < (${values.add(created_at)}::bigint, ${values.add(id)}::text)`,
    orderBy: columns.map((column) => `${column} ${direction}`).join(', '),
    cursorAfter: ({ created_at: at, approval_id }) => ROW_CURSOR.format({ created_at: at, id: approval_id }),
  };
}

/** @throws Fault `request.malformed` for a cursor of another list, and an order that needs the state `pending` */
export function pagesOf(
  order: ApprovalOrder,
  selection: Selection,
  cursor: string | null,
  values: StatementValues,
): OrderedPages {
  if ((order === 'expires' || order === 'risk') && selection.state !== 'pending' && selection.mine !== true)
    throw new Fault(
      'request.malformed',
      `the order \`${order}\` is of waiting approvals: send \`state=pending\` with it, or take \`newest\` or \`oldest\``,
      { pointer: '/order' },
    );
  const { columns, direction, at } = ORDERS[order];
  const of = fingerprintOf(selection);
  return {
    after:
      cursor === null
        ? 'true'
        : `(${columns.join(', ')}) ${direction === 'ASC' ? '>' : '<'} (${placeOf(parse(cursor, order, of), order, values)})`,
    orderBy: columns.map((column) => `${column} ${direction}`).join(', '),
    cursorAfter: (row) => CODEC.format({ order, of, risk: row.risk_score, at: at(row), id: row.approval_id }),
  };
}

function placeOf({ risk, at, id }: Static<typeof Position>, order: ApprovalOrder, values: StatementValues): string {
  const place = [`${values.add(at)}::bigint`, `${values.add(id)}::text`];
  return (order === 'risk' ? [`${values.add(risk)}::numeric`, ...place] : place).join(', ');
}

function parse(cursor: string, order: ApprovalOrder, of: string): Static<typeof Position> {
  const position = CODEC.parse(cursor);
  if (position.order === order && position.of === of) return position;
  throw new Fault(
    'request.malformed',
    'the `cursor` is of a list with another order or other filters: repeat those of the page before, or leave it out',
    { pointer: '/cursor' },
  );
}

const fingerprintOf = ({ state, mine, filter = {} }: Selection): string =>
  sha256Hex(utf8Bytes(canonicalJson({ state, mine: mine === true, filter }))).slice(0, 16);
