// SPDX-License-Identifier: Apache-2.0
import { errors, type NatsConnection } from '@nats-io/transport-node';
import { EVENTS, PROCESSES, REQUESTS, subjectsOf, type EventKind, type Process } from '@writ/contract';
import { startNatsServer, type TestNatsServer } from '@writ/testing';
import { connectNats } from './connect.ts';
import { LaneKeeper } from './lane-keeper.ts';
import { workLanesOf } from './lanes.ts';
import { inboxPrefixOf } from './permissions.ts';
import { natsServerConfig } from './server-config.ts';

const shard = 's0';
const subjects = subjectsOf(shard);
const lanes = workLanesOf(shard);
const password = 'a-password-of-a-test';
const users = { orchestrator: password, kernel: password, executor: password, ledger: password };

/** The oracle is written out here, so that a mistake in the generator doesn't repeat itself. */
const requestRows = Object.entries(REQUESTS).map(([name, row]) => ({ subject: `writ.v1.s0.${name}`, ...row }));
const eventRows = (Object.keys(EVENTS) as EventKind[]).map((kind) => ({
  subject: `writ.v1.s0.event.ten_a.${kind}`,
  pattern: `writ.v1.s0.event.*.${kind}`,
  ...EVENTS[kind],
}));
const workSubjects = ['writ.v1.s0.work.inline', 'writ.v1.s0.work.sandboxed', 'writ.v1.s0.work.broker'];
const lanesApi = ['STREAM.CREATE', 'STREAM.DELETE'].map((verb) => `$JS.API.${verb}.writ_s0_work`);
const consumerApi = ['inline', 'sandboxed', 'broker'].map(
  (lane) => `$JS.API.CONSUMER.CREATE.writ_s0_work.${lane}.writ.v1.s0.work.${lane}`,
);
const workerApi = ['inline', 'sandboxed', 'broker'].flatMap((lane) => [
  `$JS.API.CONSUMER.INFO.writ_s0_work.${lane}`,
  `$JS.API.CONSUMER.MSG.NEXT.writ_s0_work.${lane}`,
  `$JS.ACK.writ_s0_work.${lane}.1.1.1.1.1`,
]);
/** Subjects that no process may publish to: other users' streams, everything at once, the server's own. */
const forbiddenToAll = [
  '$JS.API.INFO',
  '$JS.API.STREAM.NAMES',
  '$JS.API.STREAM.LIST',
  '$JS.API.STREAM.PURGE.writ_s0_work',
  '$JS.API.STREAM.UPDATE.writ_s0_work',
  '$JS.API.STREAM.INFO.writ_s0_work',
  '$JS.API.STREAM.MSG.GET.writ_s0_work',
  '$JS.API.STREAM.MSG.DELETE.writ_s0_work',
  '$JS.API.STREAM.CREATE.other',
  '$JS.API.STREAM.DELETE.other',
  '$JS.API.CONSUMER.CREATE.writ_s0_work',
  '$JS.API.CONSUMER.CREATE.writ_s0_work.spy.writ.v1.s0.work.inline',
  '$JS.API.CONSUMER.DURABLE.CREATE.writ_s0_work.spy',
  '$JS.API.CONSUMER.DELETE.writ_s0_work.inline',
  '$JS.API.CONSUMER.MSG.NEXT.writ_s0_work.spy',
  '$JS.API.DIRECT.GET.writ_s0_work',
  '$JS.ACK.other.inline.1.1.1.1.1',
  '$SYS.REQ.SERVER.PING',
  'writ.v1.s1.kernel.admit',
  'writ.v1.s0.kernel.unheard_of',
  'writ.v1.s0.work.other',
  'anything',
];

function mayPublish(process: Process, subject: string): boolean {
  if (requestRows.some((row) => row.subject === subject && row.clients.includes(process))) return true;
  if (eventRows.some((row) => row.subject === subject && (row.publishers as readonly Process[]).includes(process)))
    return true;
  if (process === 'kernel') return [...workSubjects, ...lanesApi, ...consumerApi].includes(subject);
  return process === 'executor' && workerApi.includes(subject);
}

const publishable = [
  ...requestRows.map(({ subject }) => subject),
  ...eventRows.map(({ subject }) => subject),
  ...workSubjects,
  ...lanesApi,
  ...consumerApi,
  ...workerApi,
  ...forbiddenToAll,
  ...PROCESSES.map((process) => `${inboxPrefixOf(process)}.x.1`),
];

/**
 * Subscriptions as (subject, queue): requests with the right queue, without one and with another; wildcards over
 * everything.
 */
