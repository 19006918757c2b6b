// SPDX-License-Identifier: Apache-2.0
import { isRecord, visit, type SqlFindings, type TreeNode } from './syntax-tree.ts';

/** Nodes of Postgres' tree that drop something, with the SQL name of its kind. */
const DROPS: Readonly<Record<string, string>> = {
  TruncateStmt: 'TRUNCATE',
  DropdbStmt: 'DROP DATABASE',
  DropTableSpaceStmt: 'DROP TABLESPACE',
  DropRoleStmt: 'DROP ROLE',
  DropOwnedStmt: 'DROP OWNED',
  DropSubscriptionStmt: 'DROP SUBSCRIPTION',
  DropUserMappingStmt: 'DROP USER MAPPING',
};
const LOST_PARTS: ReadonlySet<unknown> = new Set(['AT_DropColumn', 'AT_DropConstraint']);
/** Functions that run a text as a statement, here or on another server. */
const RUN_TEXT = new Set([
  'dblink',
  'dblink_exec',
  'dblink_send_query',
  'query_to_xml',
  'query_to_json',
  'query_to_xml_and_xmlschema',
  'ts_stat',
  'run_command_on_workers',
  'run_command_on_shards',
]);
/** Functions that change or delete files of the server. */
const TOUCH_FILES = new Set([
  'pg_file_unlink',
  'pg_file_write',
  'pg_file_rename',
  'lo_export',
  'lo_unlink',
  'pg_drop_replication_slot',
  'pg_logical_slot_get_changes',
]);

/** The effects of the statements in a tree of Postgres' own parser. */
export function postgresFindings(tree: TreeNode): SqlFindings {
  const losses: string[] = [];
  const programs: string[] = [];
  const texts: string[] = [];
  const unread: string[] = [];
  visit(tree, (node) => {
    for (const [kind, value] of Object.entries(node)) {
      if (!isRecord(value)) continue;
      if (kind === 'ExplainStmt' && !analyzes(value)) return false;
      const loss = lossOf(kind, value);
      if (loss !== undefined) losses.push(loss);
      if (kind === 'CopyStmt' && value['is_program'] === true) programs.push(String(value['filename'] ?? ''));
      if (kind === 'DoStmt') {
        texts.push(...stringsOf(value));
        unread.push('a block of code');
      }
      if (kind === 'CallStmt') unread.push('a procedure');
      if (kind === 'LoadStmt') unread.push('code of a file');
      if (kind === 'AlterSystemStmt') unread.push('settings of the server');
      if (kind === 'FuncCall') noteFunction(value, { texts, unread });
    }
    return true;
  });
  return { losses, programs, texts, unread: unread[0] };
}

function lossOf(kind: string, value: TreeNode): string | undefined {
  if (kind in DROPS) return DROPS[kind];
  if (kind === 'DeleteStmt' && isAll(value['whereClause'])) return 'DELETE of all rows';
  if (kind === 'UpdateStmt' && isAll(value['whereClause'])) return 'UPDATE of all rows';
  if (kind === 'DropStmt' && !namesTemporary(value)) return 'DROP';
  if (kind === 'AlterTableCmd' && LOST_PARTS.has(value['subtype'])) return 'ALTER … DROP';
  if (kind === 'MergeStmt' && mergesAway(value)) return 'MERGE that deletes';
  return undefined;
}

/** Temporary tables are named accordingly, and are in a schema of that name. */
const namesTemporary = (value: TreeNode): boolean => {
  const names = stringsOf(value['objects']);
  return names.length > 0 && (names[0] === 'pg_temp' || names.every((name) => /^te?mp_/i.test(name)));
};

/** A deletion for each matching row; only a condition of its own restricts it. */
function mergesAway(value: TreeNode): boolean {
  const actions = (Array.isArray(value['mergeWhenClauses']) ? value['mergeWhenClauses'] : []) as readonly unknown[];
  const all = isAll(value['joinCondition']);
  return actions.some((action) => {
    const clause = isRecord(action) && isRecord(action['MergeWhenClause']) ? action['MergeWhenClause'] : undefined;
    const command = clause?.['commandType'];
    return command === 'CMD_DELETE'
      ? all || isAll(clause?.['condition'])
      : command === 'CMD_UPDATE' && all && isAll(clause?.['condition']);
  });
}

const analyzes = (value: TreeNode): boolean => {
  const options = (Array.isArray(value['options']) ? value['options'] : []) as readonly unknown[];
  return options.some(
    (option) => isRecord(option) && isRecord(option['DefElem']) && option['DefElem']['defname'] === 'analyze',
  );
};

/** Levels of a condition that are examined. */
const DEPTH_MAX = 50;

/** Answers whether a condition selects all rows: there is none, or it is the same for each. */
export function isAll(condition: unknown, depth = 0): boolean {
  // A real condition has far fewer levels.
  if (condition === undefined || condition === null || depth > DEPTH_MAX) return true;
  if (!isRecord(condition)) return false;
  const constant = condition['A_Const'];
  if (isRecord(constant)) return isRecord(constant['boolval']) && constant['boolval']['boolval'] === true;
  // A condition without a column is the same for each row.
  if (!mentions('ColumnRef', condition)) return true;
  const cast = condition['TypeCast'];
  if (isRecord(cast)) return isAll(cast['arg'], depth + 1);
  const compared = condition['A_Expr'];
  if (isRecord(compared)) return isSame(compared['lexpr'], compared['rexpr']);
  const joined = condition['BoolExpr'];
  if (!isRecord(joined) || !Array.isArray(joined['args'])) return false;
  const args = joined['args'] as readonly unknown[];
  if (joined['boolop'] === 'OR_EXPR') return args.some((arg) => isAll(arg, depth + 1));
  return joined['boolop'] === 'AND_EXPR' && args.every((arg) => isAll(arg, depth + 1));
}

const isSame = (a: unknown, b: unknown): boolean =>
  isRecord(a) &&
  isRecord(b) &&
  'ColumnRef' in a &&
  'ColumnRef' in b &&
  spelled(a['ColumnRef']) === spelled(b['ColumnRef']);
/** Without positions in the text, which differ. */
const spelled = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => (key === 'location' ? undefined : inner));

function mentions(kind: string, value: unknown): boolean {
  let found = false;
  visit(value, (node) => {
    found ||= kind in node;
    return !found;
  });
  return found;
}

function noteFunction(call: TreeNode, { texts, unread }: { texts: string[]; unread: string[] }): void {
  const name = stringsOf(call['funcname']).at(-1)?.toLowerCase() ?? '';
  if (TOUCH_FILES.has(name)) unread.push(name);
  if (!RUN_TEXT.has(name)) return;
  const given = stringsOf(call['args']);
  texts.push(...given);
  if (given.length === 0) unread.push(name);
}

/** The strings and names below a value, in order. */
function stringsOf(value: unknown): readonly string[] {
  const found: string[] = [];
  visit(value, (node) => {
    for (const key of ['sval', 'str'] as const) if (typeof node[key] === 'string') found.push(node[key]);
    return true;
  });
  return found;
}
