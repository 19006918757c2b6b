// SPDX-License-Identifier: Apache-2.0
import { connect, type SchemaName, type SqlReturns } from '@writ/database';

/** A function of a schema, as the database has it. */
export interface CatalogFunction {
  readonly name: string;
  /** The caller's parameters, in order: the name without the prefix `p_`, and the type. */
  readonly parameters: readonly (readonly [name: string, type: string])[];
  readonly hasDefaults: boolean;
  readonly returns: SqlReturns | 'trigger';
  /** Login roles that may call it. */
  readonly roles: readonly string[];
  /** SQLSTATEs and names of conditions that it and the functions that it calls raise. */
  readonly errors: readonly string[];
  /** Whether another function, a trigger, an index, a default or a policy calls it. */
  readonly isUsed: boolean;
}

interface FunctionRow {
  readonly name: string;
  readonly arguments: readonly (readonly [name: string, type: string, mode: string])[];
  readonly defaults: number;
  readonly set: boolean;
  readonly composite: boolean;
  readonly type: string;
  readonly body: string;
  readonly roles: readonly string[];
}

interface ElsewhereRow {
  readonly schema: string;
  readonly name: string;
  readonly body: string;
}

interface TriggerRow {
  readonly table: string;
  readonly calls: string;
  readonly definition: string;
  /** The columns of an UPDATE trigger; empty for a trigger on all columns. */
  readonly columns: readonly string[];
}

const FUNCTIONS = `SELECT p.proname AS name, p.pronargdefaults AS defaults, p.proretset AS set, p.prosrc AS body,
    t.typname AS type, t.typtype = 'c' OR cardinality(coalesce(p.proargmodes, '{}')) > 0 AS composite,
    coalesce((SELECT json_agg(json_build_array(coalesce(p.proargnames[n], ''), format_type(a.type, NULL), coalesce(p.proargmodes[n]::text, 'i')) ORDER BY n)
      FROM unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) WITH ORDINALITY AS a(type, n)), '[]') AS arguments,
    coalesce((SELECT json_agg(DISTINCT x.grantee::regrole::text) FROM aclexplode(p.proacl) x
      WHERE x.grantee <> 0 AND x.grantee <> p.proowner), '[]') AS roles
  FROM pg_proc p JOIN pg_type t ON t.oid = p.prorettype
  WHERE p.pronamespace = $1::regnamespace AND p.prokind = 'f' ORDER BY p.proname`;

/** The functions of other schemas, which a function can call by their full names. */
const ELSEWHERE = `SELECT n.nspname AS schema, p.proname AS name, p.prosrc AS body
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
  WHERE n.nspname <> $1 AND n.nspname !~ '^(pg_|information_schema$)' AND p.prokind = 'f' AND l.lanname IN ('sql', 'plpgsql')`;

const TRIGGERS = `SELECT c.relname AS "table", p.proname AS calls, pg_get_triggerdef(t.oid) AS definition,
    coalesce((SELECT json_agg(a.attname) FROM pg_attribute a WHERE a.attrelid = t.tgrelid AND a.attnum = ANY (t.tgattr)), '[]') AS columns
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
  WHERE c.relnamespace = $1::regnamespace AND NOT t.tgisinternal`;

/** Other parts of a schema that may call a function: defaults, policies, checks and indexes. */
const EXPRESSIONS = `SELECT pg_get_expr(d.adbin, d.adrelid) AS text FROM pg_attrdef d JOIN pg_class c ON c.oid = d.adrelid AND c.relnamespace = $1::regnamespace
  UNION ALL SELECT concat(pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid AND c.relnamespace = $1::regnamespace
  UNION ALL SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k WHERE k.connamespace = $1::regnamespace
  UNION ALL SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = $1::regnamespace`;

/**
 * The functions of a schema, by their names. The functions and errors that each one uses are read from its text: a name
 * of the schema followed by a parenthesis, a full name of another schema, triggers on the columns that it writes,
 * `RAISE EXCEPTION`, `INTO STRICT`.
 *
 * Not covered: a trigger's WHEN, an update on a conflict, and errors that PostgreSQL raises itself, such as a violated
 * constraint.
 */
export async function functionCatalog(url: string, schema: SchemaName): Promise<ReadonlyMap<string, CatalogFunction>> {
  const client = await connect(url, 'writ-test');
  try {
    const { rows } = await client.query<FunctionRow>(FUNCTIONS, [schema]);
    const triggers = (await client.query<TriggerRow>(TRIGGERS, [schema])).rows;
    const expressions = (await client.query<{ text: string }>(EXPRESSIONS, [schema])).rows.map(({ text }) => text);
    const elsewhere = (await client.query<ElsewhereRow>(ELSEWHERE, [schema])).rows;
    return catalogFrom(schema, rows, { triggers, expressions, elsewhere });
  } finally {
    await client.end();
  }
}

interface CatalogParts {
  readonly triggers: readonly TriggerRow[];
  readonly expressions: readonly string[];
  readonly elsewhere: readonly ElsewhereRow[];
}

