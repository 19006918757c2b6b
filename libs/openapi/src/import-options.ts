// SPDX-License-Identifier: Apache-2.0
import type { ToolCategory } from '@writ/contract';

/** What the importer decides. Operations are named by the last part of their tool's name. */
export interface ImportOptions {
  /** the part of the tools' names between `api.` and the operation */
  readonly name: string;
  /** absent: the one server of the document */
  readonly server?: string;
  readonly server_variables: Readonly<Record<string, string>>;
  /** names of secrets of the tenant, by security scheme */
  readonly secrets: Readonly<Record<string, string>>;
  /** categories by operation, in place of that of the method */
  readonly categories: Readonly<Record<string, ToolCategory>>;
  /** by operation: the header by which the API drops a repeated request */
  readonly idempotency_headers: Readonly<Record<string, string>>;
  /** operations to import, of which each may end in `*`; empty: all */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** whether deprecated operations are imported */
  readonly deprecated: boolean;
  /** of each call, in milliseconds */
  readonly timeout_ms: number;
}
