// SPDX-License-Identifier: Apache-2.0
//
// The keys of a deployment, and which process reads which. A process reads only its own set. INVARIANT (order): a set
// is made after all sets above it. So a missing set above an existing one was deleted.
import { PROCESSES, type Process } from '@writ/contract';
import { LOGIN_ROLES, type LoginRole } from '@writ/database';
import {
  firstRing,
  newKey,
  newPassword,
  newPlatformKey,
  newSealingKey,
  platformKeyHash,
  publishedTexts,
} from '@writ/nest-kit/keys';
import { parseRing } from '@writ/signing';
import { newAuthority, newPrivateKey, serverCertificate } from './certificates.ts';
import { conflictOfName } from './deployment-name.ts';

/** A folder of files, or a Secret or ConfigMap. */
export interface KeySet {
  readonly name: string;
  /** Open sets have nothing secret. */
  readonly open: boolean;
  readonly entries: readonly KeyEntry[];
  /** Why existing entries can't serve this deployment, and what to do; null where they can. */
  readonly conflict?: (entries: Readonly<Record<string, string>>) => string | null;
}

export interface KeyEntry {
  readonly name: string;
  readonly make: (lookup: KeyLookup) => string | Promise<string>;
  /** What is lost with the entry, where it can't be made again. */
  readonly lost?: string;
}

/** The entries that were read or made so far. */
export interface KeyLookup {
  /** Undefined where that set or entry doesn't exist. */
  readonly find: (set: string, entry: string) => string | undefined;
  /** @throws Error where it doesn't exist */
  readonly get: (set: string, entry: string) => string;
}

export interface LayoutOptions {
  /** names the log's key in checkpoints */
  readonly deployment: string;
  /** names of the bundled NATS in its certificate; none: NATS is not bundled */
  readonly natsHosts: readonly string[];
  /** names of the bundled Postgres in its certificate */
  readonly postgresHosts: readonly string[];
  readonly now: () => Date;
}

/** The Postgres roles of each process. */
const ROLES: Readonly<Record<Process, readonly LoginRole[]>> = {
  kernel: ['writ_kernel', 'writ_kernel_worker'],
  ledger: ['writ_ledger'],
  executor: ['writ_executor'],
  orchestrator: ['writ_orchestrator'],
};
const PROCESS_OF = Object.fromEntries(
  PROCESSES.flatMap((process) => ROLES[process].map((role) => [role, process])),
) as Record<LoginRole, Process>;

const ring = (name: string, lost: string): KeyEntry => ({ name, make: () => firstRing(newKey()), lost });
const sealingKey = (name: string, lost: string): KeyEntry => ({ name, make: newSealingKey, lost });

/** Each password is in two sets, the client's and the server's: a missing one is copied from the other. */
const passwordsOf = (process: Process): readonly KeyEntry[] => [
  { name: 'nats-password', make: ({ find }) => find('nats-server', process) ?? newPassword() },
  ...ROLES[process].map((role): KeyEntry => ({
    name: `postgres-${role}`,
    make: ({ find }) => find('migrate', role) ?? newPassword(),
  })),
];

const secret = (name: string, entries: readonly KeyEntry[]): KeySet => ({ name, open: false, entries });

/** The sets of the services, and the passwords of roles for the migrations. */
const SERVICES: readonly KeySet[] = [
  secret('kernel', [
    ring('permit.json', 'permits that are on their way'),
    ring('record.json', 'the key that signed the records so far'),
    sealingKey('master.key', 'every secret and every sealed content in the database'),
    ...passwordsOf('kernel'),
  ]),
  secret('ledger', [ring('checkpoint.json', 'the key that signed the log so far'), ...passwordsOf('ledger')]),
  secret('executor', passwordsOf('executor')),
  secret('platform-key', [{ name: 'platform-api-key', make: newPlatformKey }]),
  secret('orchestrator', [
    sealingKey('webhook.key', 'the sealed secrets of webhooks'),
    { name: 'platform-key.sha256', make: ({ get }) => platformKeyHash(get('platform-key', 'platform-api-key')) },
    ...passwordsOf('orchestrator'),
  ]),
  secret(
    'migrate',
    LOGIN_ROLES.map((role) => ({ name: role, make: ({ get }) => get(PROCESS_OF[role], `postgres-${role}`) })),
  ),
];

const authority = (now: () => Date): KeySet =>
  secret('ca-key', [
    { name: 'ca.key', make: newPrivateKey },
    { name: 'ca.crt', make: ({ get }) => newAuthority(get('ca-key', 'ca.key'), now()) },
  ]);

function server(
  name: string,
  hosts: readonly string[],
  entries: readonly KeyEntry[],
  now: () => Date,
): readonly KeySet[] {
  if (hosts.length === 0) return [];
  return [
    secret(name, [
      ...entries,
      { name: 'tls.key', make: newPrivateKey },
      {
        name: 'tls.crt',
        make: ({ get }) =>
          serverCertificate(
            { hosts, key: get(name, 'tls.key'), ca: { key: get('ca-key', 'ca.key'), cert: get('ca-key', 'ca.crt') } },
            now(),
          ),
      },
    ]),
  ];
}

/** The key sets of a deployment, in the order in which they are made. */
export function keySets({ deployment, natsHosts, postgresHosts, now }: LayoutOptions): readonly KeySet[] {
  const servers = [
    ...server(
      'nats-server',
      natsHosts,
      PROCESSES.map((process) => ({ name: process, make: ({ get }) => get(process, 'nats-password') })),
      now,
    ),
    ...server('postgres-server', postgresHosts, [{ name: 'password', make: newPassword }], now),
  ];
  const ca: KeySet = {
    name: 'ca',
    open: true,
    entries: [{ name: 'ca.crt', make: ({ get }) => get('ca-key', 'ca.crt') }],
  };
  return [...SERVICES, ...(servers.length === 0 ? [] : [authority(now), ...servers, ca]), publicKeys(deployment)];
}

/** The entries of the published keys, by content. */
export const PUBLISHED = {
  permit: 'permit-keys.json',
  record: 'record-keys.json',
  log: 'log-keys.json',
  checkpoint: 'checkpoint-keys.json',
  all: 'public-keys.json',
} as const;

function publicKeys(deployment: string): KeySet {
  const texts = ({ get }: KeyLookup): ReturnType<typeof publishedTexts> =>
    publishedTexts(
      {
        permit: parseRing(get('kernel', 'permit.json')),
        record: parseRing(get('kernel', 'record.json')),
        checkpoint: parseRing(get('ledger', 'checkpoint.json')),
      },
      deployment,
    );
  const names = Object.keys(PUBLISHED) as (keyof typeof PUBLISHED)[];
  return {
    name: 'public-keys',
    open: true,
    entries: names.map((name) => ({ name: PUBLISHED[name], make: (lookup) => texts(lookup)[name] })),
    conflict: ({ [PUBLISHED.log]: text }) => (text === undefined ? null : conflictOfName(text, deployment)),
  };
}
