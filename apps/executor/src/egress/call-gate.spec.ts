// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { TUNNEL, type AnnouncedRequests, type Grant } from '@writ/contract';
import { parseAuthority, parseUrl } from '@writ/egress';
import { ExternalHosts, PUBLIC } from '../specs/external-hosts.ts';
import { CallGate, type CallGateOptions } from './call-gate.ts';
import { exchange } from './exchange.ts';
import { GateRefusal } from './gate-refusal.ts';

let outside: ExternalHosts;
let now: number;
let kernelRequests: string[];
beforeEach(async () => {
  outside = await ExternalHosts.open();
  [now, kernelRequests] = [0, []];
});
afterEach(() => outside.close());

const ALL: Grant['net'] = [
  { domain: '*.outside.example', methods: ['GET', 'POST', 'CONNECT'] },
  { domain: PUBLIC, methods: ['GET'] },
];
const A = parseUrl('http://a.outside.example/a?b=c');
const gateOf = (more: Partial<CallGateOptions> = {}): CallGate =>
  new CallGate({
    net: [ALL],
    bytesMax: 1_000_000,
    requestsMax: 100,
    ports: outside.ports,
    now: () => now,
    signal: new AbortController().signal,
    preview: null,
    confirm: () => Promise.resolve(void kernelRequests.push('confirm')),
    announce: () => Promise.resolve(void kernelRequests.push('announce')),
    ...more,
  });
const sendThrough = async (
  gate: CallGate,
  target = A,
  method = 'GET',
  body: Uint8Array | null = null,
): Promise<string> =>
  await text(
    await exchange(await gate.admit(method, target, 'why'), { method, target, headers: [['accept', '*/*']], body }),
  );
const refusal = async (sending: Promise<unknown>): Promise<string> => {
  const error: unknown = await sending.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GateRefusal)) throw error ?? new Error('the gate admitted it');
  return error.code;
};

