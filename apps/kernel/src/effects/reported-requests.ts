// SPDX-License-Identifier: Apache-2.0
import { EgressRequest, Fault, LIMITS, parseMessage, type ReportRequest } from '@writ/contract';
import { Type } from 'typebox';
import { requestsOf, type EndingRequests } from '../endings/index.ts';
import type { ReportedContents } from './reported-contents.ts';
import { jsonOf } from './staged-effect.ts';

const Requests = Type.Array(EgressRequest, { maxItems: LIMITS.egressRequests.max });
/** The longest list there can be: as many as there may be, each as long as it may be, in JSON. */
const REQUESTS_BLOB_BYTES_MAX = 2 * 1024 * 1024;

/** What asked to leave, as the gate of the executor lists it. @throws Fault `effect.invalid`; others where our own store fails */
export async function readRequests(contents: ReportedContents, { requests, requests_ref }: ReportRequest): Promise<EndingRequests> {
  const ref = requests_ref ?? null;
  if (ref !== null && requests.length > 0) throw new Fault('effect.invalid', 'requests are listed by value or by reference, not both');
  const list = ref === null ? requests : parsed(jsonOf(await contents.read('requests', ref, REQUESTS_BLOB_BYTES_MAX)));
  const told = requestsOf(list);
  if (ref === null && told.bytes.byteLength > LIMITS.requestsInlineBytes.max) throw new Fault('effect.invalid', 'a list of requests this long travels as a blob');
  return told;
}

function parsed(value: unknown): EgressRequest[] {
  try {
    return parseMessage(Requests, value);
  } catch (cause) {
    throw new Fault('effect.invalid', 'the list of requests is none', { cause });
  }
}
