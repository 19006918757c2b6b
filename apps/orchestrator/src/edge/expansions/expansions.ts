// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { Type, type TObject, type TProperties } from 'typebox';
import type { Identified } from '../access/identified.ts';
import { verifyScope } from '../access/scopes.ts';
import { closed } from '../requests/fields.ts';
import { EXPANDED_ROWS_MAX, type Expansion, type Role, type RouteRow } from '../requests/route.ts';

/** Expansions of one answer that are read at once. */
const PARALLEL = 8;

/** Shows what a route shows, to this caller, from the route's parameters. */
export type ExpansionSource = (caller: Caller, params: Readonly<Record<string, string>>) => Promise<unknown>;

/** The query parameter of a route with these expansions. */
export const Expand = (...names: readonly [string, ...string[]]) =>
  Type.Optional(
    Type.String({
      pattern: `^(${names.join('|')})(,(${names.join('|')}))*$`,
      description: `what to show beside, in the member \`expanded\`, with commas between: \`${names.join('`, `')}\``,
    }),
  );

/**
 * A view with the member `expanded`. @param shown by the names that `expand` accepts
 * @param absent what null means there
 */
export const expandable = <View extends TProperties, Shown extends TProperties>(
  view: TObject<View>,
  shown: Shown,
  absent = 'null: it is not there for you',
) =>
  Type.Object(
    {
      ...view.properties,
      expanded: Type.Optional(Type.Object(shown, { ...closed, description: `what \`expand\` names; ${absent}` })),
    },
    closed,
  );

/** The expansions that a request asks for. */
export interface AskedExpansions {
  readonly names: readonly string[];
  readonly of: Readonly<Record<string, Expansion>>;
}

/**
 * Null where there is none. A parameter that is given twice is refused by who reads the query.
 * @throws Fault `query.invalid`
 */
export function askedExpansions(row: RouteRow, query: unknown): AskedExpansions | null {
  const { expand, limit } = query as { readonly expand?: unknown; readonly limit?: unknown };
  const { expands: of } = row;
  if (of === undefined || typeof expand !== 'string') return null;
  const names = [...new Set(expand.split(','))];
  const unknown = names.find((name) => !Object.hasOwn(of, name));
  if (unknown !== undefined) throw new Fault('query.invalid', unknownExpansion(unknown, Object.keys(of)));
  if (Number(limit) > EXPANDED_ROWS_MAX)
    throw new Fault(
      'query.invalid',
      `with \`expand\` a page has at most ${EXPANDED_ROWS_MAX} rows; ask for fewer with \`limit\``,
    );
  return { names, of };
}

/** Longest name in an answer: it is the caller's. */
const NAME_MAX = 64;

function unknownExpansion(name: string, known: readonly string[]): string {
  const found = name === '' ? 'an empty name' : `\`${name.slice(0, NAME_MAX)}\``;
  return `the query parameter \`expand\` has ${found}; this route expands \`${known.join('`, `')}\``;
}

/**
 * Fault `auth.role` or `auth.insufficient_scope` where the caller may not use the route that shows an expansion.
 * INVARIANT (no way around a route): an expansion asks the same of a caller as its route.
 */
export function verifyExpansions(asked: AskedExpansions, identified: Identified | null, rowOf: RowOf): void {
  for (const name of asked.names) {
    const row = rowOf(asked.of[name]?.route ?? '');
    const role = identified?.caller.role as Role | undefined;
    if (typeof row.allowed === 'string' || role === undefined || identified === null || !row.allowed.includes(role))
      throw new Fault('auth.role', `\`expand=${name}\` needs a role that \`${row.id}\` allows: ${rolesOf(row)}`);
    verifyScope(identified, row);
  }
}

type RowOf = (id: string) => RouteRow;
const rolesOf = ({ allowed }: RouteRow): string =>
  typeof allowed === 'string' ? `\`${allowed}\`` : allowed.map((role) => `\`${role}\``).join(', ');

/** Faults that say that there is nothing to show: not there, not the caller's, or not yet. */
const NOTHING: ReadonlySet<string> = new Set(['not_found', 'receipt.pending']);

type Item = Readonly<Record<string, unknown>>;

/**
 * Reads the expansions of an answer: of each item of a page, or of the one object. What several items name is read
 * once. `charge` is told how many are read, since each stands for a request.
 */
export async function expanded(
  answer: unknown,
  { names, of }: AskedExpansions,
  show: (route: string, params: Readonly<Record<string, string>>) => Promise<unknown>,
  charge: (requests: number) => void,
): Promise<unknown> {
  const { items } = answer as { readonly items?: readonly Item[] };
  const rows = items ?? [answer as Item];
  const found = new Map<string, unknown>();
  const wanted = new Map<string, () => Promise<unknown>>();
  for (const row of rows)
    for (const name of names) {
      const { route, param, member = param, shows } = of[name] as Expansion;
      const id = row[member];
      if (typeof id === 'string')
        wanted.set(`${name} ${id}`, async () => partOf(await show(route, { [param]: id }), shows));
    }
  charge(wanted.size);
  const waiting = [...wanted];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      found.set(next[0], await orNothing(next[1]));
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, waiting.length) }, work));
  const withMember = (row: Item): Item => ({
    ...row,
    expanded: Object.fromEntries(
      names.map((name) => {
        const { param, member = param } = of[name] as Expansion;
        return [name, found.get(`${name} ${String(row[member])}`) ?? null];
      }),
    ),
  });
  return items === undefined ? withMember(answer as Item) : { ...(answer as Item), items: rows.map(withMember) };
}

const partOf = (shown: unknown, member: string | undefined): unknown =>
  member === undefined ? shown : (shown as Item)[member];

async function orNothing(show: () => Promise<unknown>): Promise<unknown> {
  try {
    return await show();
  } catch (error) {
    if (error instanceof Fault && NOTHING.has(error.code)) return null;
    throw error;
  }
}