function catalogFrom(
  schema: string,
  rows: readonly FunctionRow[],
  { triggers, expressions, elsewhere }: CatalogParts,
): ReadonlyMap<string, CatalogFunction> {
  const bodies = new Map(rows.map(({ name, body }) => [name, withoutComments(body)]));
  const calls = new Map([...bodies].map(([name, body]) => [name, calledIn(schema, body, bodies, triggers)]));
  const reach = withElsewhere(bodies, calls, elsewhere);
  const outside = [...expressions, ...triggers.map(({ definition }) => definition)].join('\n');
  return new Map(
    rows.map((row) => [
      row.name,
      {
        name: row.name,
        parameters: row.arguments
          .filter(([, , mode]) => mode === 'i' || mode === 'b' || mode === 'v')
          .map(([name, type]) => [name.replace(/^p_/, ''), type] as const),
        hasDefaults: row.defaults > 0,
        returns: returnsOf(row),
        roles: row.roles,
        errors: errorsOf(row.name, reach.bodies, reach.calls),
        isUsed:
          namesIn(outside).has(row.name) ||
          [...calls].some(([caller, called]) => caller !== row.name && called.has(row.name)),
      },
    ]),
  );
}

/** The same bodies and calls with the functions of other schemas, under their full names. */
function withElsewhere(
  bodies: ReadonlyMap<string, string>,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
  elsewhere: readonly ElsewhereRow[],
): { readonly bodies: ReadonlyMap<string, string>; readonly calls: ReadonlyMap<string, ReadonlySet<string>> } {
  const others = elsewhere.map(({ schema, name, body }) => ({
    schema,
    fullName: `${schema}.${name}`,
    body: withoutComments(body),
  }));
  const known = new Set(others.map(({ fullName }) => fullName));
  const full = (names: Iterable<string>): string[] => [...names].filter((name) => known.has(name));
  return {
    bodies: new Map([...bodies, ...others.map(({ fullName, body }) => [fullName, body] as const)]),
    calls: new Map([
      ...[...calls].map(([name, called]) => {
        const fullNames = full(fullNamesIn(bodies.get(name) ?? ''));
        return [name, new Set([...called, ...fullNames])] as const;
      }),
      ...others.map(({ schema, fullName, body }) => {
        const own = [...namesIn(body)].map((name) => `${schema}.${name}`);
        return [fullName, new Set(full([...own, ...fullNamesIn(body)]))] as const;
      }),
    ]),
  };
}

/** The full names that a body calls. */
const fullNamesIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/\b([a-z_0-9]+\.[a-z_0-9]+)\(/g)].map(([, name = '']) => name));

function returnsOf({ set, composite, type }: FunctionRow): CatalogFunction['returns'] {
  if (type === 'trigger') return 'trigger';
  if (type === 'void') return 'nothing';
  return set ? 'rows' : composite ? 'row' : 'value';
}

const withoutComments = (body: string): string => body.replace(/--[^\n]*/g, '').replace(/\/\*[^]*?\*\//g, '');

/** Names followed by a parenthesis without a space: our files write calls, and nothing else, in this way. */
const namesIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/\b([a-z_0-9]+)\(/g)].map(([, name = '']) => name));

/** The functions that a body calls, directly or by triggers of tables that it writes. */
function calledIn(
  schema: string,
  body: string,
  bodies: ReadonlyMap<string, string>,
  triggers: readonly TriggerRow[],
): ReadonlySet<string> {
  const called = new Set([...namesIn(body)].filter((name) => bodies.has(name)));
  for (const trigger of triggers) if (fires(schema, body, trigger)) called.add(trigger.calls);
  return called;
}

/** Answers whether the body writes the table in a way that fires the trigger. Its WHEN isn't checked. */
function fires(schema: string, body: string, { table, definition, columns }: TriggerRow): boolean {
  const [, events = ''] = /^CREATE (?:CONSTRAINT )?TRIGGER \S+ (?:BEFORE|AFTER) (.*?) ON /.exec(definition) ?? [];
  const of = `(?:${schema}\\.)?${table}\\b`;
  if (/\bINSERT\b/.test(events) && new RegExp(`\\bINSERT INTO ${of}`).test(body)) return true;
  if (/\bDELETE\b/.test(events) && new RegExp(`\\bDELETE FROM ${of}`).test(body)) return true;
  if (!/\bUPDATE\b/.test(events)) return false;
  const updates = [...body.matchAll(new RegExp(`\\bUPDATE ${of}[^;]*?\\bSET\\b([^;]*)`, 'g'))].map(([, rest = '']) =>
    assignments(rest),
  );
  return columns.length === 0
    ? updates.length > 0
    : updates.some((set) => columns.some((column) => new RegExp(`\\b${column}\\b\\s*=`).test(set)));
}

/** The text after SET up to the next clause, without anything in parentheses. */
function assignments(rest: string): string {
  let flat = rest;
  for (let before = ''; before !== flat;) {
    before = flat;
    flat = flat.replace(/\([^()]*\)/g, '');
  }
  return flat.replace(/\b(?:FROM|WHERE|RETURNING)\b[^]*/, '');
}

/** A body that catches every error is assumed to pass none of its callees' errors on. */
function errorsOf(
  name: string,
  bodies: ReadonlyMap<string, string>,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const reached = new Set([name]);
  const catches = (one: string): boolean => /\bEXCEPTION\s+WHEN OTHERS\b/.test(bodies.get(one) ?? '');
  for (const one of reached) if (!catches(one)) for (const called of calls.get(one) ?? []) reached.add(called);
  return [...new Set([...reached].flatMap((one) => raisedIn(bodies.get(one) ?? '')))].sort();
}

function raisedIn(body: string): string[] {
  const raised = [...body.matchAll(/\bRAISE EXCEPTION\b([^;]*)/g)].map(
    ([, how = '']) => /ERRCODE = '(\w+)'/.exec(how)?.[1] ?? 'raise_exception',
  );
  return /\bINTO STRICT\b/.test(body) ? [...raised, 'no_data_found'] : raised;
}