describe('an admitted request', () => {
  it('goes to the judged address under its own host name, and is listed with its bytes', async () => {
    const gate = gateOf();
    expect(await sendThrough(gate)).toBe('hello from outside');
    expect(outside.dials).toEqual([{ host: 'a.outside.example', address: PUBLIC, port: 80, tlsHost: null }]);
    expect(outside.resolved).toEqual(['a.outside.example']);
    expect(outside.received).toMatchObject([{ method: 'GET', host: 'a.outside.example', url: '/a?b=c' }]);
    expect(gate.requests).toEqual([
      {
        at_ms: 0,
        method: 'GET',
        target: 'http://a.outside.example/a?b=c',
        purpose: 'why',
        outcome: 'answered',
        reason: null,
        address: PUBLIC,
        status: 200,
        sent_bytes: expect.any(Number),
        received_bytes: expect.any(Number),
      },
    ]);
    expect(gate.bytes).toBe(gate.requests[0]!.sent_bytes + gate.requests[0]!.received_bytes);
    expect(gate.requests[0]!.received_bytes).toBeGreaterThan('hello from outside'.length);
  });

  it('over https sends its name as SNI and rejects the certificate of another name', async () => {
    const gate = gateOf({ net: [[{ domain: 'other.example', methods: ['GET'] }, ...ALL]] });
    expect(await sendThrough(gate, parseUrl('https://a.outside.example/'))).toBe('hello from outside');
    expect(outside.dials.at(-1)).toEqual({
      host: 'a.outside.example',
      address: PUBLIC,
      port: 443,
      tlsHost: 'a.outside.example',
    });
    expect(await refusal(sendThrough(gate, parseUrl('https://other.example/')))).toBe('egress.failed');
    expect(outside.received).toHaveLength(1);
  });

  it('with an unsafe method is announced before it leaves, with its own line and earlier unannounced lines', async () => {
    const order: string[] = [];
    outside.answer = (_, response) => {
      order.push('arrived');
      response.end();
    };
    const announcedLines: [string, number | undefined, ...string[]][] = [];
    const noted = (as: string) => (announced: AnnouncedRequests | null) =>
      Promise.resolve(
        void announcedLines.push([
          as,
          announced?.from,
          ...(announced?.items.map(({ method, address }) => `${method} ${String(address)}`) ?? []),
        ]),
      );
    const gate = gateOf({
      confirm: noted('confirm'),
      announce: (announced) => noted(String(order.push('announced')))(announced),
    });
    await sendThrough(gate, A, 'GET');
    await sendThrough(gate, A, 'GET');
    await sendThrough(gate, A, 'POST', Buffer.from('x'));
    await sendThrough(gate, A, 'POST', Buffer.from('y'));
    expect(order).toEqual(['arrived', 'arrived', 'announced', 'arrived', 'announced', 'arrived']);
    expect(announcedLines).toEqual([
      ['confirm', 0, 'GET null'],
      ['3', 1, `GET ${PUBLIC}`, `POST ${PUBLIC}`],
      ['5', 3, `POST ${PUBLIC}`],
    ]);
    expect(outside.received.map(({ body }) => body)).toEqual(['', '', 'x', 'y']);
  });

  it('is announced in several messages when the list exceeds one, and each line is redacted', async () => {
    const pieces: AnnouncedRequests[] = [];
    const kept = (announced: AnnouncedRequests | null) =>
      Promise.resolve(void (announced === null || pieces.push(announced)));
    const gate = gateOf({
      confirm: kept,
      announce: kept,
      redact: (request) => ({ ...request, purpose: 'x'.repeat(256) }),
    });
    for (let n = 0; n < 95; n++) gate.refuse('GET', 'a', '');
    await sendThrough(gate, A, 'POST', Buffer.from('x'));
    const lines = pieces.flatMap(({ from, items }) =>
      items.map(({ purpose }, index) => `${String(from + index)} ${String(purpose.length)}`),
    );
    expect(pieces.length).toBeGreaterThan(2);
    expect(lines.at(-1)).toBe('95 256');
    expect(lines).toHaveLength(96);
  });

  it('does not leave when its announcement is rejected', async () => {
    const gate = gateOf({ announce: () => Promise.reject(new Error('fenced')) });
    expect(await refusal(sendThrough(gate, A, 'POST', Buffer.from('x')))).toBe('egress.refused');
    expect(outside.received).toEqual([]);
  });

  it("for a tunnel is announced as a change, because the gate can't see inside the tunnel", async () => {
    const { connection } = await gateOf().admit(TUNNEL, parseAuthority('a.outside.example:443'), '');
    expect(kernelRequests).toContain('announce');
    expect(outside.dials).toEqual([{ host: 'a.outside.example', address: PUBLIC, port: 443, tlsHost: null }]);
    connection.destroy();
  });

  it('goes by its name when the proxy resolves names, and is listed without an address', async () => {
    const gate = gateOf({
      ports: {
        ...outside.ports,
        resolve: () => Promise.resolve(null),
        dial: (to, signal) => outside.ports.dial({ ...to, address: PUBLIC }, signal),
      },
    });
    expect(await sendThrough(gate)).toBe('hello from outside');
    expect(gate.requests).toMatchObject([{ outcome: 'answered', address: null }]);
  });

  it('to a private IP address is refused, also when the proxy resolves names', async () => {
    const gate = gateOf({
      net: [[{ domain: '10.0.0.1', methods: ['GET'] }]],
      ports: { resolve: () => Promise.resolve(null), dial: () => Promise.reject(new Error('it was dialled')) },
    });
    expect(await refusal(sendThrough(gate, parseUrl('http://10.0.0.1/')))).toBe('egress.refused');
  });
});

