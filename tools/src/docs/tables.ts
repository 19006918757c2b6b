// SPDX-License-Identifier: Apache-2.0
// Parts of documents that are generated from the code that they describe.
import { inboxPrefixOf, permissionsOf } from '@writ/bus-nats';
import {
  EVENTS,
  FAULT_ANSWERS,
  FAULTS,
  LIMITS,
  NOTICES,
  PROCESSES,
  REQUESTS,
  subjectsOf,
  TOOLS,
  type FaultCode,
  type Process,
} from '@writ/contract';
import { code, list, table } from './table.ts';

/** Stands for any shard; no deployment uses this name. */
const SHARD = 'shard';

const codes = (texts: readonly string[]): string => texts.map(code).join(', ');

const KIB = 1024;

/** The unit is the last word of a limit's name. */
function amountOf(name: string, max: number): string {
  if (name.endsWith('Ms')) return max % 1000 === 0 ? `${max / 1000} s` : `${max} ms`;
  if (!name.endsWith('Bytes')) return String(max);
  if (max % (KIB * KIB) === 0) return `${max / KIB / KIB} MiB`;
  return max % KIB === 0 ? `${max / KIB} KiB` : `${max} bytes`;
}

export function limitsTable(): string {
  return table(
    ['limit', 'at most', 'beyond it', 'why'],
    Object.entries(LIMITS).map(([name, { max, fault, why }]) => [code(name), amountOf(name, max), code(fault), why]),
  );
}

export function faultsTable(): string {
  return table(
    ['code', 'HTTP', 'answer', 'try again', 'meaning'],
    Object.entries(FAULTS).map(([name, { status, retry, message }]) => [
      `[${code(name)}](../errors/${name}.md)`,
      String(status),
      FAULT_ANSWERS[name as FaultCode],
      retry,
      message,
    ]),
  );
}

export function toolsTable(): string {
  return table(
    ['tool', 'category', 'runs', 'changes files', 'what it does'],
    [...TOOLS.values()].map((tool) => [
      code(tool.tool_id),
      tool.category,
      tool.class === 'inline' ? 'in the executor' : 'in a container',
      tool.mutating ? 'yes' : 'no',
      tool.description,
    ]),
  );
}

/** Verbs of one server for the same clients share an item. */
export function requestsList(): string {
  const items = new Map<string, string[]>();
  for (const [name, { server, clients }] of Object.entries(REQUESTS)) {
    const title = `**${server}** answers **${clients.join('** and **')}**`;
    items.set(title, [...(items.get(title) ?? []), name]);
  }
  return list([...items].map(([title, verbs]) => `${title}: ${codes(verbs)}`));
}

export function noticesTable(): string {
  return table(
    ['`type`', 'when'],
    Object.entries(NOTICES).map(([kind, when]) => [code(kind), when]),
  );
}

export function eventsList(): string {
  return list(
    Object.entries(EVENTS).map(
      ([kind, { publishers, subscribers }]) =>
        `${code(kind)}: published by ${publishers.join(', ')}; received by ${subscribers.join(', ')}`,
    ),
  );
}

/** The other rights of a user beyond the two lists above: its inbox, and the work lanes. */
export function permissionsList(): string {
  const subjects = subjectsOf(SHARD);
  const listed = new Set([
    ...Object.keys(REQUESTS).map((name) => subjects.request(name)),
    ...Object.keys(EVENTS).map((kind) => subjects.allEvents(kind as keyof typeof EVENTS)),
  ]);
  const rest = (all: readonly string[]): string =>
    codes(
      all.filter((entry) => !listed.has(entry.split(' ')[0] ?? '')).map((entry) => entry.replaceAll(SHARD, '<shard>')),
    ) || 'nothing more';
  return list(
    PROCESSES.flatMap((process: Process) => {
      const { publish, subscribe, mayRespond } = permissionsOf(process, SHARD);
      if (!subscribe.some((entry) => entry.startsWith(inboxPrefixOf(process))))
        throw new Error(`\`${process}\` has no inbox of its own`);
      return [
        `**${process}** may publish: ${rest(publish)}`,
        `**${process}** may subscribe to: ${rest(subscribe)}`,
        `**${process}** may answer: ${mayRespond ? 'each request once' : 'no request'}`,
      ];
    }),
  );
}

/** A row of the HTTP API's route table, with the fields of a document. */
export interface RouteFacts {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly allowed: readonly string[] | 'platform' | 'public';
}

const ROLES = ['admin', 'operator', 'agent', 'auditor', 'worker', 'platform'] as const;

export function rolesTable(routes: readonly RouteFacts[]): string {
  const asked = routes.filter(({ allowed }) => typeof allowed !== 'string');
  return table(
    ['route', ...ROLES.map((role) => (role === 'platform' ? 'the platform key' : role)), 'what it does'],
    asked.map(({ method, path, allowed, summary }) => [
      code(`${method} ${path}`),
      ...ROLES.map((role) => (allowed.includes(role) ? '✔' : '')),
      summary,
    ]),
  );
}

export function otherRoutesTable(routes: readonly RouteFacts[]): string {
  return table(
    ['route', 'who', 'what it does'],
    routes.flatMap(({ method, path, allowed, summary }) =>
      typeof allowed === 'string'
        ? [[code(`${method} ${path}`), allowed === 'platform' ? 'the platform key alone' : 'everybody', summary]]
        : [],
    ),
  );
}
