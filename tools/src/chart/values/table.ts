// SPDX-License-Identifier: Apache-2.0
import { isMap, isScalar, parseDocument, type Document, type Pair, type YAMLMap } from 'yaml';
import { code, table } from '../../docs/table.ts';

/** One value of the chart, as values.yaml documents it. */
export interface ValueRow {
  /** `kernel.resources` */
  readonly path: string;
  /** As JSON. */
  readonly value: string;
  readonly text: string;
}

/** The start of a value's description, as in helm-docs. */
const MARK = '# -- ';

/** The comment lines before a value, from the mark on; undefined without a mark. */
function textOf(before: string | null | undefined): string | undefined {
  const lines = (before ?? '').split('\n').map((line) => `#${line}`);
  const start = lines.findLastIndex((line) => line.startsWith(MARK));
  return start === -1
    ? undefined
    : [lines[start]?.slice(MARK.length), ...lines.slice(start + 1).map((line) => line.slice(2))].join(' ').trim();
}

/** A map's first value has its comment on the map. */
const commentOf = (pair: Pair, map: YAMLMap, index: number): string | null | undefined =>
  (isScalar(pair.key) ? pair.key.commentBefore : undefined) ?? (index === 0 ? map.commentBefore : undefined);

function rowsOf(map: YAMLMap, path: readonly string[], document: Document): ValueRow[] {
  return map.items.flatMap((pair, index): ValueRow[] => {
    const here = [...path, String(isScalar(pair.key) ? pair.key.value : pair.key)];
    const text = textOf(commentOf(pair, map, index));
    if (text !== undefined) {
      const value = document.getIn(here) as { toJSON?: () => unknown } | null;
      const plain: unknown =
        typeof value === 'object' && value !== null && 'toJSON' in value ? value.toJSON?.() : value;
      return [{ path: here.join('.'), value: JSON.stringify(plain), text }];
    }
    if (isMap(pair.value)) return rowsOf(pair.value, here, document);
    throw new Error(`the value \`${here.join('.')}\` has no comment that begins with \`${MARK.trim()}\``);
  });
}

/** Every value that values.yaml documents. @throws Error for a value without a comment */
export function valueRows(text: string): ValueRow[] {
  const document = parseDocument(text);
  if (!isMap(document.contents)) throw new Error('values.yaml is no map');
  return rowsOf(document.contents, [], document);
}

/** The table of values in the chart's README. */
export const valuesTable = (text: string): string =>
  table(
    ['value', 'default', 'meaning'],
    valueRows(text).map(({ path, value, text: meaning }) => [code(path), code(value), meaning]),
  );

/** The table of the variables allowed in `settings`. */
export const settingsTable = (variables: Readonly<Record<string, Readonly<Record<string, unknown>>>>): string =>
  table(
    ['variable', 'default', 'meaning'],
    Object.entries(variables).map(([name, { default: value, description }]) => [
      code(name),
      value === undefined ? '' : code(JSON.stringify(value)),
      String(description ?? ''),
    ]),
  );
