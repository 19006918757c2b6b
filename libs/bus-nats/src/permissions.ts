// SPDX-License-Identifier: Apache-2.0
import { EVENTS, PROCESSES, REQUESTS, subjectsOf, type EventKind, type Process } from '@writ/contract';
import { workLanesOf } from './lanes.ts';

/**
 * What a user of the bus may do, as nats-server has it: everything absent is forbidden. A queue stands after its
 * subject, separated by a space.
 */
export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** May publish once to the reply subject of each request received: for processes that serve. */
  readonly mayRespond: boolean;
}

/**
 * Which process publishes on the work lanes, and which one takes from them. Only the publisher may make and delete the
 * stream.
 */
const RINGS: Process = 'kernel';
const WORKS: Process = 'executor';

/** Every inbox starts so; a reply goes nowhere else. */
export const inboxRoot = '_INBOX_';

/** The prefix of the subjects on which a user gets answers. Nobody else may listen there. */
export function inboxPrefixOf(user: string): string {
  return `${inboxRoot}${user}`;
}

/** Derives what a process may do from the subject table of the contract. */
export function permissionsOf(process: Process, shard: string): Permissions {
  const subjects = subjectsOf(shard);
  const asked = Object.entries(REQUESTS).filter(([, { clients }]) => clients.includes(process));
  const served = Object.entries(REQUESTS).filter(([, { server }]) => server === process);
  const events = Object.entries(EVENTS) as [
    EventKind,
    { publishers: readonly Process[]; subscribers: readonly Process[] },
  ][];
  const told = events.filter(([, { publishers }]) => publishers.includes(process));
  const heard = events.filter(([, { subscribers }]) => subscribers.includes(process));
  return {
    publish: [
      ...asked.map(([name]) => subjects.request(name)),
      ...told.map(([kind]) => subjects.allEvents(kind)),
      ...(process === RINGS ? ringing(shard) : []),
      ...(process === WORKS ? working(shard) : []),
    ],
    subscribe: [
      `${inboxPrefixOf(process)}.>`,
      // Only within the queue of its name: a subscription beside it would get a copy of every request.
      ...served.map(([name]) => `${subjects.request(name)} ${process}`),
      ...heard.map(([kind]) => subjects.allEvents(kind)),
    ],
    mayRespond: served.length > 0,
  };
}

/** The permissions of every process of a shard. */
export function allPermissions(shard: string): Readonly<Record<Process, Permissions>> {
  return Object.fromEntries(PROCESSES.map((process) => [process, permissionsOf(process, shard)])) as Record<
    Process,
    Permissions
  >;
}

function ringing(shard: string): string[] {
  const { stream, lanes } = workLanesOf(shard);
  return [
    ...lanes.map(({ subject }) => subject),
    ...['CREATE', 'DELETE'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
    ...lanes.map(({ subject, durable }) => `$JS.API.CONSUMER.CREATE.${stream}.${durable}.${subject}`),
  ];
}

function working(shard: string): string[] {
  const { stream, lanes } = workLanesOf(shard);
  return lanes.flatMap(({ durable }) => [
    `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
    `$JS.ACK.${stream}.${durable}.>`,
  ]);
}
