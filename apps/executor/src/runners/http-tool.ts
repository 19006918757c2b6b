// SPDX-License-Identifier: Apache-2.0
import { httpRequestOf, isSuccess, percentEncoded, refusesWholly, type HttpRequest } from '@writ/http-tool';
import type { HttpOperation } from '@writ/contract';
import { parseUrl, type EgressTarget } from '@writ/egress';
import type { Call, RunContext } from '../calls/runner.ts';
import type { CallGate, Headers } from '../egress/call-gate.ts';
import { exchange } from '../egress/exchange.ts';
import { GateRefusal } from '../egress/gate-refusal.ts';
import { bytesWithoutValues } from '../redaction/secret-work.ts';
import { readApiBody, type ApiBody } from './api-body.ts';
import { readBody } from './read-body.ts';
import { headersWithout } from './reply-headers.ts';
import { secretHeader, secretOf, verifyPrivate } from './resource-secret.ts';

/** A call of a tool that is an operation of an HTTP API. */
type ApiCall = Pick<Call, 'args' | 'operationId' | 'resourceSecrets' | 'values' | 'limits'>;

/** The result of such a call. */
export interface ApiAnswer extends ApiBody {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly size: number;
  readonly truncated: boolean;
}

/**
 * The API answered, and not with success. A refusal (`api.refused`) states that the request was not carried out. Any
 * other answer (`api.failed`), such as 303, 408 or 500, leaves open what was done.
 */
export class ApiRefusal extends Error {
  readonly answer: ApiAnswer;
  readonly code: 'api.refused' | 'api.failed';

  constructor(http: HttpOperation, answer: ApiAnswer) {
    super(`the API answered ${answer.status}`);
    this.name = 'ApiRefusal';
    this.answer = answer;
    this.code = refusesWholly(http, answer.status) ? 'api.refused' : 'api.failed';
  }
}

/**
 * Runs a call of an HTTP tool: exactly one request, which is a function of the decided tool and arguments, and of its
 * secrets. The list of requests shows it as it was decided, without credentials. A redirect is an answer that is no
 * success: nothing is followed.
 * @throws ApiRefusal for an answer other than 2xx; GateRefusal; Fault `permit.invalid` where a secret did not come
 */
export async function httpTool(
  http: HttpOperation,
  call: ApiCall,
  gate: CallGate,
  work: RunContext['work'],
): Promise<ApiAnswer> {
  const request = httpRequestOf(http, call.args);
  const target = parseUrl(request.url);
  const [sent, headers] = [withQueryCredentials(http, call, target), headersOf(http, call, request, target)];
  const body = request.body === null ? null : Buffer.from(request.body.text, 'utf8');
  const admitted = await gate.admit(request.method, target, '', { isSafe: http.is_safe });
  try {
    const answer = await exchange(admitted, { method: request.method, target: sent, headers, body });
    const received = await readBody(answer, call.limits.output_bytes);
    const bytes = await bytesWithoutValues(call.values, received.bytes, received.truncated, work);
    const result: ApiAnswer = {
      status: answer.statusCode ?? 0,
      headers: headersWithout(answer, call.values),
      ...(await readApiBody({ ...received, bytes }, answer.headers['content-type'], work)),
      size: received.bytes.length,
      truncated: received.truncated,
    };
    if (!isSuccess(result.status)) throw new ApiRefusal(http, result);
    return result;
  } finally {
    admitted.connection.destroy();
  }
}

function withQueryCredentials({ credentials }: HttpOperation, call: ApiCall, target: EgressTarget): EgressTarget {
  const pairs = credentials
    .filter((one) => one.in === 'query')
    .map(({ name, prefix, secret }) => {
      verifyPrivate(target);
      const value = `${prefix}${secretOf(call, secret)}`;
      if (!value.isWellFormed()) throw new GateRefusal('egress.refused', `the secret \`${secret}\` is no Unicode text`);
      return `${percentEncoded(name)}=${percentEncoded(value)}`;
    });
  if (pairs.length === 0) return target;
  return { ...target, path: `${target.path}${target.path.includes('?') ? '&' : '?'}${pairs.join('&')}` };
}

function headersOf(
  { credentials, idempotency_header }: HttpOperation,
  call: ApiCall,
  request: HttpRequest,
  target: EgressTarget,
): Headers {
  const secrets = credentials.filter((one) => one.in === 'header').map((one) => secretHeader(call, one, target));
  return [
    ['accept', 'application/json, */*;q=0.5'],
    ['accept-encoding', 'identity'],
    ['user-agent', 'writ'],
    ...request.headers,
    ...secrets,
    ...(idempotency_header === null ? [] : [[idempotency_header.toLowerCase(), call.operationId] as const]),
    ...framing(request),
  ];
}

/** The length is stated even of an empty body: servers ask for it where the method may have one. */
function framing({ method, body }: HttpRequest): Headers {
  if (body === null)
    return method === 'GET' || method === 'HEAD' || method === 'DELETE' ? [] : [['content-length', '0']];
  return [
    ['content-type', body.media],
    ['content-length', String(Buffer.byteLength(body.text))],
  ];
}
