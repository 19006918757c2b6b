// SPDX-License-Identifier: Apache-2.0
import { natsServerConfig } from '@writ/bus-nats';
import { PROCESSES, type Process } from '@writ/contract';

/** Placeholders in the file for the chart's values. */
const SHARD = '__SHARD__';
const SERVER_NAME = '__SERVER_NAME__';

/** Mount paths of the bundled server. */
const TLS = { certFile: '/etc/nats-server/tls.crt', keyFile: '/etc/nats-server/tls.key' };
const STORE_DIR = '/var/lib/nats';

/** A shard name that no deployment uses and no other word contains. */
const SHARD_STAND_IN = 'zzshardzz';

const passwordOf = (process: Process): string => `password_of_${process}`;

/** The configuration of the bundled NATS, from the code. The server reads the passwords from its environment. */
export function natsConf(): string {
  const users = Object.fromEntries(PROCESSES.map((process) => [process, passwordOf(process)])) as Record<
    Process,
    string
  >;
  const made = natsServerConfig({
    host: '0.0.0.0',
    port: 4222,
    storeDir: STORE_DIR,
    users,
    serverName: SERVER_NAME,
    shard: SHARD_STAND_IN,
    tls: TLS,
  });
  const text = PROCESSES.reduce(
    (left, process) => left.replace(`"${passwordOf(process)}"`, `$WRIT_NATS_PASSWORD_${process.toUpperCase()}`),
    made,
  );
  return `# Made by tools/src/chart from libs/bus-nats; don't edit.\n${text.replaceAll(SHARD_STAND_IN, SHARD)}`;
}
