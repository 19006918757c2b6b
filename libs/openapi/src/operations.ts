// SPDX-License-Identifier: Apache-2.0
import type { HttpTool, ToolCategory } from '@writ/contract';
import { isObject, type Json } from './read-document.ts';
import { memberOf, membersOf, type Located } from './references.ts';

export type Method = HttpTool['method'];

/** An operation of the document, before it is read. */
export interface FoundOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Located<Json>;
  readonly item: Located;
  /** the last part of the tool's name; null where it can't be one */
  readonly name: string | null;
  readonly isDeprecated: boolean;
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace', 'query'] as const;
const SENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

export const isSentMethod = (method: string): method is Method => SENT.has(method);

/** The operations of a document, in its order. `resolvePath`: the path item that one refers to. */
export function operationsOf(root: Json, resolvePath: (item: Located) => Located): FoundOperation[] {
  return membersOf(memberOf({ value: root, pointer: '' }, 'paths')).flatMap(([path, written]) => {
    if (path.startsWith('x-')) return [];
    const item = resolvePath(written);
    return METHODS.flatMap((method) => {
      const operation = memberOf(item, method);
      if (!isObject(operation.value)) return [];
      const upper = method.toUpperCase();
      return [
        {
          method: upper,
          path,
          operation: { value: operation.value, pointer: operation.pointer },
          item,
          name: nameOf(operation.value['operationId'], method, path),
          isDeprecated: operation.value['deprecated'] === true,
        },
      ];
    });
  });
}

/** `operationId`, else method and path: `get_orders_by_id`. Characters that no name of a tool has become `_`. */
function nameOf(id: unknown, method: string, path: string): string | null {
  const written = typeof id === 'string' && id !== '' ? id : `${method}${path.replaceAll(/\{([^{}]+)\}/g, 'by_$1')}`;
  const name = written
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[._]+|[._]+$/g, '');
  return name === '' ? null : name;
}

/**
 * What kind of call an operation is, unless the importer says otherwise. `DELETE` is `admin`: nothing that Writ keeps
 * could bring back what it removes at the other side.
 */
export function categoryOf(method: Method): ToolCategory {
  if (method === 'GET' || method === 'HEAD') return 'read';
  return method === 'DELETE' ? 'admin' : 'write';
}

/** Whether a list of names, of which each may end in `*`, has a name. */
export const isListed = (list: readonly string[], name: string): boolean =>
  list.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : entry === name));
