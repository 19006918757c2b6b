// SPDX-License-Identifier: Apache-2.0
import { EVENTS, PROCESSES, REQUESTS, subjectsOf, type EventKind, type Process } from '@writ/contract';
import { workLanesOf } from './lanes.ts';

/**
 * The permissions of a user of the bus, in the form of nats-server: a subject that is absent is forbidden. A queue
 * follows its subject, separated by a space.
 */
export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** The user may publish once to the reply subject of each request that it received: for processes that serve. */
  readonly mayRespond: boolean;
}

/**
 * The process that publishes on the work lanes, and the process that consumes from them. Only the publisher may make
 * and delete the stream.
 */
const LANE_PUBLISHER: Process = 'kernel';
const LANE_CONSUMER: Process = 'executor';

/** Every inbox starts so. Replies go to inboxes only. */
export const inboxRoot = '_INBOX_';

/** The prefix of the subjects on which a user receives replies. No other user may subscribe there. */
export function inboxPrefixOf(user: string): string {
  return `${inboxRoot}${user}`;
}

/** Derives the permissions of a process from the subject table of the contract. */
export function permissionsOf(process: Process, shard: string): Permissions {
  const subjects = subjectsOf(shard);
  const requested = Object.entries(REQUESTS).filter(([, { clients }]) => clients.includes(process));
  const served = Object.entries(REQUESTS).filter(([, { server }]) => server === process);
  const events = Object.entries(EVENTS) as [
    EventKind,
    { publishers: readonly Process[]; subscribers: readonly Process[] },
  ][];
  const published = events.filter(([, { publishers }]) => publishers.includes(process));
  const subscribed = events.filter(([, { subscribers }]) => subscribers.includes(process));
  return {
    publish: [
      ...requested.map(([name]) => subjects.request(name)),
      ...published.map(([kind]) => subjects.allEvents(kind)),
      ...(process === LANE_PUBLISHER ? lanePublisherSubjects(shard) : []),
      ...(process === LANE_CONSUMER ? laneConsumerSubjects(shard) : []),
    ],
    subscribe: [
      `${inboxPrefixOf(process)}.>`,
      // Only within the queue of its name: a subscription without it would get a copy of every request.
      ...served.map(([name]) => `${subjects.request(name)} ${process}`),
      ...subscribed.map(([kind]) => subjects.allEvents(kind)),
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

function lanePublisherSubjects(shard: string): string[] {
  const { stream, lanes } = workLanesOf(shard);
  return [
    ...lanes.map(({ subject }) => subject),
    ...['CREATE', 'DELETE'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
    ...lanes.map(({ subject, durable }) => `$JS.API.CONSUMER.CREATE.${stream}.${durable}.${subject}`),
  ];
}

function laneConsumerSubjects(shard: string): string[] {
  const { stream, lanes } = workLanesOf(shard);
  return lanes.flatMap(({ durable }) => [
    `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
    `$JS.ACK.${stream}.${durable}.>`,
  ]);
}