const subscribable: readonly {
  readonly subject: string;
  readonly queue?: string;
  readonly allowed: readonly Process[];
}[] = [
  ...requestRows.map(({ subject, server }) => ({ subject, queue: server, allowed: [server] })),
  ...requestRows.map(({ subject }) => ({ subject, allowed: [] })),
  ...requestRows.map(({ subject }) => ({ subject, queue: 'spies', allowed: [] })),
  ...eventRows.map(({ pattern, subscribers }) => ({ subject: pattern, allowed: subscribers as readonly Process[] })),
  ...PROCESSES.map((process) => ({ subject: `${inboxPrefixOf(process)}.>`, allowed: [process] })),
  ...[
    '>',
    '*',
    '_INBOX.>',
    'writ.>',
    'writ.v1.s0.>',
    'writ.v1.s0.event.>',
    'writ.v1.s0.work.>',
    'writ.v1.s0.kernel.*',
    '$JS.>',
    '$JS.API.>',
    '$JS.ACK.>',
    '$JS.EVENT.>',
    '$SYS.>',
    ...workSubjects,
  ].map((subject) => ({ subject, allowed: [] })),
];

let server: TestNatsServer;
const connections = {} as Record<Process, NatsConnection>;
/** Errors that the server sent to each connection since the last round trip. */
const violations: Record<Process, Error[]> = { orchestrator: [], kernel: [], executor: [], ledger: [] };

beforeAll(async () => {
  server = await startNatsServer((place) => natsServerConfig({ ...place, users, serverName: 'test', shard }));
  for (const process of PROCESSES) {
    const connection = await connectNats({ url: server.url, user: process, password });
    connections[process] = connection;
    void (async () => {
      for await (const status of connection.status())
        if (status.type === 'error') violations[process].push(status.error);
    })();
  }
}, 120_000);

afterAll(async () => {
  await Promise.all(Object.values(connections).map((connection) => connection.close()));
  await server.stop();
});

/** Does something and returns the subjects that the server forbade while doing it. */
async function forbiddenDuring(process: Process, act: (connection: NatsConnection) => void): Promise<string[]> {
  violations[process].length = 0;
  act(connections[process]);
  await connections[process].flush();
  // The status iterator hands errors over in a later turn than the round trip.
  await new Promise((resolve) => setImmediate(resolve));
  return violations[process].flatMap((error) =>
    error instanceof errors.PermissionViolationError ? [error.subject] : [],
  );
}

describe.each(PROCESSES)('%s', (process) => {
  test('may publish what it needs and nothing else', async () => {
    const expected = publishable.filter((subject) => !mayPublish(process, subject));
    const forbidden: string[] = [];
    for (const subject of publishable) {
      // The requests have no reply subject, so that allowed calls of JetStream's API change nothing that could be
      // observed.
      forbidden.push(...(await forbiddenDuring(process, (connection) => connection.publish(subject, 'not json'))));
    }
    expect(forbidden).toEqual(expected);
    expect(expected.length).toBeGreaterThan(30);
  });

  test('may subscribe to its requests and events and nothing else', async () => {
    for (const { subject, queue, allowed } of subscribable) {
      const forbidden = await forbiddenDuring(process, (connection) => {
        const subscription = connection.subscribe(subject, { queue, callback: () => {} });
        subscription.unsubscribe();
      });
      expect({ subject, queue, forbidden }).toEqual({
        subject,
        queue,
        forbidden: allowed.includes(process) ? [] : [subject],
      });
    }
  });
});

test('a process that serves may answer once, one that does not may not', async () => {
  const row = requestRows.find(({ subject }) => subject === 'writ.v1.s0.kernel.admit');
  expect(row).toBeDefined();
  const served = connections.kernel.subscribe('writ.v1.s0.kernel.admit', {
    queue: 'kernel',
    callback: (_error, message) => {
      message.respond('first');
      message.respond('second');
    },
  });
  await connections.kernel.flush();
  violations.kernel.length = 0;
  const reply = await connections.orchestrator.request('writ.v1.s0.kernel.admit', '', { timeout: 1_000 });
  expect(reply.string()).toBe('first');
  await connections.kernel.flush();
  await new Promise((resolve) => setImmediate(resolve));
  expect(violations.kernel).toHaveLength(1);
  served.unsubscribe();
});

test('the kernel makes the lanes, the executor works them, nobody else can', async () => {
  await new LaneKeeper(connections.kernel, lanes).ensure();
  for (const process of ['orchestrator', 'executor', 'ledger'] as const) {
    await expect(new LaneKeeper(connections[process], lanes).ensure()).rejects.toThrow();
  }
});

test('a wrong password is refused', async () => {
  await expect(connectNats({ url: server.url, user: 'kernel', password: 'a-password-that-is-wrong' })).rejects.toThrow(
    /authorization/i,
  );
  await expect(connectNats({ url: server.url, user: 'kernel' })).rejects.toThrow(/authorization/i);
});

test('names of the table and of this test agree', () => {
  expect(subjects.work('inline')).toBe(workSubjects[0]);
  expect(subjects.workStream).toBe('writ_s0_work');
});
