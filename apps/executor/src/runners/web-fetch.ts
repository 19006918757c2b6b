// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';
import { pageUrlOf } from '@writ/contract';
import { parseUrl, redirectOf, urlOf, type EgressTarget } from '@writ/egress';
import type { AdmittedRequest } from '../egress/admitted-request.ts';
import type { CallGate, Headers } from '../egress/call-gate.ts';
import { exchange } from '../egress/exchange.ts';
import { GateRefusal } from '../egress/gate-refusal.ts';
import { withoutValues } from '../redaction/secret-work.ts';
import { headersOfCall, type WrittenHeader } from './call-headers.ts';
import { readBody } from './read-body.ts';
import { readablePage } from './readable-page.ts';
import type { Call, RunContext } from '../calls/runner.ts';

/** Redirects that are followed; browsers follow more. */
const REDIRECTS_MAX = 5;
/** No readable page is longer. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024;
const CHARS_DEFAULT = 20_000;
const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;
const TEXT = /^(?:text\/[a-z0-9.+-]+|application\/(?:json|xml|yaml|javascript|[a-z0-9.-]+\+(?:json|xml)))$/;

/** Headers that are sent unless the call sets them. */
const DEFAULT_HEADERS: Headers = [
  ['accept', 'text/html, text/*;q=0.9, application/json;q=0.8'],
  ['accept-encoding', 'identity'],
  ['user-agent', 'writ'],
];

interface FetchArgs {
  readonly max_chars?: number;
  readonly headers?: readonly WrittenHeader[];
}

interface FetchedPage {
  readonly target: EgressTarget;
  readonly admitted: AdmittedRequest;
  readonly answer: IncomingMessage;
}

/** Runs `web.fetch`: returns the readable text of a page. @throws GateRefusal, TargetError */
export async function webFetch(
  call: Call,
  gate: CallGate,
  { signal, work }: Pick<RunContext, 'signal' | 'work'>,
): Promise<unknown> {
  const url = pageUrlOf(call.args, call.resources[0]) ?? '';
  const { max_chars: charsMax = CHARS_DEFAULT, headers = [] } = call.args as unknown as FetchArgs;
  const { target, admitted, answer } = await follow(gate, parseUrl(url), (first) =>
    headersOfCall(call, headers, first, DEFAULT_HEADERS),
  );
  try {
    const [type = '', charset] = contentType(answer);
    if (!HTML.test(type) && !TEXT.test(type))
      throw new GateRefusal('egress.failed', `what is there is no text but \`${type.slice(0, 64) || 'unknown'}\``);
    if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new GateRefusal('egress.failed', 'the page came compressed, though it was not asked for');
    const { bytes, truncated } = await readBody(answer, PAGE_BYTES_MAX);
    const html = decoded(bytes, charset);
    const page = HTML.test(type) ? await readablePage(html, urlOf(target), signal) : { title: null, text: html };
    // INVARIANT (redacted before cut): the redactor would not find a value that was cut in two.
    const redacted = async (shown: string): Promise<string> =>
      (await withoutValues(call.values, shown, truncated, work)).replaceAll('\0', '\uFFFD');
    const text = await redacted(page.text);
    return {
      url: urlOf(target),
      status: answer.statusCode ?? 0,
      content_type: type,
      title: page.title === null ? null : (await redacted(page.title)).slice(0, 500).toWellFormed(),
      text: text.slice(0, charsMax).toWellFormed(),
      size: bytes.length,
      truncated: truncated || text.length > charsMax,
    };
  } finally {
    admitted.connection.destroy();
  }
}

/**
 * INVARIANT (each hop is new): the gate judges the target of a redirect completely, like a new request. INVARIANT (same
 * origin): the headers of the call go only to the scheme, host and port of its URL. After a redirect elsewhere they are
 * never sent again, also when another redirect leads back (as in Fetch, HTTP-redirect fetch, step 13).
 */
async function follow(
  gate: CallGate,
  first: EgressTarget,
  written: (first: EgressTarget) => Headers,
): Promise<FetchedPage> {
  let [target, headers] = [first, written(first)];
  for (let left = REDIRECTS_MAX; ; left -= 1) {
    const admitted = await gate.admit('GET', target, '');
    const answer = await exchange(admitted, { method: 'GET', target, headers, body: null });
    let next: EgressTarget | null;
    try {
      next = redirectOf(target, answer.statusCode ?? 0, answer.headers.location);
    } catch (error) {
      admitted.connection.destroy();
      throw error;
    }
    if (next === null) return { target, admitted, answer };
    admitted.connection.destroy();
    if (left === 0) throw new GateRefusal('egress.failed', `the page sent us on more than ${REDIRECTS_MAX} times`);
    if (!isSameOrigin(target, next)) headers = DEFAULT_HEADERS;
    target = next;
  }
}

const isSameOrigin = (one: EgressTarget, other: EgressTarget): boolean =>
  one.scheme === other.scheme && one.host === other.host && one.port === other.port;

function contentType({ headers }: IncomingMessage): [string, string | undefined] {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  return [
    type,
    parameters
      .find((parameter) => parameter.startsWith('charset='))
      ?.slice('charset='.length)
      .replaceAll('"', ''),
  ];
}

/** Unknown charsets are read as UTF-8; invalid bytes show as U+FFFD. */
function decoded(bytes: Uint8Array, charset: string | undefined): string {
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
