// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTls } from 'node:tls';
import { parsePrivateEndpoints, parseUrl, TargetError } from '@writ/egress';
import { outsideTls } from '@writ/testing';
import { ExternalHosts, PUBLIC } from '../specs/external-hosts.ts';
import { CallGate, type CallGateOptions } from './call-gate.ts';
import { GateRefusal } from './gate-refusal.ts';
import type { RawTarget } from './raw-target.ts';

const HOST = 'mail.outside.example';
const IMAPS: RawTarget = { host: HOST, port: 993, tls: 'tls' };
const IMAP: RawTarget = { host: HOST, port: 143, tls: 'none' };

let outside: ExternalHosts;
let now: number;
let announced: number;
beforeEach(async () => {
  outside = await ExternalHosts.open();
  [now, announced] = [0, 0];
  const { key, cert } = outsideTls();
  const answer = (socket: Duplex): void => {
    socket.on('error', () => undefined).write('* OK ready\r\n');
    socket.on('data', (bytes: Buffer) => socket.write(bytes));
  };
  await outside.replace(143, createServer(answer));
  await outside.replace(993, createTls({ key, cert }, answer));
});
afterEach(() => outside.close());

const gateOf = (more: Partial<CallGateOptions> = {}): CallGate =>
  new CallGate({
    net: [
      [
        { domain: HOST, methods: ['TLS'], ports: [993] },
        { domain: HOST, methods: ['TCP'], ports: [143] },
      ],
    ],
    bytesMax: 100_000,
    requestsMax: 100,
    ports: outside.ports,
    now: () => now,
    signal: new AbortController().signal,
    preview: null,
    confirm: () => Promise.resolve(),
    announce: () => Promise.resolve(void (announced += 1)),
    ...more,
  });
const firstLine = async (connection: Duplex): Promise<string> => String((await once(connection, 'data'))[0]);
const closed = (connection: Duplex): Promise<void> =>
  new Promise((resolve) => {
    connection.on('error', () => undefined).once('close', resolve);
  });
const refusal = async (opening: Promise<Duplex>): Promise<string> => {
  const error: unknown = await opening.then(
    // An open connection would keep the test's server from closing.
    (connection) => void connection.destroy(),
    (thrown: unknown) => thrown,
  );
  if (error instanceof GateRefusal) return error.code;
  throw error ?? new Error('the gate admitted it');
};

describe('a raw connection that a tool opens', () => {
  it('over TLS goes to the judged address, verified, without a protocol of HTTP, and is listed with its bytes', async () => {
    const gate = gateOf();
    const connection = await gate.connect(IMAPS, 'reads the inbox');
    expect(await firstLine(connection)).toBe('* OK ready\r\n');
    connection.write('hello');
    expect(await firstLine(connection)).toBe('hello');
    expect(outside.dials).toEqual([{ host: HOST, address: PUBLIC, port: 993, tlsHost: HOST, raw: true }]);
    expect(gate.requests).toMatchObject([
      {
        method: 'TLS',
        target: `${HOST}:993`,
        purpose: 'reads the inbox',
        outcome: 'answered',
        reason: null,
        status: null,
        address: PUBLIC,
        sent_bytes: 5,
        received_bytes: 17,
      },
    ]);
    expect(gate.bytes).toBe(22);
    connection.destroy();
  });

  it('without TLS is listed as TCP', async () => {
    const gate = gateOf();
    const connection = await gate.connect(IMAP, '');
    expect(await firstLine(connection)).toBe('* OK ready\r\n');
    expect(outside.dials).toEqual([{ host: HOST, address: PUBLIC, port: 143, tlsHost: null }]);
    expect(gate.requests).toMatchObject([{ method: 'TCP', target: `${HOST}:143` }]);
    connection.destroy();
  });

  it('is announced as a change before its first byte, unless the tool says that it changes nothing', async () => {
    (await gateOf().connect(IMAPS, '')).destroy();
    expect(announced).toBe(1);
    (await gateOf().connect({ ...IMAPS, isSafe: true }, '')).destroy();
    expect(announced).toBe(1);
  });

  it('breaks at the byte budget', async () => {
    const gate = gateOf({ bytesMax: 100 });
    const connection = await gate.connect(IMAP, '');
    connection.write('x'.repeat(1_000));
    await closed(connection);
    expect([gate.brokenBy?.code, gate.bytes <= 100]).toEqual(['limit.exceeded', true]);
  });

  it('breaks when the call has to stop, when no confirmation comes, and when its gate closes', async () => {
    const stop = new AbortController();
    const stopped = await gateOf({ signal: stop.signal }).connect(IMAP, '');
    const leaving = gateOf();
    const left = await leaving.connect(IMAP, '');
    let isSilent = false;
    const confirm = () => (isSilent ? Promise.reject(new Error('silence')) : Promise.resolve());
    const unconfirmed = await gateOf({ confirm }).connect(IMAP, '');
    const ends = [stopped, left, unconfirmed].map(closed);
    stop.abort();
    leaving.close();
    isSilent = true;
    now = 1_001;
    await Promise.all(ends);
  });
});

