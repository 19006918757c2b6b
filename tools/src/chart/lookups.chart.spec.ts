// SPDX-License-Identifier: Apache-2.0
// What an upgrade looks up in the cluster. Helm runs in another process, and this one answers as the API server.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { chartTools, describeChart, exampleFile, SMALL } from './chart.contract.ts';
import { CHART, NAMESPACE, RELEASE } from './render.ts';

const CONFIG_MAP = `${RELEASE}-writ-public-keys`;
const DEPLOYMENT = `${RELEASE}-writ-executor`;
const listOf = (groupVersion: string, kind: string) => ({
  kind: 'APIResourceList',
  groupVersion,
  resources: [
    { name: `${kind.toLowerCase()}s`, singularName: kind.toLowerCase(), namespaced: true, kind, verbs: ['get'] },
  ],
});

/** What the cluster has of a release: the public keys of its log, and the sandbox image of its executors. */
interface Running {
  readonly logKeys?: readonly string[];
  readonly sandboxImage?: string;
}

const objectsOf = ({ logKeys, sandboxImage }: Running): Readonly<Record<string, unknown>> => ({
  '/api/v1': listOf('v1', 'ConfigMap'),
  '/apis/apps/v1': listOf('apps/v1', 'Deployment'),
  ...(logKeys !== undefined && {
    [`/api/v1/namespaces/${NAMESPACE}/configmaps/${CONFIG_MAP}`]: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: CONFIG_MAP, namespace: NAMESPACE },
      data: { 'log-keys.json': JSON.stringify({ keys: logKeys }) },
    },
  }),
  ...(sandboxImage !== undefined && {
    [`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${DEPLOYMENT}`]: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: DEPLOYMENT, namespace: NAMESPACE },
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'executor', env: [{ name: 'OTHER' }, { name: 'WRIT_SANDBOX_IMAGE', value: sandboxImage }] },
              { name: 'sidecar' },
            ],
          },
        },
      },
    },
  }),
});

/** An API server that has these objects alone. */
const fakeServer = (running: () => Running): Server =>
  createServer((request, response) => {
    const found = objectsOf(running())[new URL(request.url ?? '', 'http://api').pathname];
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(found ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }),
    );
  });

/** The images of which the admission policy permits sandboxes. */
const imagesIn = (manifests: string): readonly string[] => {
  const policy = parseAllDocuments(manifests)
    .map((document) => document.toJS() as Policy | null)
    .find((each) => each?.kind === 'ValidatingAdmissionPolicy' && each.metadata.name.endsWith('-pods'));
  const list = policy?.spec.variables.find(({ name }) => name === 'images')?.expression;
  return JSON.parse(list ?? '[]') as string[];
};
interface Policy {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly variables: readonly { readonly name: string; readonly expression: string }[] };
}

describeChart('what an upgrade looks up', () => {
  let folder: string;
  let server: Server;
  let running: Running = {};
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'writ-lookup-'));
    server = fakeServer(() => running);
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

  test('the name of the deployment is accepted where the published log keys have it, and where there are none yet', async () => {
    running = { logKeys: ['writ.two+00000000+AAAA', 'writ.two+00000001+AA+A'] };
    await expect(render()).resolves.toContain('kind: StatefulSet');
    running = {};
    await expect(render()).resolves.toContain('kind: StatefulSet');
  });

  test('the name of the deployment is refused where the published log keys have another, with both names and what to set', async () => {
    running = { logKeys: ['writ.one+00000000+AAAA'] };
    await expect(render()).rejects.toThrow(
      new RegExp(
        `\`deployment\` is \`writ\\.two\`, and the log keys in the ConfigMap \`${CONFIG_MAP}\` have the name ` +
          '`writ\\.one`: .*Set `deployment` to `writ\\.one`',
      ),
    );
  });
  test('the image of executors that still run is permitted beside the new one, once', async () => {
    running = {};
    const [own = ''] = imagesIn(await render());
    running = { sandboxImage: 'writ-sandbox:before' };
    expect(imagesIn(await render())).toEqual([own, 'writ-sandbox:before']);
    running = { sandboxImage: own };
    expect(imagesIn(await render())).toEqual([own]);
  });
});
