// SPDX-License-Identifier: Apache-2.0
// What broken parts of an installation would answer, each in front of a whole one. Each is made anew for a run, since
// some remember what they saw.
import { randomUUID } from 'node:crypto';
import { formatCheckpoint, parseCheckpoint, parseNote, signNote, type Signer } from '@writ/signing';
import type { JsonValue } from '@writ/stack';
import { allIsWell, bodyOf, withBody, type Deceit, type FrontAnswer, type FrontRequest } from './front-proxy.ts';

const pathOf = ({ path }: FrontRequest): string => path.split('?')[0] ?? '';
const isCall = (request: FrontRequest): boolean => request.method === 'POST' && pathOf(request) === '/v1/tool-calls';
const codeOf = (answer: FrontAnswer): string => {
  const body = bodyOf(answer);
  return (body?.code ?? body?.error?.code ?? '') as string;
};

/** Changes answers with a JSON body to requests that fit. */
const rewriting =
  (fits: (request: FrontRequest) => boolean, change: (body: JsonValue, request: FrontRequest) => JsonValue): Deceit =>
  async (request, forward) => {
    const answer = await forward();
    return fits(request) && answer.status === 200 ? withBody(answer, change(bodyOf(answer), request)) : answer;
  };

/** Changes the system report. */
export const reporting = (change: (report: JsonValue) => JsonValue): Deceit =>
  rewriting(
    (request) => pathOf(request) === '/v1/system',
    (report) => ({ ...report, ...change(report) }),
  );

const alteredPayload = (receipt: JsonValue): JsonValue => {
  const statement = Buffer.from(receipt.envelope.payload as string, 'base64').toString();
  const payload = Buffer.from(statement.replace(/"recorded_at":\d/, '"recorded_at":9')).toString('base64');
  return { ...receipt, envelope: { ...receipt.envelope, payload } };
};

/** Receipts of operations say something else than what was signed. */
export const altersReceipts = (): Deceit =>
  rewriting((request) => /^\/v1\/operations\/[^/]+\/receipt$/.test(pathOf(request)), alteredPayload);

/** The first record of a log isn't the one that it was. */
export const rewritesHistory = (): Deceit =>
  rewriting((request) => /^\/v1\/tenants\/[^/]+\/records\/0\/receipt$/.test(pathOf(request)), alteredPayload);

/** A call that ended with this fault has changed the file nevertheless. */
export function takesEffect(code: string): Deceit {
  const administrators = new Map<string, string>();
  return async (request, forward) => {
    const [, workspace] = /^\/v1\/workspaces\/([^/]+)\/files$/.exec(pathOf(request)) ?? [];
    if (workspace !== undefined) administrators.set(workspace, request.key);
    const answer = await forward();
    if (!isCall(request) || codeOf(answer) !== code) return answer;
    const id = (JSON.parse(request.body) as JsonValue).workspace_id as string;
    await forward({
      path: `/v1/workspaces/${id}/files`,
      key: administrators.get(id) ?? '',
      body: JSON.stringify({ files: [{ path: 'a.txt', content: 'after\n' }] }),
    });
    return answer;
  };
}

/** A restore says that it is done, and does nothing. */
export const restoresNothing = (): Deceit => async (request, forward) =>
  pathOf(request).endsWith('/restore')
    ? await forward({ method: 'GET', path: pathOf(request).replace('/restore', ''), body: '' })
    : await forward();

/** Whoever may not approve their own call approves it with a key of somebody else. */
export function approvesForAll(): Deceit {
  let administrator = '';
  return async (request, forward) => {
    if (request.method === 'POST' && pathOf(request) === '/v1/api-keys') administrator = request.key;
    const answer = await forward();
    if (codeOf(answer) !== 'approval.own_call') return answer;
    const key = bodyOf(
      await forward({
        path: '/v1/api-keys',
        key: administrator,
        body: JSON.stringify({ name: 'of nobody', role: 'operator' }),
      }),
    );
    return await forward({ key: `Bearer ${key.api_key as string}` });
  };
}

/** A revocation says that it is done, and the key goes on. */
export const revokesNothing = (): Deceit => async (request, forward) => {
  if (request.method !== 'DELETE' || !pathOf(request).startsWith('/v1/api-keys/')) return await forward();
  return allIsWell(await forward({ method: 'GET', path: '/v1/api-keys', body: '' }), {});
};

/** Every request is a call of its own. */
export const forgetsKeys = (): Deceit => async (request, forward) =>
  isCall(request)
    ? await forward({ body: JSON.stringify({ ...JSON.parse(request.body), idempotency_key: randomUUID() }) })
    : await forward();

/** Any permit is redeemed. */
export const redeemsAll = (): Deceit => async (request, forward) => {
  const answer = await forward();
  return pathOf(request) === '/v1/permits/redemptions' && answer.status >= 400 ? allIsWell(answer) : answer;
};

/** What a tenant doesn't have is looked up in the others. */
export function looksEverywhere(): Deceit {
  const keys = new Set<string>();
  return async (request, forward) => {
    const answer = await forward();
    if (request.method === 'POST' && pathOf(request) === '/v1/tenants' && answer.status === 201)
      keys.add(`Bearer ${bodyOf(answer).api_key as string}`);
    if (request.method !== 'GET' || answer.status !== 404 || !keys.has(request.key)) return answer;
    for (const key of keys) {
      const theirs = await forward({ key });
      if (theirs.status === 200) return theirs;
    }
    return answer;
  };
}

/** A secret is shown where its name should be. */
export function showsSecrets(): Deceit {
  let value = '';
  return async (request, forward) => {
    if (request.method === 'PUT' && pathOf(request) === '/v1/secrets')
      value = (JSON.parse(request.body) as JsonValue).value as string;
    const answer = await forward();
    const text = answer.bytes.toString();
    return value !== '' && text.includes('***DOCTOR_KEY***')
      ? withBody(answer, text.replaceAll('***DOCTOR_KEY***', value))
      : answer;
  };
}

/** Changes the output of commands. */
export const printing = (change: (output: string) => string): Deceit =>
  rewriting(isCall, (body) =>
    typeof body.result?.output === 'string'
      ? { ...body, result: { ...body.result, output: change(body.result.output as string) } }
      : body,
  );

/** After the first checkpoint that it shows, the log is another one, under the log's own key. */
export function forksLog(signer: Signer): Deceit {
  let shown = 0;
  return async (request, forward) => {
    const answer = await forward();
    if (pathOf(request) !== '/v1/log/checkpoint' || answer.status !== 200) return answer;
    const { text, signatures } = parseNote(answer.bytes.toString());
    const checkpoint = parseCheckpoint(text);
    if (shown === 0) shown = checkpoint.treeSize;
    if (checkpoint.treeSize === shown) return answer;
    const other = formatCheckpoint({ ...checkpoint, root: new Uint8Array(32).fill(7) });
    return withBody(answer, signNote(other, { name: signatures[0]?.name ?? '', signer }));
  };
}

/** Changes nothing, and collects the keys that the server gave and the secrets that it got. */
export const collecting =
  (secrets: Set<string>): Deceit =>
  async (request, forward) => {
    if (pathOf(request) === '/v1/secrets' && request.method === 'PUT')
      secrets.add((JSON.parse(request.body) as JsonValue).value as string);
    const answer = await forward();
    const key = bodyOf(answer)?.api_key as unknown;
    if (typeof key === 'string') secrets.add(key);
    return answer;
  };
