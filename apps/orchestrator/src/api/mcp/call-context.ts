// SPDX-License-Identifier: Apache-2.0
import type { RequestStateCodec, ServerContext } from '@modelcontextprotocol/server';
import type { McpAsk } from '@writ/contract';
import type { Follow } from '../../calls/follow.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { Propose } from '../../calls/propose.ts';
import type { ShowOperation } from '../../calls/show-operation.ts';
import type { FullQueues } from '../../edge/access/full-queues.ts';
import type { McpAccess } from './access.ts';
import type { ConsentPages } from './consent-pages.ts';
import type { Asked, HeldState } from './held-state.ts';
import { META } from './proposed-body.ts';
import type { Results } from './results.ts';
import { TASK_AFTER_MS } from './tasks.ts';

/**
 * Longest wait for a call's end, in milliseconds. Clients give up after 60 s by default; so the stored operation is the
 * answer a little earlier.
 */
export const WAIT_MS = 55_000;

/** How a call is made. */
export interface CallToolParts {
  readonly kernel: KernelClient;
  readonly propose: Pick<Propose, 'run'>;
  readonly follow: Follow;
  readonly show: Pick<ShowOperation, 'view'>;
  readonly queues: Pick<FullQueues, 'verifyNotFull'>;
  readonly states: RequestStateCodec<HeldState>;
  /** the idempotency key of the one call that follows an operation: with answers to its question, or after a consent */
  readonly answerKey: (operationId: string) => string;
  readonly consents: ConsentPages;
  /** milliseconds */
  readonly monotonic: () => number;
}

/** What one call is made under. */
export interface CallContext {
  readonly access: McpAccess;
  readonly request: ServerContext;
  /** what is asked for, by which a later round is known */
  readonly asked: Asked;
  /** the client as it names itself, as a word of provenance */
  readonly client: string | undefined;
  /** whether the request is of the stateless revision */
  readonly isModern: boolean;
  /** whether the client can ask its user */
  readonly canElicit: boolean;
  /** whether the client can show its user a page */
  readonly canOpenPages: boolean;
  /** what the server of the tool may ask this client for; null: no question of a server is passed on */
  readonly asks: readonly McpAsk[] | null;
  /** the digest of the settings of that server; null: it may ask nothing */
  readonly serverDigest: string | null;
  /** whether a call that takes long may be answered with a task */
  readonly canTakeTasks: boolean;
  /** the shape of answers */
  readonly results: Results;
}

/** One request. All that it waits for takes no longer than `WAIT_MS` together. */
export interface Round extends CallContext {
  /** whole milliseconds that are left */
  readonly leftMs: () => number;
}

/**
 * Whether the client has cancelled its request: in the stateless revision it does so by closing it. A call with an
 * idempotency key goes on, since the client can repeat the request after its connection broke: a client gives a key for
 * that, and a call that follows an operation has one.
 */
export const cancelsByClosing = (
  { access: { gone }, isModern }: CallContext,
  meta: Readonly<Record<string, unknown>> = {},
): boolean => gone.aborted && isModern && meta[META.idempotencyKey] === undefined;

/** How long the answer of a call may wait for its end. */
export const waitMsOf = ({ canTakeTasks }: CallContext): number => (canTakeTasks ? TASK_AFTER_MS : WAIT_MS);
