// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { pythonPackages } from './python-packages.ts';

/** A real CalDAV server on loopback. */
export interface Radicale {
  readonly port: number;
  /** Sends a request as the user, and returns its status. */
  readonly request: (method: string, target: string, body: string) => Promise<number>;
  readonly stop: () => Promise<void>;
}

const PACKAGES = {
  radicale: '3.9.0',
  defusedxml: '0.7.1',
  libpass: '1.9.4',
  vobject: '0.9.9',
  'python-dateutil': '2.9.0.post0',
  six: '1.17.0',
  pytz: '2026.6',
};

/** Starts one with one account. Null where it can't be installed: the caller skips its tests by name. */
export async function startRadicale(user: string, password: string): Promise<Radicale | null> {
  const path = await pythonPackages(PACKAGES);
  if (path === null) return null;
  const folder = await mkdtemp(join(tmpdir(), 'radicale-'));
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  await writeFile(join(folder, 'users'), `${user}:${password}\n`);
  await writeFile(join(folder, 'config'), configuration(folder, port));
  const env = { PATH: process.env['PATH'], HOME: folder, PYTHONPATH: path, PYTHONUTF8: '1' };
  const server = spawn('python3', ['-m', 'radicale', '--config', join(folder, 'config')], {
    env,
    cwd: folder,
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const answers = (): Promise<boolean> =>
    fetch(`${base}/.web/`).then(
      () => true,
      () => false,
    );
  while (!(await answers()) && server.exitCode === null) await sleep(100);
  if (server.exitCode !== null) throw new Error(`Radicale ended with ${server.exitCode}`);
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return {
    port,
    request: async (method, target, body) => {
      const type = method === 'PUT' ? 'text/calendar' : 'application/xml';
      const headers = { authorization, 'content-type': `${type}; charset=utf-8` };
      return (await fetch(`${base}${target}`, { method, headers, body })).status;
    },
    stop: async () => {
      server.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, port: number): string {
  const sections = {
    server: { hosts: `127.0.0.1:${port}` },
    auth: { type: 'htpasswd', htpasswd_filename: join(folder, 'users'), htpasswd_encryption: 'plain', delay: '0' },
    rights: { type: 'owner_only' },
    storage: { filesystem_folder: join(folder, 'data') },
  };
  return Object.entries(sections)
    .flatMap(([name, rows]) => [`[${name}]`, ...Object.entries(rows).map(([key, value]) => `${key} = ${value}`)])
    .join('\n');
}
