// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { VERSION } from '@writ/nest-kit/version';
import { certificateEnd } from '../certificate-end.ts';
import type { Check } from '../check.ts';
import { Broken, demand, NotApplicable, NotMade } from '../finding.ts';
import { memberOf, numberIn, textIn, type JsonObject } from '../doctor-api.ts';
import { momentOf } from '../../terminal.ts';
import type { World } from '../world.ts';

/** Deadlines and permits live for seconds, so clocks of the installation must agree better than that. */
const APART_MAX_MS = 1_000;
/** The clock of the machine that examines needs only to be right. */
const OWN_APART_MAX_MS = 60_000;

const systemOf = async (world: World): Promise<JsonObject> => await world.platform.must('GET', '/v1/system');

/** Readings of what a moment of load can change. */
const READINGS = 4;

/** How far clocks are ahead of the database's, and the clock of this machine of the orchestrator's. */
async function clocksOf(world: World): Promise<Readonly<Record<'orchestrator' | 'kernel' | 'own', number>>> {
  const system = await systemOf(world);
  const here = Date.now();
  const nowOf = (name: string): number => numberIn(memberOf(system, name), 'now');
  const [orchestrator, database] = [nowOf('orchestrator'), nowOf('database')];
  return { orchestrator: orchestrator - database, kernel: nowOf('kernel') - database, own: here - orchestrator };
}

/** The report asks one after the other, so a busy machine makes clocks look apart; each reading would have to. */
const areApart = (...ahead: readonly number[]): boolean => ahead.some((ms) => Math.abs(ms) > APART_MAX_MS);

const clocks: Check = {
  id: 'clocks',
  invariant: 'The clocks of services and database agree within a second',
  obligatory: true,
  run: async (world) => {
    let { orchestrator, kernel, own } = await clocksOf(world);
    for (let reading = 1; reading < READINGS && areApart(orchestrator, kernel); reading += 1)
      ({ orchestrator, kernel, own } = await clocksOf(world));
    const apart = [`orchestrator ${ahead(orchestrator)}`, `kernel ${ahead(kernel)}`];
    demand(!areApart(orchestrator, kernel), `beside the database's clock: ${apart.join(', ')}`);
    demand(Math.abs(own) <= OWN_APART_MAX_MS, `this machine and the server are ${ahead(own)} apart`);
    return `beside the database's clock: ${apart.join(', ')}, this machine ${ahead(own)}`;
  },
};

const ahead = (ms: number): string => `${ms < 0 ? '−' : '+'}${String(Math.abs(ms))} ms`;

const DURABILITY = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

const durability: Check = {
  id: 'durability',
  invariant: 'What the database has committed survives a power cut',
  obligatory: true,
  run: async (world) => {
    const database = memberOf(await systemOf(world), 'database');
    const settings = memberOf(database, 'settings');
    const shown = Object.entries(settings).map(([name, value]) => `${name} ${String(value)}`);
    const [fsync, pages, commit] = DURABILITY.map((name) => textIn(settings, name));
    if (fsync === '' || pages === '' || commit === '') throw new NotMade('the report lacks a setting of the database');
    const isSafe = fsync === 'on' && pages === 'on' && commit !== 'off';
    demand(isSafe && database['durable'] === true, `the settings don't let it: ${shown.join(', ')}`);
    return shown.join(', ');
  },
};

const versions: Check = {
  id: 'versions',
  invariant: 'Services are of one version',
  obligatory: true,
  run: async (world) => {
    const system = await systemOf(world);
    const [orchestrator, kernel] = ['orchestrator', 'kernel'].map((name) => textIn(memberOf(system, name), 'version'));
    if (orchestrator === '' || kernel === '') throw new NotMade('the report lacks a version');
    demand(orchestrator === kernel, `the orchestrator is ${orchestrator ?? ''}, and the kernel ${kernel ?? ''}`);
    const own = orchestrator === VERSION ? '' : `; this program is ${VERSION}`;
    return `${orchestrator ?? ''}, with Postgres ${textIn(memberOf(system, 'database'), 'version')}${own}`;
  },
};

const DAY_MS = 86_400_000;
/** Time to renew one, in days. */
const CERTIFICATE_DAYS_MIN = 14;

const certificate: Check = {
  id: 'certificate',
  invariant: 'The certificate of the API is good for two weeks',
  obligatory: false,
  run: async (world) => {
    const { protocol, hostname, port } = new URL(world.platform.client.url);
    if (protocol !== 'https:') throw new NotApplicable('the address is plain http, so there is no certificate');
    const end = await certificateEnd({ hostname, port });
    const days = Math.floor((end - Date.now()) / DAY_MS);
    demand(days >= CERTIFICATE_DAYS_MIN, `it ends ${momentOf(end)}, in ${String(days)} days`);
    return `until ${momentOf(end)}`;
  },
};

/** A pool that is busy for a moment is none that is too small. */
const BETWEEN_MS = 250;

const pool: Check = {
  id: 'pool',
  invariant: 'The kernel has connections to the database left',
  obligatory: false,
  run: async (world) => {
    let worst = '';
    for (let reading = 0; reading < READINGS; reading += 1) {
      const system = await systemOf(world);
      const pools = Object.values(memberOf(memberOf(system, 'kernel'), 'pools')) as JsonObject[];
      if (pools.length === 0) throw new NotMade('the report has no pools');
      const allowed = pools.reduce((sum, each) => sum + numberIn(each, 'connections_max'), 0);
      const offered = numberIn(memberOf(system, 'database'), 'connections_max');
      demand(
        allowed <= offered,
        `the kernel may open ${String(allowed)} connections, and the database has ${String(offered)}`,
      );
      const waiting = pools.reduce((sum, each) => sum + numberIn(each, 'waiting'), 0);
      if (waiting === 0) return `up to ${String(allowed)} of the database's ${String(offered)}, and nobody waits`;
      worst = `${String(waiting)} requests wait for a connection`;
      await sleep(BETWEEN_MS);
    }
    throw new Broken(worst);
  },
};

/** Records reach the ledger within milliseconds. */
const WAITED_MAX_MS = 30_000;

const outbox: Check = {
  id: 'outbox',
  invariant: 'Records reach the log within half a minute',
  obligatory: true,
  run: async (world) => {
    const system = await systemOf(world);
    const outboxOf = memberOf(system, 'outbox');
    const rows = numberIn(outboxOf, 'rows');
    if (rows === 0) return 'no record waits';
    const waited = numberIn(memberOf(system, 'database'), 'now') - numberIn(outboxOf, 'oldest_at');
    demand(waited <= WAITED_MAX_MS, `${String(rows)} records wait, the oldest for ${String(waited)} ms`);
    return `${String(rows)} records wait, the oldest for ${String(Math.max(0, waited))} ms`;
  },
};

export const INSTALLATION_CHECKS: readonly Check[] = [clocks, durability, versions, outbox, certificate, pool];
