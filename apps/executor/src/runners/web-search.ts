// SPDX-License-Identifier: Apache-2.0
import { searchUrl, type SearchProvider } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { parseUrl } from '@writ/egress';
import type { CallGate, Headers } from '../egress/call-gate.ts';
import { exchange } from '../egress/exchange.ts';
import { GateRefusal } from '../egress/gate-error.ts';
import { readBody } from './read-body.ts';
import type { Call } from '../calls/runner.ts';

/** What a provider says in answer to one search, several times over. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;
const RESULTS = 10;
/** In characters, of each result: what a model is told in a few words. */
const MOST = { title: 300, url: 2_048, snippet: 1_000 } as const;

const OWN_HEADERS: Headers = [
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
 * Runs `web.search` at the tenant's provider. The answer is attacker-controlled: what in it is no result is left out.
 * @throws GateRefusal, TargetError
 */
export async function webSearch({ args }: Call, provider: SearchProvider, gate: CallGate): Promise<unknown> {
  const { max_results: most = RESULTS } = args as unknown as SearchArgs;
  const target = parseUrl(searchUrl(provider, args));
  const passage = await gate.admit('GET', target, '');
  const answer = await exchange(passage, { method: 'GET', target, headers: OWN_HEADERS, body: null });
  try {
    const status = answer.statusCode ?? 0;
    // It isn't followed elsewhere: an administrator named this host and no other.
    if (status !== 200)
      throw new GateRefusal(
        'egress.failed',
        `the search provider answered ${status}`,
        status === 403 ? "SearXNG answers so where its settings don't list the format `json`" : null,
      );
    const { bytes, truncated } = await readBody(answer, ANSWER_BYTES_MAX);
    if (truncated)
      throw new GateRefusal('egress.failed', `the search provider answered with more than ${ANSWER_BYTES_MAX} bytes`);
    const found = resultsIn(bytes);
    return { results: found.slice(0, most), truncated: found.length > most };
  } finally {
    passage.connection.destroy();
  }
}

function resultsIn(bytes: Uint8Array): Result[] {
  const { results } = (parsed(bytes) ?? {}) as { readonly results?: unknown };
  if (!Array.isArray(results))
    throw new GateRefusal('egress.failed', "the search provider's answer has no list of results");
  return results.flatMap(resultOf);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new GateRefusal('egress.failed', "the search provider's answer is no JSON", null, { cause });
  }
}

function resultOf(found: unknown): Result[] {
  const { title, url, content } = (typeof found === 'object' && found !== null ? found : {}) as Readonly<
    Record<string, unknown>
  >;
  // Nobody can read another scheme, and a URL that was cut leads elsewhere.
  if (typeof url !== 'string' || url.length > MOST.url || !/^https?:\/\//i.test(url)) return [];
  return [{ title: said(title, MOST.title), url: said(url, MOST.url), snippet: said(content, MOST.snippet) }];
}

const said = (text: unknown, most: number): string =>
  typeof text === 'string' ? text.slice(0, most).replaceAll('\0', '\uFFFD').toWellFormed() : '';