describe('a raw connection is refused', () => {
  const notDialled = () => expect(outside.dials).toEqual([]);

  it.each<[string, RawTarget]>([
    ['to a port that the token does not name', { ...IMAPS, port: 995 }],
    ['to a port that it names for the other method', { ...IMAPS, tls: 'none' }],
    ['to a host that it does not name', { ...IMAPS, host: 'other.outside.example' }],
  ])('%s, without a DNS query', async (_, target) => {
    const gate = gateOf();
    expect(await refusal(gate.connect(target, ''))).toBe('token.scope');
    expect([outside.resolved, gate.requests[0]?.outcome]).toEqual([[], 'refused']);
    notDialled();
  });

  it('where the token grants requests or tunnels alone', async () => {
    const net = [[{ domain: HOST, methods: ['GET', 'POST', 'CONNECT'], ports: [143, 993] }]];
    for (const target of [IMAP, IMAPS]) expect(await refusal(gateOf({ net }).connect(target, ''))).toBe('token.scope');
    notDialled();
  });

  it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:10.0.0.1'])(
    'to a name that resolves to %s, though its web server may have that address',
    async (address) => {
      outside.addressesOf = () => [PUBLIC, address];
      expect(await refusal(gateOf({ privateEndpoints: parsePrivateEndpoints(HOST) }).connect(IMAP, ''))).toBe(
        'egress.refused',
      );
      notDialled();
    },
  );

  it('over TLS with the certificate of another name', async () => {
    const net = [[{ domain: 'other.example', methods: ['TLS'], ports: [993] }]];
    expect(await refusal(gateOf({ net }).connect({ ...IMAPS, host: 'other.example' }, ''))).toBe('egress.failed');
  });

  it.each<Partial<RawTarget>>([{ host: '127.1' }, { host: 'a b' }, { host: 'x@y' }, { port: 0 }, { port: 65_536 }])(
    'to what is no target, and listed: %j',
    async (wrong) => {
      const gate = gateOf();
      await expect(gate.connect({ ...IMAPS, ...wrong }, '')).rejects.toThrow(TargetError);
      expect(gate.requests).toMatchObject([{ method: 'TLS', outcome: 'refused' }]);
      notDialled();
    },
  );

  it('in a preview, which records it', async () => {
    const told: string[] = [];
    expect(await refusal(gateOf({ preview: (what) => told.push(what) }).connect(IMAPS, ''))).toBe('egress.refused');
    expect(told).toEqual([`TLS ${HOST}:993`]);
    notDialled();
  });
});

it('a request reaches the web server of a private host that the operator named, and no other port of it', async () => {
  await outside.replace(8080, createServer());
  outside.addressesOf = () => ['10.0.0.1'];
  const gate = gateOf({
    net: [[{ domain: HOST, methods: ['GET'], ports: [80, 8080] }]],
    privateEndpoints: parsePrivateEndpoints(HOST),
  });
  const get = async (url: string): Promise<Duplex> => (await gate.admit('GET', parseUrl(url), '')).connection;
  expect(await refusal(get(`http://${HOST}:8080/`))).toBe('egress.refused');
  (await get(`http://${HOST}/`)).destroy();
  expect(outside.dials).toMatchObject([{ address: '10.0.0.1', port: 80 }]);
});

it('a raw connection reaches the port of a private host that the operator named, and no other', async () => {
  outside.addressesOf = () => ['10.0.0.1'];
  const gate = gateOf({ privateEndpoints: parsePrivateEndpoints(`${HOST}:993`) });
  expect(await refusal(gate.connect(IMAP, ''))).toBe('egress.refused');
  (await gate.connect(IMAPS, '')).destroy();
  expect(outside.dials).toMatchObject([{ address: '10.0.0.1', port: 993 }]);
});
