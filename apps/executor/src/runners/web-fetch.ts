// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';
import { parseUrl, redirectOf, urlOf, type EgressTarget } from '@writ/egress';
import type { CallGate, Passage } from '../egress/call-gate.ts';
import { exchange } from '../egress/exchange.ts';
import { GateRefusal } from '../egress/gate-error.ts';
import { readBody } from './read-body.ts';
import { readablePage } from './readable-page.ts';
import type { Call } from './runner.ts';

/** Redirects that are followed, as browsers' patience goes at its shortest. */
const REDIRECTS_MAX = 5;
/** A page longer than that isn't for reading. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024;
const CHARS = 20_000;
const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;
const TEXT = /^(?:text\/[a-z0-9.+-]+|application\/(?:json|xml|yaml|javascript|[a-z0-9.-]+\+(?:json|xml)))$/;

interface Found {
  readonly target: EgressTarget;
  readonly passage: Passage;
  readonly answer: IncomingMessage;
}

/** Runs `web.fetch`: a page, as what a person would read of it. @throws GateRefusal, TargetError */
export async function webFetch({ args }: Call, gate: CallGate, signal: AbortSignal): Promise<unknown> {
  const { target, passage, answer } = await follow(gate, parseUrl(String(args['url'])));
  try {
    const [type = '', charset] = contentType(answer);
    if (!HTML.test(type) && !TEXT.test(type)) throw new GateRefusal('egress.failed', `what is there is no text but \`${type.slice(0, 64) || 'unknown'}\``);
    if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity') throw new GateRefusal('egress.failed', 'the page came compressed, though it was not asked for');
    const { bytes, truncated } = await readBody(answer, PAGE_BYTES_MAX);
    const whole = decoded(bytes, charset);
    const page = HTML.test(type) ? await readablePage(whole, urlOf(target), signal) : { title: null, text: whole };
    const most = typeof args['max_chars'] === 'number' ? args['max_chars'] : CHARS;
    const text = page.text.replaceAll('\0', '\uFFFD');
    return {
      url: urlOf(target), status: answer.statusCode ?? 0, content_type: type, title: page.title?.slice(0, 500).toWellFormed() ?? null,
      text: text.slice(0, most).toWellFormed(), size: bytes.length, truncated: truncated || text.length > most,
    };
  } finally {
    passage.connection.destroy();
  }
}

/** INVARIANT (each hop is new): where an answer sends us is judged whole, as if it had been asked for. */
async function follow(gate: CallGate, first: EgressTarget): Promise<Found> {
  let target = first;
  for (let left = REDIRECTS_MAX; ; left -= 1) {
    const passage = await gate.admit('GET', target, '');
    const headers = [['accept', 'text/html, text/*;q=0.9, application/json;q=0.8'], ['accept-encoding', 'identity'], ['user-agent', 'writ']] as const;
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
    target = next;
  }
}

function contentType({ headers }: IncomingMessage): [string, string | undefined] {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';').map((part) => part.trim());
  return [type, parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length).replaceAll('"', '')];
}

/** Unknown charsets are read as UTF-8; what isn't shows as U+FFFD. */
function decoded(bytes: Uint8Array, charset: string | undefined): string {
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
