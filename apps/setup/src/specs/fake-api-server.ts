// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { newCertificateAuthority } from '@writ/testing';

/** An object as a client sent it. */
export interface Stored {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** The part of the Kubernetes API that is needed to make Secrets and ConfigMaps. */
export interface FakeApiServer {
  /** by `secrets/<name>` or `configmaps/<name>` */
  readonly objects: Map<string, Stored>;
  /** Answers this status to every request that matches `METHOD resource/name`. */
  readonly refuse: (pattern: RegExp, status: number) => void;
  /** Writes the files of a pod's service account below a folder, and returns the variables that name the server. */
  readonly mount: (root: string) => Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

export const NAMESPACE = 'writ-spec';
const TOKEN = 'a-token-of-a-spec';
const PATH = /^\/api\/v1\/namespaces\/([^/]+)\/(secrets|configmaps)(?:\/([^/?]+))?/;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const statusOf = (code: number, message: string): Answer => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message },
});

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Starts a server on loopback, with TLS by its own authority. */
export async function fakeApiServer(): Promise<FakeApiServer> {
  const authority = await newCertificateAuthority();
  const { cert, key } = await authority.issue([{ type: 'ip', value: '127.0.0.1' }]);
  const objects = new Map<string, Stored>();
  let version = 0;
  const refusals: { pattern: RegExp; status: number }[] = [];
  const answer = (method: string, path: string, text: string, token: string | undefined): Answer => {
    const [, namespace, resource = '', named] = PATH.exec(path) ?? [];
    if (token !== `Bearer ${TOKEN}`) return statusOf(401, 'Unauthorized');
    if (namespace !== NAMESPACE) return statusOf(404, `no namespace ${namespace ?? ''}`);
    const body = method === 'POST' || method === 'PUT' ? (JSON.parse(text) as Stored) : undefined;
    const id = `${resource}/${named ?? body?.metadata.name ?? ''}`;
    const refusal = refusals.find(({ pattern }) => pattern.test(`${method} ${id}`));
    if (refusal !== undefined) return statusOf(refusal.status, 'refused by the spec');
    const found = objects.get(id);
    if (method === 'GET') return found === undefined ? statusOf(404, 'not found') : { status: 200, body: found };
    if (body === undefined) return statusOf(405, `${method} is not what the program may do`);
    if (method === 'PUT' && found === undefined) return statusOf(404, 'not found');
    if (method === 'PUT' && found?.metadata.resourceVersion !== body.metadata.resourceVersion)
      return statusOf(409, 'modified');
    if (method === 'POST' && found !== undefined) return statusOf(409, 'already exists');
    const kept = { ...body, metadata: { ...body.metadata, resourceVersion: String((version += 1)) } };
    objects.set(id, kept);
    return { status: method === 'POST' ? 201 : 200, body: kept };
  };
  const server = createServer({ cert, key }, (request, response) => {
    void textOf(request).then((text) => {
      const { status, body } = answer(request.method ?? '', request.url ?? '', text, request.headers.authorization);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    objects,
    refuse: (pattern, status) => {
      refusals.push({ pattern, status });
    },
    mount: (root) => {
      const folder = join(root, 'var/run/secrets/kubernetes.io/serviceaccount');
      mkdirSync(folder, { recursive: true });
      for (const [name, text] of [
        ['token', TOKEN],
        ['ca.crt', authority.cert],
        ['namespace', `${NAMESPACE}\n`],
      ] as const)
        writeFileSync(join(folder, name), text);
      return { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) };
    },
    close: () => closeServer(server),
  };
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
}
