// SPDX-License-Identifier: Apache-2.0
import { searchUrl, type SearchEngineSettings } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { parseUrl } from '@writ/egress';
import type { CallGate, Headers } from '../egress/call-gate.ts';
import { exchange } from '../egress/exchange.ts';
import { GateRefusal } from '../egress/gate-refusal.ts';
import { readBody } from './read-body.ts';
import type { Call } from '../calls/runner.ts';

/** Several times the answer of an engine to one search. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;
const RESULTS_DEFAULT = 10;
/** The longest members of each result, in characters: short enough for a model to read. */
const CHARS_MAX = { title: 300, url: 2_048, snippet: 1_000 } as const;

const DEFAULT_HEADERS: Headers = [
  ['accept', 'application/json'],
  ['accept-encoding', 'identity'],
  ['user-agent', 'writ'],
];

interface SearchArgs {
  readonly query: string;
  readonly max_results?: number;
}

interface Result {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/**
 * Runs `web.search` at the search engine of the call. The answer is attacker-controlled, and malformed results are left
 * out.
 */
export async function webSearch({ args, resources: [engine] }: Call, gate: CallGate): Promise<unknown> {
  if (engine === undefined) throw new Error('a search came without its search engine');
  const { max_results: resultsMax = RESULTS_DEFAULT } = args as unknown as SearchArgs;
  const target = parseUrl(searchUrl(engine.settings as SearchEngineSettings, args));
  const admitted = await gate.admit('GET', target, '');
  const answer = await exchange(admitted, { method: 'GET', target, headers: DEFAULT_HEADERS, body: null });
  try {
    const status = answer.statusCode ?? 0;
    // Redirects are not followed: an administrator named this host and no other.
    if (status !== 200)
      throw new GateRefusal(
        'egress.failed',
        `the search engine answered ${status}`,
        status === 403 ? "SearXNG answers so where its settings don't list the format `json`" : null,
      );
    const { bytes, truncated } = await readBody(answer, ANSWER_BYTES_MAX);
    if (truncated)
      throw new GateRefusal('egress.failed', `the search engine answered with more than ${ANSWER_BYTES_MAX} bytes`);
    const found = resultsIn(bytes);
    return { results: found.slice(0, resultsMax), truncated: found.length > resultsMax };
  } finally {
    admitted.connection.destroy();
  }
}

function resultsIn(bytes: Uint8Array): Result[] {
  const { results } = (parsed(bytes) ?? {}) as { readonly results?: unknown };
  if (!Array.isArray(results))
    throw new GateRefusal('egress.failed', "the search engine's answer has no list of results");
  return results.flatMap(resultOf);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new GateRefusal('egress.failed', "the search engine's answer is no JSON", null, { cause });
  }
}

function resultOf(found: unknown): Result[] {
  const { title, url, content } = (typeof found === 'object' && found !== null ? found : {}) as Readonly<
    Record<string, unknown>
  >;
  // Other schemes can't be read, and a truncated URL would lead elsewhere.
  if (typeof url !== 'string' || url.length > CHARS_MAX.url || !/^https?:\/\//i.test(url)) return [];
  return [
    {
      title: textOf(title, CHARS_MAX.title),
      url: textOf(url, CHARS_MAX.url),
      snippet: textOf(content, CHARS_MAX.snippet),
    },
  ];
}

const textOf = (text: unknown, most: number): string =>
  typeof text === 'string' ? text.slice(0, most).replaceAll('\0', '\uFFFD').toWellFormed() : '';
