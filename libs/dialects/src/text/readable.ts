// SPDX-License-Identifier: Apache-2.0
import {
  AUDIO_TRANSCRIBE,
  FS_EDIT,
  FS_EDIT_FILES,
  FS_LIST,
  FS_READ,
  FS_SEARCH,
  FS_WRITE,
  SHELL_RUN,
  SHELL_SESSION,
  VALUE_GET,
  WEB_FETCH,
  WEB_SEARCH,
} from '@writ/contract';

import { cutIn, cutOf, cutResult, headOf, noticeOf, type Cut } from './cut.ts';

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

const entriesText = (result: Result): string =>
  ((result['entries'] ?? []) as readonly Entry[])
    .map(({ path, kind }) => (kind === 'dir' ? `${path}/` : path))
    .join('\n');
const matchesText = (result: Result): string =>
  ((result['matches'] ?? []) as readonly Match[]).map(({ path, line, text }) => `${path}:${line}: ${text}`).join('\n');
const searchResultsText = (result: Result): string =>
  ((result['results'] ?? []) as readonly Found[])
    .map(({ title, url, snippet }) => [title, url, snippet].filter((each) => each !== '').join('\n'))
    .join('\n\n');
/** What was said, what was not heard, and how to go on. Words and their times stay in the result. */
function transcriptText({ text, gaps, audio }: Result): string {
  const missing = ((gaps ?? []) as readonly { readonly start_ms: number; readonly end_ms: number }[])
    .map(({ start_ms, end_ms }) => end_ms - start_ms)
    .reduce((sum, ms) => sum + ms, 0);
  const next = (audio as { readonly next_seq?: unknown } | undefined)?.next_seq;
  return [
    text === '' ? '[nothing was said]' : String(text),
    ...(missing > 0 ? [`[${(missing / 1000).toFixed(1)} s are not in the recording]`] : []),
    ...(typeof next === 'number' ? [`[next_seq ${next}]`] : []),
  ].join('\n');
}
const commandOutput = ({ output }: Result): string => String(output ?? '');

const replacementText = ({ path, replacements }: Result): string =>
  `${String(replacements)} replaced in ${String(path)}`;

/** Formats results as text, by canonical tool. */
const TEXTS: Readonly<Record<string, (result: Result) => string>> = {
  [AUDIO_TRANSCRIBE.tool_id]: transcriptText,
  [FS_READ.tool_id]: (result) =>
    // Where a directory was read, its list came instead.
    'entries' in result ? entriesText(result) : String(result['content']),
  [FS_LIST.tool_id]: entriesText,
  [FS_SEARCH.tool_id]: matchesText,
  [FS_WRITE.tool_id]: ({ path, size, created }) =>
    `${created === true ? 'created' : 'wrote'} ${String(path)}, ${String(size)} bytes`,
  [FS_EDIT.tool_id]: replacementText,
  [FS_EDIT_FILES.tool_id]: ({ files }) => (files as readonly Result[]).map(replacementText).join('\n'),
  [SHELL_RUN.tool_id]: commandOutput,
  [SHELL_SESSION.tool_id]: commandOutput,
  [WEB_FETCH.tool_id]: ({ text }) => String(text),
  [WEB_SEARCH.tool_id]: searchResultsText,
  [VALUE_GET.tool_id]: ({ value, reference }) => String(value ?? reference),
};

/** A result as text for a model. */
export interface Readable {
  /** with a notice if it was cut */
  readonly text: string;
  /** null if it wasn't cut */
  readonly cut: Cut | null;
}

/**
 * A result as text for a model, of about `charsMax` characters: files as their contents, lists one entry per line,
 * everything else as JSON.
 */
export function readable(tool_id: string | null, result: unknown, charsMax: number): Readable {
  const short = cutResult(tool_id, result, charsMax);
  const toText = tool_id !== null && Object.hasOwn(TEXTS, tool_id) ? TEXTS[tool_id] : undefined;
  const whole =
    toText !== undefined && typeof short === 'object' && short !== null
      ? toText(short as Result)
      : ((JSON.stringify(short) as string | undefined) ?? '');
  const head = headOf(whole, charsMax);
  const cut = head === whole ? (cutIn(short) ?? cutList(short, whole)) : (cutIn(short) ?? cutOf(head, whole));
  const isRunning = typeof result === 'object' && (result as { running?: unknown } | null)?.running === true;
  const notes = [...(cut === null ? [] : [noticeOf(cut)]), ...(isRunning ? ['… [the command goes on]'] : [])];
  return { text: [head, ...notes].join('\n'), cut };
}

/** A list that its tool cut: how much more there is, nobody counted. */
function cutList(result: unknown, text: string): Cut | null {
  const isCut = typeof result === 'object' && (result as { truncated?: unknown } | null)?.truncated === true;
  return isCut ? { ...cutOf(text, text), bytes_total: null, lines_total: null } : null;
}
