// SPDX-License-Identifier: Apache-2.0
import { otherFindings } from './other-findings.ts';
import type { SqlTree } from './parser.ts';
import { postgresFindings } from './postgres-findings.ts';
import { isRecord, type SqlFindings } from './syntax-tree.ts';

/** What the statement does. Trees of Postgres are told by their list of statements. */
export const findingsOf = (tree: SqlTree): SqlFindings =>
  isRecord(tree) && Array.isArray(tree['stmts']) ? postgresFindings(tree) : otherFindings(tree);