describe('the gate refuses', () => {
  afterEach(() => expect(outside.received).toEqual([]));
  const notDialled = () => expect(outside.dials).toEqual([]);

  it.each([
    ['a host', parseUrl('http://outside.example/'), 'GET'],
    ['a method', A, 'DELETE'],
    ['a tunnel', parseAuthority('outside.example:443'), TUNNEL],
  ])('%s that the token does not name, without a DNS query', async (_, target, method) => {
    const gate = gateOf();
    expect(await refusal(gate.admit(method, target, ''))).toBe('token.scope');
    expect([outside.resolved, gate.requests[0]!.outcome]).toEqual([[], 'refused']);
    notDialled();
  });

  it('a host that one token of the chain does not name', async () => {
    expect(await refusal(gateOf({ net: [ALL, []] }).admit('GET', A, ''))).toBe('token.scope');
    expect(await refusal(gateOf({ net: [] }).admit('GET', A, ''))).toBe('token.scope');
    notDialled();
  });

  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '169.254.170.2',
    '100.64.0.1',
    '100.100.100.200',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:7f00:1',
    '::127.0.0.1',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:db8::1',
    'fec0::1',
    '100::1',
    'not an address',
    '',
    '2130706433',
    '0x7f000001',
    '127.1',
  ])('a name that resolves to %s', async (address) => {
    outside.addressesOf = () => [address];
    const gate = gateOf();
    expect(await refusal(gate.admit('GET', A, ''))).toBe('egress.refused');
    expect(JSON.stringify(gate.requests)).not.toContain(address === '' ? '"address":""' : `"${address}"`);
    notDialled();
  });

  it('a name that resolves to several addresses, one of them private', async () => {
    for (const addresses of [
      [PUBLIC, '10.0.0.1'],
      ['10.0.0.1', PUBLIC],
      [PUBLIC, '::1'],
    ]) {
      outside.addressesOf = () => addresses;
      expect(await refusal(gateOf().admit('GET', A, ''))).toBe('egress.refused');
    }
    notDialled();
  });

  it('a private IP address, though the token names it', async () => {
    const gate = gateOf({
      net: [
        [
          { domain: '169.254.169.254', methods: ['GET'] },
          { domain: '127.0.0.1', methods: ['GET'] },
        ],
      ],
    });
    for (const url of ['http://169.254.169.254/latest/meta-data/', 'http://127.0.0.1/'])
      expect(await refusal(gate.admit('GET', parseUrl(url), ''))).toBe('egress.refused');
    expect(outside.resolved).toEqual([]);
    notDialled();
  });

  it('a name without an address, and a name whose resolver fails', async () => {
    outside.addressesOf = () => [];
    expect(await refusal(gateOf().admit('GET', A, ''))).toBe('egress.failed');
    outside.addressesOf = () => Promise.reject(new Error('no'));
    expect(await refusal(gateOf().admit('GET', A, ''))).toBe('egress.failed');
    notDialled();
  });

  it('a request when the kernel does not confirm the call', async () => {
    expect(await refusal(gateOf({ confirm: () => Promise.reject(new Error('revoked')) }).admit('GET', A, ''))).toBe(
      'egress.refused',
    );
    expect(outside.resolved).toEqual([]);
    notDialled();
  });

  it('a request of a preview, and records it', async () => {
    const told: string[] = [];
    const gate = gateOf({ preview: (what) => told.push(what) });
    expect(await refusal(gate.admit('POST', A, ''))).toBe('egress.refused');
    // A request that the token refuses is not recorded: an approval would change nothing about it.
    expect(await refusal(gate.admit('DELETE', A, ''))).toBe('token.scope');
    expect(told).toEqual(['POST http://a.outside.example/a?b=c']);
    expect(kernelRequests).toEqual([]);
    notDialled();
  });

  it("a request beyond the call's number of requests, refused ones counted", async () => {
    const gate = gateOf({ requestsMax: 2 });
    await refusal(gate.admit('DELETE', A, ''));
    await refusal(gate.admit('DELETE', A, ''));
    expect(await refusal(gate.admit('GET', A, ''))).toBe('limit.exceeded');
    expect(gate.requests).toHaveLength(2);
    notDialled();
  });

  it('a request when the call has no egress bytes', async () => {
    expect(await refusal(gateOf({ bytesMax: 0 }).admit('GET', A, ''))).toBe('limit.exceeded');
    notDialled();
  });

  it('a request of a call that has to stop', async () => {
    const stop = new AbortController();
    const gate = gateOf({ signal: stop.signal });
    stop.abort();
    expect(await refusal(gate.admit('GET', A, ''))).toBe('egress.refused');
    notDialled();
  });
});

