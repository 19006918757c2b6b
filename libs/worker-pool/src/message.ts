// SPDX-License-Identifier: Apache-2.0
// Messages between the pool and its threads. A cloned error loses its class, so faults travel as data.
import { Fault, isFaultCode } from '@writ/contract';

/** A task with its input, as a thread receives it. */
export interface TaskMessage {
  readonly id: number;
  readonly task: string;
  readonly input: unknown;
}

/** Sent by a thread when it begins, so that the time limit counts from there. */
export interface TaskStarted {
  readonly started: number;
}

/** The members of a fault that callers read. */
interface FaultData {
  readonly code: string;
  readonly detail: string | undefined;
  readonly pointer: string | undefined;
  readonly hint: string | null | undefined;
}

interface BugData {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}

/** The result of a task. */
export type TaskReply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: FaultData }
  | { readonly ok: false; readonly bug: BugData };

/** Makes the reply for the error of a task. */
export function failureReply(error: unknown): TaskReply {
  if (error instanceof Fault) {
    const { code, detail, pointer } = error;
    return { ok: false, fault: { code, detail, pointer, hint: (error as { readonly hint?: string | null }).hint } };
  }
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { ok: false, bug: { name, message, stack } };
}

/** Returns the value of a reply. @throws the Fault that the task threw, or an Error for its bug */
export function valueOf(task: string, reply: TaskReply): unknown {
  if (reply.ok) return reply.value;
  if ('fault' in reply) throw faultOf(reply.fault);
  const bug = new Error(`\`${task}\` failed: ${reply.bug.name}: ${reply.bug.message}`);
  // The thread's stack shows where the task failed; the caller's stack is no help.
  if (reply.bug.stack !== undefined) bug.stack = reply.bug.stack;
  throw bug;
}

function faultOf({ code, detail, pointer, hint }: FaultData): Error {
  if (!isFaultCode(code)) return new Error(`a thread sent the fault \`${code}\`, which isn't in the table`);
  const fault = new Fault(code, detail, { pointer });
  return hint === undefined ? fault : Object.assign(fault, { hint });
}
