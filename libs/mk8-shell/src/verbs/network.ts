// SPDX-License-Identifier: Apache-2.0
import { VERB_LIMITS } from '../limits.ts';
import { host, int, number, optional, text, url } from '../registry/arguments.ts';
import { verbsOf, type Verb } from '../registry/verb.ts';
import { UnreachableError, type HttpRequest } from '../host/host.ts';
import type { StepContext } from '../run/step-context.ts';
import { StepError } from '../run/step-error.ts';
import { listed, yesOrNo } from './lines.ts';

const http = verbsOf('http');
const net = verbsOf('network');
const ms = (milliseconds: number): string => `${milliseconds.toFixed(1)} ms`;
/** As long as ping programs wait for one answer, in milliseconds. */
const PING_MS = 2000;
/** The port that NetPing connects to: most public hosts answer there. */
const PING_PORT = 443;
/** The longest shown part of a `Location`, which is attacker-controlled. */
const LOCATION_CHARS_MAX = 500;

async function sendRequest(
  method: HttpRequest['method'],
  address: string,
  body: string | undefined,
  context: StepContext,
): Promise<string> {
  const { status, headers, body: bytes, isCut } = await context.net.request(method, address, body ?? null);
  const answer = `${new TextDecoder().decode(bytes)}${isCut ? `\n[only the first ${VERB_LIMITS.httpBodyBytes} bytes were read]` : ''}`;
  if (status >= 400) throw new StepError(`the server answered ${status}`, { output: answer });
  if (status >= 300) throw new StepError(redirectFault(status, headers['location']), { output: answer, isFinal: true });
  return answer;
}

/** No redirect is followed: its target is another request, which the script has to name. */
const redirectFault = (status: number, location: string | undefined): string =>
  location === undefined
    ? `the server answered ${status} without a location`
    : `the server answered ${status} and leads to \`${location.slice(0, LOCATION_CHARS_MAX)}\`; redirects are not followed`;

const summary = (times: readonly number[], asked: number): string =>
  listed([
    `answered: ${times.length} of ${asked}`,
    ...(times.length === 0
      ? []
      : [
          `min: ${ms(Math.min(...times))}`,
          `average: ${ms(times.reduce((sum, time) => sum + time, 0) / times.length)}`,
          `max: ${ms(Math.max(...times))}`,
        ]),
  ]);

async function ping([name = '', count = '4']: readonly string[], { net: guarded }: StepContext): Promise<string> {
  const times: number[] = [];
  for (let n = 0; n < Number(count); n++) {
    try {
      times.push(await guarded.connect(name, PING_PORT, PING_MS));
    } catch (error) {
      // A rule that forbids the connection is no lost answer.
      if (!(error instanceof UnreachableError)) throw error;
    }
  }
  return listed([`TCP connections to ${name}:${PING_PORT} (no ICMP)`, summary(times, Number(count))]);
}

async function latency(
  [address = '', count = '3']: readonly string[],
  { net: guarded, clock }: StepContext,
): Promise<string> {
  const times: number[] = [];
  for (let n = 0; n < Number(count); n++) {
    const began = clock.monotonic();
    await guarded.request('GET', address);
    times.push(clock.monotonic() - began);
  }
  return summary(times, Number(count));
}

async function certificate(
  [name = '', port = '443']: readonly string[],
  { net: guarded, clock }: StepContext,
): Promise<string> {
  const facts = await guarded.certificate(name, Number(port));
  const day = 86_400_000;
  return listed([
    `subject: ${facts.subject}`,
    `issuer: ${facts.issuer}`,
    `valid from: ${new Date(facts.validFromMs).toISOString()}`,
    `valid to: ${new Date(facts.validToMs).toISOString()}`,
    `days left: ${Math.floor((facts.validToMs - clock.now()) / day)}`,
    `fingerprint: ${facts.fingerprint256}`,
    `names: ${facts.names.join(', ') || 'none'}`,
    `trusted: ${yesOrNo(facts.isTrusted)}`,
  ]);
}

export const NETWORK_VERBS: readonly Verb[] = [
  http(
    'HttpGet',
    'network',
    'the body of an answer; a redirect and 400 and above fail',
    [url('url')],
    ['https://example.com/'],
    ([address = ''], context) => sendRequest('GET', address, undefined, context),
  ),
  http(
    'HttpPost',
    'network',
    'sends a body, as JSON where it is JSON',
    [url('url'), optional(text('body'))],
    ['https://example.com/', '{"a":1}'],
    ([address = '', body = ''], context) => sendRequest('POST', address, body, context),
  ),
  http(
    'HttpPut',
    'network',
    'sends a body, as JSON where it is JSON',
    [url('url'), optional(text('body'))],
    ['https://example.com/', 'text'],
    ([address = '', body = ''], context) => sendRequest('PUT', address, body, context),
  ),
  http(
    'HttpDelete',
    'network',
    'asks for a deletion',
    [url('url')],
    ['https://example.com/'],
    ([address = ''], context) => sendRequest('DELETE', address, undefined, context),
  ),
  net(
    'NetPing',
    'network',
    'how long TCP connections to port 443 of a host take, of 4 by default; sends no ICMP',
    [host('host'), optional(int('count', 1, 10))],
    ['example.com', '2'],
    ping,
  ),
  net(
    'NetDns',
    'network',
    'the addresses of a name, one a line, as the gate resolves it',
    [host('host')],
    ['example.com'],
    async ([name = ''], { net: guarded }) => listed(await guarded.lookUp(name)),
  ),
  net(
    'NetTlsCert',
    'network',
    'subject, issuer, validity and names of the certificate of a server, on 443 by default',
    [host('host'), optional(int('port', 1, 65_535))],
    ['example.com'],
    certificate,
  ),
  net(
    'NetHttpStatus',
    'network',
    'the status of an answer, whatever it is',
    [url('url')],
    ['https://example.com/'],
    async ([address = ''], { net: guarded }) => String((await guarded.request('GET', address)).status),
  ),
  net(
    'NetTcpConnect',
    'network',
    'how long a connection took, 5 s at most by default',
    [host('host'), int('port', 1, 65_535), optional(number('seconds', 1, 30))],
    ['example.com', '8080'],
    async ([name = '', port = '', seconds = '5'], { net: guarded }) =>
      `connected in ${ms(await guarded.connect(name, Number(port), Number(seconds) * 1000))}`,
  ),
  net(
    'HttpLatency',
    'network',
    'how long answers take, of 3 requests by default',
    [url('url'), optional(int('count', 1, 10))],
    ['https://example.com/', '2'],
    latency,
  ),
  verbsOf('urls')(
    'OpenUrl',
    'none',
    'a URL of https, checked and returned; opens nothing',
    [url('url')],
    ['https://example.com/page'],
    ([address = '']) => address,
    {
      check: ([address = '']) =>
        /^https:/i.test(address) ? null : { place: 0, message: 'the URL must be one of https' },
    },
  ),
];
