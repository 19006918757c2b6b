// SPDX-License-Identifier: Apache-2.0
import {
  FS_EDIT,
  FS_EDIT_FILES,
  FS_LIST,
  FS_READ,
  FS_SEARCH,
  FS_WRITE,
  NOT_AVAILABLE,
  SHELL_RUN,
  SHELL_SESSION,
  VALUE_GET,
  WEB_FETCH,
} from '@writ/contract';

interface Entry {
  readonly path: string;
  readonly kind: string;
}
interface Found {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}
interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}
type Result = Readonly<Record<string, unknown>>;

const cut = ({ truncated }: Result, text: string): string =>
  truncated === true ? `${text}\n… [cut: there is more]` : text;
const listed = (result: Result): string =>
  cut(
    result,
    ((result['entries'] ?? []) as readonly Entry[])
      .map(({ path, kind }) => (kind === 'dir' ? `${path}/` : path))
      .join('\n'),
  );
const matched = (result: Result): string =>
  cut(
    result,
    ((result['matches'] ?? []) as readonly Match[])
      .map(({ path, line, text }) => `${path}:${line}: ${text}`)
      .join('\n'),
  );
const searched = (result: Result): string =>
  cut(
    result,
    ((result['results'] ?? []) as readonly Found[])
      .map(({ title, url, snippet }) => [title, url, snippet].filter((each) => each !== '').join('\n'))
      .join('\n\n'),
  );
const said = (result: Result): string => {
  const { output, truncated_bytes, running } = result;
  const notes = [
    ...(Number(truncated_bytes) > 0 ? [`… [${String(truncated_bytes)} bytes cut]`] : []),
    ...(running === true ? ['… [the command goes on]'] : []),
  ];
  return [String(output ?? ''), ...notes].join('\n');
};

const replaced = ({ path, replacements }: Result): string => `${String(replacements)} replaced in ${String(path)}`;

/** How results read as text, by canonical tool. */
const TEXTS: Readonly<Record<string, (result: Result) => string>> = {
  [FS_READ.tool_id]: (result) => cut(result, String(result['content'])),
  [FS_LIST.tool_id]: listed,
  [FS_SEARCH.tool_id]: matched,
  [FS_WRITE.tool_id]: ({ path, size, created }) =>
    `${created === true ? 'created' : 'wrote'} ${String(path)}, ${String(size)} bytes`,
  [FS_EDIT.tool_id]: replaced,
  [FS_EDIT_FILES.tool_id]: ({ files }) => (files as readonly Result[]).map(replaced).join('\n'),
  [SHELL_RUN.tool_id]: said,
  [SHELL_SESSION.tool_id]: said,
  [WEB_FETCH.tool_id]: (result) => cut(result, String(result['text'])),
  [NOT_AVAILABLE.searchWeb]: searched,
  [VALUE_GET.tool_id]: ({ value, reference }) => String(value ?? reference),
};

/**
 * A result as a model reads it where the dialect has text: files as their contents, lists a line each, all else as
 * JSON.
 */
export function readable(tool_id: string | null, result: unknown): string {
  const text = tool_id !== null && Object.hasOwn(TEXTS, tool_id) ? TEXTS[tool_id] : undefined;
  return text !== undefined && typeof result === 'object' && result !== null
    ? text(result as Result)
    : ((JSON.stringify(result) as string | undefined) ?? '');
}