it('a name that resolves to another address the second time is judged again', async () => {
  const answers = [[PUBLIC], ['127.0.0.1']];
  outside.addressesOf = () => answers.shift() ?? [];
  const gate = gateOf();
  expect(await sendThrough(gate)).toBe('hello from outside');
  expect(await refusal(gate.admit('GET', A, ''))).toBe('egress.refused');
  // Each request resolves the name once, and connects to the judged address.
  expect([outside.resolved.length, outside.dials.length]).toEqual([2, 1]);
});

it('a confirmation of the kernel is valid for one second from its request', async () => {
  const gate = gateOf();
  // Without a connection, the gate asks only when a request needs it.
  const request = () => gate.resolve('a.outside.example');
  await request();
  now = 1_000;
  await request();
  expect(kernelRequests).toEqual(['confirm']);
  now = 1_001;
  await request();
  expect(kernelRequests).toEqual(['confirm', 'confirm']);
});

it('a connection that breaks during a confirmation fails its request and nothing else', async () => {
  await outside.replace(
    80,
    createServer((socket) => {
      setTimeout(() => socket.resetAndDestroy(), 20);
    }),
  );
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);
  process.on('uncaughtException', note);
  try {
    // The confirmation from before the dial is stale after it, so the gate asks the kernel once more.
    const gate = gateOf({
      ports: {
        ...outside.ports,
        dial: async (to, signal) => {
          now += 2_000;
          return await outside.ports.dial(to, signal);
        },
      },
      confirm: () => sleep(50),
    });
    expect(await refusal(sendThrough(gate))).toBe('egress.failed');
    expect(gate.requests).toMatchObject([{ outcome: 'refused' }]);
  } finally {
    process.off('uncaughtException', note);
  }
  expect(uncaught).toEqual([]);
});

it('a connection ends when nothing passes for as long as its request allows, and not before', async () => {
  outside.answer = (_, response) => void setTimeout(() => response.end('at last'), 400);
  const send = async (idleMs: number): Promise<string> => {
    const admitted = await gateOf().admit('GET', A, '', { idleMs });
    return await text(await exchange(admitted, { method: 'GET', target: A, headers: [], body: null }));
  };
  expect(await refusal(send(100))).toBe('egress.failed');
  expect(await send(10_000)).toBe('at last');
});

it('an answer longer than the byte budget is cut off at the budget', async () => {
  outside.answer = (_, response) => void response.end('x'.repeat(100_000));
  const gate = gateOf({ bytesMax: 20_000 });
  await expect(sendThrough(gate)).rejects.toThrow();
  expect(gate.bytes).toBeLessThanOrEqual(20_000);
  expect(gate.brokenBy?.code).toBe('limit.exceeded');
});

it('open connections break when the call has to stop, and when no confirmation comes for a second', async () => {
  outside.answer = (_, response) => void response.write('first');
  const stop = new AbortController();
  const stopped = await gateOf({ signal: stop.signal }).admit('GET', A, '');
  const broken = new Promise((resolve) => stopped.connection.once('close', resolve));
  stop.abort();
  await broken;
  let isSilent = false;
  const gate = gateOf({ confirm: () => (isSilent ? Promise.reject(new Error('silence')) : Promise.resolve()) });
  const { connection } = await gate.admit('GET', A, '');
  const closed = new Promise((resolve) => connection.once('close', resolve));
  isSilent = true;
  now = 1_001;
  await closed;
});
