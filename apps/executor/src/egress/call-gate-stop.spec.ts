// SPDX-License-Identifier: Apache-2.0
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@writ/contract';
import { parseUrl } from '@writ/egress';
import { PUBLIC } from '../specs/external-hosts.ts';
import { CallGate, type CallGateOptions } from './call-gate.ts';

const TARGET = parseUrl('http://a.outside.example/');

/** A gate whose dials wait until the test releases them. */
function gateWithPendingDial(more: Partial<CallGateOptions> = {}) {
  const dialled = Promise.withResolvers<AbortSignal>();
  const released = Promise.withResolvers<Duplex>();
  let announced = 0;
  const gate = new CallGate({
    net: [[{ domain: '*.outside.example', methods: ['POST'] }]],
    bytesMax: 1_000,
    requestsMax: 10,
    ports: {
      resolve: () => Promise.resolve([PUBLIC]),
      dial: (_to, signal) => {
        dialled.resolve(signal);
        return released.promise;
      },
    },
    now: () => 0,
    signal: new AbortController().signal,
    preview: null,
    confirm: () => Promise.resolve(),
    announce: () => Promise.resolve(void (announced += 1)),
    ...more,
  });
  const socket = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() });
  return {
    gate,
    socket,
    dialled: dialled.promise,
    release: () => released.resolve(socket),
    announcements: () => announced,
  };
}

it('a dial stops when the gate closes, and its request is not announced', async () => {
  const { gate, socket, dialled, release, announcements } = gateWithPendingDial();
  const admission = gate.admit('POST', TARGET, '');
  admission.catch(() => undefined);
  const signal = await dialled;
  gate.close();
  release();
  await expect(admission).rejects.toMatchObject({ code: 'egress.refused', message: 'the call has to stop' });
  await sleep(1);
  expect([signal.aborted, announcements(), socket.destroyed]).toEqual([true, 0, true]);
});

it('a dial stops when the kernel refuses, though the call has no open connection', async () => {
  let now = 0;
  let isRefused = false;
  const { gate, socket, dialled, release, announcements } = gateWithPendingDial({
    now: () => now,
    confirm: () => (isRefused ? Promise.reject(new Fault('token.revoked')) : Promise.resolve()),
  });
  const admission = gate.admit('POST', TARGET, '');
  admission.catch(() => undefined);
  const signal = await dialled;
  [now, isRefused] = [600, true];
  await expect(admission).rejects.toMatchObject({ code: 'egress.refused' });
  release();
  await sleep(1);
  expect([signal.aborted, announcements(), socket.destroyed]).toEqual([true, 0, true]);
  expect(gate.brokenBy).toBeNull();
  gate.close();
});

it('a gate of a call that has already stopped admits nothing', async () => {
  const { gate, announcements } = gateWithPendingDial({ signal: AbortSignal.abort() });
  await expect(gate.admit('POST', TARGET, '')).rejects.toMatchObject({ code: 'egress.refused' });
  expect(announcements()).toBe(0);
});

it('the addresses of a name are not given out when the kernel refuses after they were resolved', async () => {
  let now = 0;
  const { gate } = gateWithPendingDial({
    now: () => now,
    confirm: () => (now === 0 ? Promise.resolve() : Promise.reject(new Fault('token.revoked'))),
    ports: {
      resolve: () => {
        now = 2_000;
        return Promise.resolve([PUBLIC]);
      },
      dial: () => Promise.reject(new Error('nothing is dialled')),
    },
  });
  await expect(gate.resolve('a.outside.example')).rejects.toMatchObject({ code: 'egress.refused' });
  gate.close();
});
