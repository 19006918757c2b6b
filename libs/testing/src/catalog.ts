// SPDX-License-Identifier: Apache-2.0
import { connect, type SchemaName } from '@writ/database';

/** Tables that record what was applied, which are in no file of a schema. */
const OF_FILES = `c.relname NOT IN ('_prisma_migrations', 'applied_migration', 'applied_function')`;
const OF_CLASS = `pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = $1 AND ${OF_FILES}`;

/**
 * Queries for the content of a schema, one for each kind of object. They ignore the order of columns, on which no
 * statement depends, and comments, which are in the files.
 */
const FACTS: Readonly<Record<string, string>> = {
  schema: `SELECT n.nspowner::regrole, n.nspacl::text FROM pg_namespace n WHERE n.nspname = $1`,
  table: `SELECT c.oid::regclass, c.relkind, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity, c.reloptions::text, c.relowner::regrole,
      pg_get_partkeydef(c.oid), pg_get_expr(c.relpartbound, c.oid), (SELECT string_agg(i.inhparent::regclass::text, ',') FROM pg_inherits i WHERE i.inhrelid = c.oid)
    FROM ${OF_CLASS} WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')`,
  storage: `SELECT c.oid::regclass, t.reloptions::text FROM ${OF_CLASS} JOIN pg_class t ON t.oid = c.reltoastrelid WHERE t.reloptions IS NOT NULL`,
  grant: `SELECT c.oid::regclass, x.grantee::regrole, x.privilege_type, x.is_grantable FROM ${OF_CLASS}, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) x
    WHERE c.relkind IN ('r', 'p', 'v', 'S') AND x.grantee <> c.relowner`,
  column: `SELECT c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated,
      a.attstorage, a.attcompression, a.attstattarget, a.attoptions::text, o.collname
    FROM ${OF_CLASS} JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum LEFT JOIN pg_collation o ON o.oid = a.attcollation WHERE c.relkind IN ('r', 'p', 'v', 'm')`,
  'column grant': `SELECT c.oid::regclass, a.attname, x.grantee::regrole, x.privilege_type FROM ${OF_CLASS}
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped, aclexplode(a.attacl) x`,
  constraint: `SELECT c.oid::regclass, k.conname, k.contype, pg_get_constraintdef(k.oid), k.convalidated, k.condeferrable FROM ${OF_CLASS} JOIN pg_constraint k ON k.conrelid = c.oid`,
  index: `SELECT c.oid::regclass, pg_get_indexdef(i.indexrelid), x.reloptions::text, i.indisvalid FROM ${OF_CLASS} JOIN pg_index i ON i.indrelid = c.oid JOIN pg_class x ON x.oid = i.indexrelid`,
  policy: `SELECT c.oid::regclass, p.polname, p.polcmd, p.polpermissive, (SELECT string_agg(r.rolname, ',' ORDER BY r.rolname) FROM pg_roles r WHERE r.oid = ANY (p.polroles)),
      pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid) FROM ${OF_CLASS} JOIN pg_policy p ON p.polrelid = c.oid`,
  trigger: `SELECT pg_get_triggerdef(t.oid), t.tgenabled FROM ${OF_CLASS} JOIN pg_trigger t ON t.tgrelid = c.oid AND NOT t.tgisinternal`,
  function: `SELECT p.oid::regprocedure, p.proowner::regrole, regexp_replace(pg_get_functiondef(p.oid), '\\s*--[^\\n]*', '', 'g')
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace AND n.nspname = $1`,
  'function grant': `SELECT p.oid::regprocedure, CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE x.grantee::regrole::text END, x.privilege_type
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace AND n.nspname = $1, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x WHERE x.grantee <> p.proowner`,
  statistics: `SELECT pg_get_statisticsobjdef(s.oid), s.stxowner::regrole FROM pg_statistic_ext s JOIN pg_namespace n ON n.oid = s.stxnamespace AND n.nspname = $1`,
};

/** The content of a schema, as sorted lines. Two databases are alike where their lines are equal. */
export async function catalogOf(url: string, schema: SchemaName): Promise<string[]> {
  const client = await connect(url, 'writ-test');
  try {
    const lines: string[] = [];
    for (const [kind, text] of Object.entries(FACTS)) {
      const { rows } = await client.query<unknown[]>({ text, values: [schema], rowMode: 'array' });
      lines.push(...rows.map((row) => `${kind} ${row.map((value) => String(value)).join(' | ')}`));
    }
    return lines.sort();
  } finally {
    await client.end();
  }
}
