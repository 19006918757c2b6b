// SPDX-License-Identifier: Apache-2.0
// What an upgrade looks up in the cluster. Helm runs in another process, and this one answers as the API server.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chartTools, describeChart, exampleFile, SMALL } from './chart.contract.ts';
import { CHART, NAMESPACE, RELEASE } from './render.ts';

const CONFIG_MAP = `${RELEASE}-writ-public-keys`;
const CORE = {
  kind: 'APIResourceList',
  groupVersion: 'v1',
  resources: [{ name: 'configmaps', singularName: 'configmap', namespaced: true, kind: 'ConfigMap', verbs: ['get'] }],
};

/** An API server with at most one ConfigMap: the public keys of a release. */
const fakeServer = (logKeys: () => readonly string[] | null): Server =>
  createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://api').pathname;
    const keys = logKeys();
    const objects: Readonly<Record<string, unknown>> = {
      '/api/v1': CORE,
      ...(keys !== null && {
        [`/api/v1/namespaces/${NAMESPACE}/configmaps/${CONFIG_MAP}`]: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: CONFIG_MAP, namespace: NAMESPACE },
          data: { 'log-keys.json': JSON.stringify({ keys }) },
        },
      }),
    };
    const found = objects[path];
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(found ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }),
    );
  });

describeChart('the name of the deployment on an upgrade', () => {
  let folder: string;
  let server: Server;
  let keys: readonly string[] | null = null;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'writ-lookup-'));
    server = fakeServer(() => keys);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: url } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      users: [{ name: 'u', user: {} }],
      'current-context': 'c',
    };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  const render = async (): Promise<string> => {
    const args = ['template', RELEASE, CHART, '--namespace', NAMESPACE, '--is-upgrade', '--dry-run=server'];
    const values = ['--values', exampleFile(SMALL), '--set', 'deployment=writ.two'];
    const env = { ...process.env, KUBECONFIG: join(folder, 'config.json'), HELM_CACHE_HOME: folder };
    const { stdout } = await promisify(execFile)(chartTools().helm, [...args, ...values], {
      env,
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  };

  test('is accepted where the published log keys have it, and where there are none yet', async () => {
    keys = ['writ.two+00000000+AAAA', 'writ.two+00000001+AA+A'];
    await expect(render()).resolves.toContain('kind: StatefulSet');
    keys = null;
    await expect(render()).resolves.toContain('kind: StatefulSet');
  });

  test('is refused where the published log keys have another, with both names and what to set', async () => {
    keys = ['writ.one+00000000+AAAA'];
    await expect(render()).rejects.toThrow(
      new RegExp(
        `\`deployment\` is \`writ\\.two\`, and the log keys in the ConfigMap \`${CONFIG_MAP}\` have the name ` +
          '`writ\\.one`: .*Set `deployment` to `writ\\.one`',
      ),
    );
  });
});
