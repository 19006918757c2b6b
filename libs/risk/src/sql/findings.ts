// SPDX-License-Identifier: Apache-2.0
import { otherFindings } from './other-findings.ts';
import type { SqlTree } from './parser.ts';
import { postgresFindings } from './postgres-findings.ts';
import { isRecord, type SqlFindings } from './syntax-tree.ts';

/** The effects of the statement. Trees of Postgres are recognized by their list of statements. */
export const findingsOf = (tree: SqlTree): SqlFindings =>
  isRecord(tree) && Array.isArray(tree['stmts']) ? postgresFindings(tree) : otherFindings(tree);
