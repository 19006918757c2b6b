// SPDX-License-Identifier: Apache-2.0
import { VERB_LIMITS } from '../limits.ts';
import { host, int, number, optional, text, url } from '../registry/arguments.ts';
import { verbsOf, type Verb } from '../registry/verb.ts';
import type { HttpAsked } from '../host/host.ts';
import type { StepContext } from '../run/step-context.ts';
import { StepError } from '../run/step-error.ts';
import { listed, said, UNAVAILABLE, yesOrNo } from './lines.ts';

const http = verbsOf('http');
const net = verbsOf('network');
const ms = (milliseconds: number): string => `${milliseconds.toFixed(1)} ms`;
/** As long as other programs wait for one echo, in milliseconds. */
const ECHO_MS = 2000;

async function ask(
  method: HttpAsked['method'],
  address: string,
  body: string | undefined,
  context: StepContext,
): Promise<string> {
  const { status, body: bytes, isCut } = await context.net.request(method, address, body ?? null);
  const said = `${new TextDecoder().decode(bytes)}${isCut ? `\n[only the first ${VERB_LIMITS.httpBodyBytes} bytes were read]` : ''}`;
  if (status >= 400) throw new StepError(`the server answered ${status}`, { output: said });
  return said;
}

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
    const time = await guarded.ping(name, ECHO_MS);
    if (time === 'impossible') return UNAVAILABLE;
    if (time !== null) times.push(time);
  }
  return summary(times, Number(count));
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
    `trusted: ${yesOrNo(facts.isTrusted)}`,
  ]);
}

export const NETWORK_VERBS: readonly Verb[] = [
  http(
    'HttpGet',
    'network',
    'the body of an answer; 400 and above fail',
    [url('url')],
    ['https://example.com/'],
    ([address = ''], context) => ask('GET', address, undefined, context),
  ),
  http(
    'HttpPost',
    'network',
    'sends a body, as JSON where it is JSON',
    [url('url'), optional(text('body'))],
    ['https://example.com/', '{"a":1}'],
    ([address = '', body = ''], context) => ask('POST', address, body, context),
  ),
  http(
    'HttpPut',
    'network',
    'sends a body, as JSON where it is JSON',
    [url('url'), optional(text('body'))],
    ['https://example.com/', 'text'],
    ([address = '', body = ''], context) => ask('PUT', address, body, context),
  ),
  http(
    'HttpDelete',
    'network',
    'asks for a deletion',
    [url('url')],
    ['https://example.com/'],
    ([address = ''], context) => ask('DELETE', address, undefined, context),
  ),
  net(
    'NetPing',
    'network',
    'echoes of a host, 4 unless said; `unavailable` where none can be sent',
    [host('host'), optional(int('count', 1, 10))],
    ['example.com', '2'],
    ping,
  ),
  net(
    'NetDns',
    'network',
    'the addresses of a name, one a line; `unavailable` where the gate alone resolves names',
    [host('host')],
    ['example.com'],
    async ([name = ''], { net: guarded }) => said(await guarded.addresses(name), listed),
  ),
  net(
    'NetTlsCert',
    'network',
    'the certificate of a server, on 443 unless said',
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
    'how long a connection took, 5 s at most unless said',
    [host('host'), int('port', 1, 65_535), optional(number('seconds', 1, 30))],
    ['example.com', '8080'],
    async ([name = '', port = '', seconds = '5'], { net: guarded }) =>
      `connected in ${ms(await guarded.connect(name, Number(port), Number(seconds) * 1000))}`,
  ),
  net(
    'HttpLatency',
    'network',
    'how long answers take, of 3 requests unless said',
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
    ([address = '']) => {
      if (new URL(address).protocol !== 'https:')
        throw new StepError('the URL must be one of https', { isFinal: true });
      return address;
    },
  ),
];
