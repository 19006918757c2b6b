// SPDX-License-Identifier: Apache-2.0
import { Fault, FAULTS, PolicyProblem, type FaultCode, type PolicyPut } from '@writ/contract';
import { Type, type Static } from 'typebox';

export const PROBLEM_TYPE = 'application/problem+json';

/** RFC 9457. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: '`https://writ.dev/errors/<code>`; the page is `docs/errors/<code>.md`' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'what, where and what to do' }),
    code: Type.String({ description: 'the fault code' }),
    retry: Type.Union([Type.Literal('never'), Type.Literal('later'), Type.Literal('same-key')], {
      description:
        'never: the same request fails again; later: nothing happened, try again; same-key: it may have happened, ask again with the same idempotency key',
    }),
    instance: Type.String({ description: 'this occurrence: `urn:writ:request:<request id>`' }),
    pointer: Type.Optional(Type.String({ description: 'JSON pointer (RFC 6901) to the place in the body' })),
    problems: Type.Optional(
      Type.Array(PolicyProblem, { description: "of a policy set that isn't valid: everything that is wrong with it" }),
    ),
  },
  { additionalProperties: false },
);
export type Problem = Static<typeof Problem>;

/** A policy set that isn't valid, with everything that is wrong with it. */
export class PolicyFault extends Fault {
  readonly problems: PolicyPut['problems'];

  constructor(problems: PolicyPut['problems']) {
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

/** A fault that knows when trying again makes sense. */
export class LaterFault extends Fault {
  /** seconds, one at least */
  readonly afterS: number;

  constructor(code: FaultCode, detail: string, afterS: number) {
    super(code, detail);
    this.afterS = afterS;
  }
}

/** Seconds after which trying again makes sense, by code; a second unless said. */
const RETRY_AFTER_S: Partial<Record<FaultCode, number>> = { 'record.backlog': 5, 'sandbox.unavailable': 5 };

/** The problem that a fault is to whoever asked. What isn't a fault is `internal`, and nothing of it is told. */
export function problemOf(error: unknown, requestId: string): Problem {
  const fault = error instanceof Fault ? error : new Fault('internal');
  const { code } = fault;
  const { status, retry, message } = FAULTS[code];
  // "Not yours" and "not there" are one answer, whatever was said where it was found out; a bug tells nothing.
  const told = code === 'not_found' || code === 'internal' ? undefined : fault.detail;
  return {
    type: `https://writ.dev/errors/${code}`,
    title: message,
    status,
    detail: told ?? message,
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
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="writ"' } : {}),
    ...(retry === 'later' ? { 'retry-after': String(RETRY_AFTER_S[code as FaultCode] ?? 1) } : {}),
  };
}
