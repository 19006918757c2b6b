// SPDX-License-Identifier: Apache-2.0
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Credentials } from './pki.ts';

/** A client for the set-up's own few requests to the API server. */
export interface Api {
  /** Resolves with the body of a successful answer; rejects for any other. */
  readonly get: (path: string) => Promise<string>;
  /** Changes an object; rejects unless it succeeds. */
  readonly send: (method: 'POST' | 'DELETE', path: string, body?: object) => Promise<void>;
}

const ANSWER_MS = 5_000;

/** Makes requests with an administrator's certificate. */
export const newApi = (url: string, ca: string, { cert, key }: Credentials): Api => {
  const agent = new Agent({ ca, cert, key, keepAlive: true });
  const ask = (method: string, path: string, body?: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const asking = request(`${url}${path}`, { method, agent, headers, timeout: ANSWER_MS }, (answer) => {
        const { statusCode = 0 } = answer;
        const failed = (output: string): Error => new Error(`${method} ${path}: status ${statusCode}: ${output}`);
        text(answer).then((output) => (statusCode < 300 ? resolve(output) : reject(failed(output))), reject);
      });
      asking.once('timeout', () => asking.destroy(new Error(`${path}: no answer within ${ANSWER_MS / 1000} s`)));
      asking.once('error', reject);
      asking.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return {
    get: (path) => ask('GET', path),
    send: async (method, path, body) => {
      await ask(method, path, body);
    },
  };
};

interface NodeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Whether pods can run on a node, by its conditions. */
export const isNodeReady = (json: string): boolean =>
  (JSON.parse(json) as NodeObject).status?.conditions?.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  ) ?? false;
