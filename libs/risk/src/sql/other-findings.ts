// SPDX-License-Identifier: Apache-2.0
import { isRecord, visit, type SqlFindings, type TreeNode } from './syntax-tree.ts';

/** The effects of the statements in a tree of node-sql-parser, of any dialect. */
export function otherFindings(tree: unknown): SqlFindings {
  const losses: string[] = [];
  const texts: string[] = [];
  const unread: string[] = [];
  visit(tree, (node) => {
    const loss = lossOf(node);
    if (loss !== undefined) losses.push(loss);
    if (node['type'] === 'call' || node['type'] === 'exec' || node['type'] === 'execute') unread.push('a procedure');
    return true;
  });
  return { losses, programs: [], texts, unread: unread[0] };
}

function lossOf(node: TreeNode): string | undefined {
  switch (node['type']) {
    case 'delete':
      return isAll(node['where']) ? 'DELETE of all rows' : undefined;
    case 'update':
      return 'set' in node && isAll(node['where']) ? 'UPDATE of all rows' : undefined;
    case 'truncate':
      return 'TRUNCATE';
    case 'drop':
      return 'keyword' in node && !namesTemporary(node) ? `DROP ${String(node['keyword']).toUpperCase()}` : undefined;
    default: {
      const part = String(node['resource'] ?? node['keyword']);
      return node['action'] === 'drop' && PARTS.has(part) ? 'ALTER … DROP' : undefined;
    }
  }
}

/** Parts dropped by `ALTER TABLE` that hold rows, or constrain them. */
const PARTS = new Set(['column', 'constraint', 'partition', 'key', 'algorithm', 'index']);

const namesTemporary = (node: TreeNode): boolean => {
  const names = Array.isArray(node['name']) ? (node['name'] as readonly unknown[]) : [];
  return (
    names.length > 0 && names.every((name) => isRecord(name) && /^(?:te?mp_|#)/i.test(String(name['table'] ?? '')))
  );
};

/** Levels of a condition that are examined. */
const DEPTH_MAX = 400;

/** Answers whether a condition selects all rows: there is none, or it is the same for each. */
function isAll(condition: unknown, depth = 0): boolean {
  // A real condition has far fewer levels.
  if (condition === undefined || condition === null || depth > DEPTH_MAX) return true;
  if (!isRecord(condition)) return false;
  if (CONSTANTS.has(String(condition['type'])))
    return condition['value'] !== 0 && condition['value'] !== false && condition['value'] !== null;
  // A condition without a column is the same for each row.
  if (!mentionsColumns(condition)) return true;
  if (condition['type'] !== 'binary_expr') return false;
  const { left, right } = condition;
  if (condition['operator'] === 'OR') return isAll(left, depth + 1) || isAll(right, depth + 1);
  if (condition['operator'] === 'AND') return isAll(left, depth + 1) && isAll(right, depth + 1);
  return isColumn(left) && isColumn(right) && spelled(left) === spelled(right);
}

const CONSTANTS = new Set(['bool', 'number', 'string', 'single_quote_string', 'double_quote_string', 'bigint']);
function mentionsColumns(value: unknown): boolean {
  let found = false;
  visit(value, (node) => {
    found ||= node['type'] === 'column_ref';
    return !found;
  });
  return found;
}

const isColumn = (value: unknown): boolean => isRecord(value) && value['type'] === 'column_ref';
/** Without positions in the text, which differ. */
const spelled = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => (key === 'loc' ? undefined : inner));
