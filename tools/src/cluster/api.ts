// SPDX-License-Identifier: Apache-2.0
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Credentials } from './pki.ts';

/** A client of the API server for the few questions of a start. */
export interface Api {
  /** The body of an answer with status 200. Rejects for any other. */
  readonly get: (path: string) => Promise<string>;
}

const ANSWER_MS = 5_000;

/** Asks with an administrator's certificate. */
export const newApi = (url: string, ca: string, { cert, key }: Credentials): Api => ({
  get: (path) =>
    new Promise((resolve, reject) => {
      const asking = request(`${url}${path}`, { ca, cert, key, timeout: ANSWER_MS, agent: false }, (answer) => {
        text(answer).then(
          (body) =>
            answer.statusCode === 200
              ? resolve(body)
              : reject(new Error(`${path}: status ${answer.statusCode}: ${body}`)),
          reject,
        );
      });
      asking.once('timeout', () => asking.destroy(new Error(`${path}: no answer within ${ANSWER_MS / 1000} s`)));
      asking.once('error', reject);
      asking.end();
    }),
});

interface NodeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Whether a Node object says that pods can run there. */
export const isNodeReady = (json: string): boolean =>
  (JSON.parse(json) as NodeObject).status?.conditions?.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  ) ?? false;
