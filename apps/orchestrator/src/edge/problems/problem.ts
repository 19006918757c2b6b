// SPDX-License-Identifier: Apache-2.0
import { Fault, FAULT_TITLES, FAULTS, PolicyProblem, type FaultCode, type PolicyPutReply } from '@writ/contract';
import { Type, type Static } from 'typebox';

export const PROBLEM_TYPE = 'application/problem+json';

/** RFC 9457. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: '`https://writ.dev/errors/<code>`; the page is `docs/errors/<code>.md`' }),
    title: Type.String({ description: 'the short name of this kind of fault; the same in every occurrence' }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'what failed, where, and what to do' }),
    code: Type.String({ description: 'the fault code' }),
    retry: Type.Union([Type.Literal('never'), Type.Literal('later'), Type.Literal('same-key')], {
      description:
        'never: the same request fails again; later: nothing happened, try again; same-key: it may have happened, ask again with the same idempotency key',
    }),
    instance: Type.String({ description: 'this occurrence: `urn:writ:request:<request id>`' }),
    pointer: Type.Optional(Type.String({ description: 'JSON pointer (RFC 6901) to the place in the body' })),
    problems: Type.Optional(Type.Array(PolicyProblem, { description: 'for an invalid policy set: all of its errors' })),
  },
  { additionalProperties: false },
);
export type Problem = Static<typeof Problem>;

/** The fault for an invalid policy set, with all of its errors. */
export class PolicyFault extends Fault {
  readonly problems: PolicyPutReply['problems'];

  constructor(problems: PolicyPutReply['problems']) {
    const [first] = problems;
    super(
      'policy.invalid',
      first === undefined
        ? undefined
        : `${first.line === null ? first.pointer || 'the document' : `line ${first.line}`}: ${first.message}`,
    );
    this.problems = problems;
  }
}

/** A fault with the time after which a retry makes sense. */
export class RetryAfterFault extends Fault {
  /** seconds, one at least */
  readonly afterS: number;

  constructor(code: FaultCode, detail: string, afterS: number) {
    super(code, detail);
    this.afterS = afterS;
  }
}

/** Seconds after which a retry makes sense, by code; one second by default. */
const RETRY_AFTER_S: Partial<Record<FaultCode, number>> = { 'record.backlog': 5, 'sandbox.unavailable': 5 };

/**
 * What a caller may read of a fault. "Not yours" and "not there" get the same answer, whatever detail the fault has,
 * and a bug reveals nothing.
 */
export function shownMessage({ code, detail }: Pick<Fault, 'code' | 'detail'>): string {
  const { message } = FAULTS[code];
  return code === 'not_found' || code === 'internal' ? message : (detail ?? message);
}

/** The problem response for an error. An error that isn't a fault becomes `internal` without any detail. */
export function problemOf(error: unknown, requestId: string): Problem {
  const fault = error instanceof Fault ? error : new Fault('internal');
  const { code } = fault;
  const { status, retry } = FAULTS[code];
  return {
    type: `https://writ.dev/errors/${code}`,
    title: FAULT_TITLES[code],
    status,
    detail: shownMessage(fault),
    code,
    retry,
    instance: `urn:writ:request:${requestId}`,
    ...(fault instanceof PolicyFault ? { problems: fault.problems } : {}),
    ...(fault.pointer === undefined || code === 'not_found' ? {} : { pointer: fault.pointer }),
  };
}

/** Headers that go with a problem. */
export function headersOf({ code, retry, status }: Problem): Record<string, string> {
  return {
    'content-type': PROBLEM_TYPE,
    'cache-control': 'no-store',
    'writ-fault': code,
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="writ"' } : {}),
    // A 503 passes, also where it is unknown what happened.
    ...(retry === 'later' || (retry === 'same-key' && status === 503)
      ? { 'retry-after': String(RETRY_AFTER_S[code as FaultCode] ?? 1) }
      : {}),
  };
}
