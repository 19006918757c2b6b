// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';
import { parseUrl, redirectOf, urlOf, type EgressTarget } from '@writ/egress';
import type { CallGate, Headers, Passage } from '../egress/call-gate.ts';
import { exchange } from '../egress/exchange.ts';
import { GateRefusal } from '../egress/gate-error.ts';
import { withoutValues } from '../redaction/secret-work.ts';
import { headersOfCall, type WrittenHeader } from './call-headers.ts';
import { readBody } from './read-body.ts';
import { readablePage } from './readable-page.ts';
import type { Call, RunContext } from '../calls/runner.ts';

/** Redirects that are followed, as browsers' patience goes at its shortest. */
const REDIRECTS_MAX = 5;
/** A page longer than that isn't for reading. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024;
const CHARS = 20_000;
const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;
const TEXT = /^(?:text\/[a-z0-9.+-]+|application\/(?:json|xml|yaml|javascript|[a-z0-9.-]+\+(?:json|xml)))$/;

/** Sent unless the call says otherwise. */
const OWN_HEADERS: Headers = [
  ['accept', 'text/html, text/*;q=0.9, application/json;q=0.8'],
  ['accept-encoding', 'identity'],
  ['user-agent', 'writ'],
];

interface FetchArgs {
  readonly url: string;
  readonly max_chars?: number;
  readonly headers?: readonly WrittenHeader[];
}

interface Found {
  readonly target: EgressTarget;
  readonly passage: Passage;
  readonly answer: IncomingMessage;
}

/** Runs `web.fetch`: a page, as what a person would read of it. @throws GateRefusal, TargetError */
export async function webFetch(
  call: Call,
  gate: CallGate,
  { signal, work }: Pick<RunContext, 'signal' | 'work'>,
): Promise<unknown> {
  const { url, max_chars: most = CHARS, headers = [] } = call.args as unknown as FetchArgs;
  const { target, passage, answer } = await follow(gate, parseUrl(url), (first) =>
    headersOfCall(call, headers, first, OWN_HEADERS),
  );
  try {
    const [type = '', charset] = contentType(answer);
    if (!HTML.test(type) && !TEXT.test(type))
      throw new GateRefusal('egress.failed', `what is there is no text but \`${type.slice(0, 64) || 'unknown'}\``);
    if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new GateRefusal('egress.failed', 'the page came compressed, though it was not asked for');
    const { bytes, truncated } = await readBody(answer, PAGE_BYTES_MAX);
    const whole = decoded(bytes, charset);
    const page = HTML.test(type) ? await readablePage(whole, urlOf(target), signal) : { title: null, text: whole };
    // INVARIANT (first taken out, then cut): a value that is cut in two would be found no more.
    const told = async (shown: string): Promise<string> =>
      (await withoutValues(call.values, shown, truncated, work)).replaceAll('\0', '\uFFFD');
    const text = await told(page.text);
    return {
      url: urlOf(target),
      status: answer.statusCode ?? 0,
      content_type: type,
      title: page.title === null ? null : (await told(page.title)).slice(0, 500).toWellFormed(),
      text: text.slice(0, most).toWellFormed(),
      size: bytes.length,
      truncated: truncated || text.length > most,
    };
  } finally {
    passage.connection.destroy();
  }
}

/**
 * INVARIANT (each hop is new): where an answer sends us is judged whole, as if it had been asked for. INVARIANT (for
 * whom it was written): what the call writes into headers goes to the scheme, host and port of its URL. Once an answer
 * has sent us elsewhere it goes nowhere, also where another one sends us back (as in Fetch, HTTP-redirect fetch, step
 * 13).
 */
async function follow(gate: CallGate, first: EgressTarget, written: (first: EgressTarget) => Headers): Promise<Found> {
  let [target, headers] = [first, written(first)];
  for (let left = REDIRECTS_MAX; ; left -= 1) {
    const passage = await gate.admit('GET', target, '');
    const answer = await exchange(passage, { method: 'GET', target, headers, body: null });
    let next: EgressTarget | null;
    try {
      next = redirectOf(target, answer.statusCode ?? 0, answer.headers.location);
    } catch (error) {
      passage.connection.destroy();
      throw error;
    }
    if (next === null) return { target, passage, answer };
    passage.connection.destroy();
    if (left === 0) throw new GateRefusal('egress.failed', `the page sent us on more than ${REDIRECTS_MAX} times`);
    if (!isSameOrigin(target, next)) headers = OWN_HEADERS;
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

/** Unknown charsets are read as UTF-8; what isn't shows as U+FFFD. */
function decoded(bytes: Uint8Array, charset: string | undefined): string {
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
