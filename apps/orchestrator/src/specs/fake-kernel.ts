// SPDX-License-Identifier: Apache-2.0
import type { Bus, BusHeaders } from '@writ/bus';
import {
  AdmitRequest,
  Fault,
  KERNEL_REQUESTS,
  NoticeDrop,
  NoticeTake,
  parseMessage,
  subjectsOf,
  TenantCreate,
  TextsGone,
  TextsTold,
  type Caller,
  type KernelVerb,
  type Notice,
  type OperationView,
  type ProposedCall,
  type StoredResult,
  type TenantLimits,
  type TextOrder,
} from '@writ/contract';
import { answerAll, type Answering, type Handler } from './fake-answers.ts';
import { erasureOf, viewOf } from './fake-views.ts';

/** The hash of the root node of a workspace with nothing in it, as the tree model names it, goes in from outside. */
export interface FakeKernelOptions {
  readonly emptySnapshot: string;
}

type Row = Record<string, unknown> & { readonly tenant_id: string };

/** A kernel that keeps things by tenant and answers as agreed; a test may put another answer in the place of any. */
export class FakeKernel implements Answering {
  readonly asked: { verb: string; request: Record<string, unknown> }[] = [];
  /** of the call that was proposed last */
  traceparent: string | undefined;
  /** what is to be told, until it is dropped */
  notices: Notice[] = [];
  /** what is to be erased of what was said, until it is gone, and what was told of it */
  orders: TextOrder[] = [];
  readonly told: TextsTold[] = [];
  /** nothing can be recorded while it is set */
  isDeaf = false;
  /** what was set for single tenants, as the API reads it */
  limits: TenantLimits[] = [];
  readonly handlers = new Map<string, Handler>();
  /** what long results are sealed under; null: they are as they are */
  opens: StoredResult['opens'] = null;
  /** what becomes of a proposed call: the state and result of its view */
  admits: (call: ProposedCall) => OperationView | Promise<OperationView> = (call) => viewOf(call, 'no_op');
  readonly #rows = new Map<string, Row>();
  readonly emptySnapshot: string;

  constructor({ emptySnapshot }: FakeKernelOptions) {
    this.emptySnapshot = emptySnapshot;
    answerAll(this);
  }

  async serve(bus: Bus): Promise<void> {
    const subjects = subjectsOf('s0');
    const serve = async (name: string, handler: (payload: unknown, headers: BusHeaders) => unknown): Promise<void> => {
      await bus.serve(subjects.request(name), {
        queue: 'kernel',
        concurrencyMax: 1_000,
        handler: async (message) => handler(message.payload, message.headers),
      });
    };
    await serve('kernel.admit', (payload, { traceparent }) => {
      this.traceparent = traceparent;
      const { wait_ms: _waits, ...call } = parseMessage(AdmitRequest, payload);
      return this.#admit(call);
    });
    await serve('kernel.notice.take', (payload) => ({
      notices: this.notices.slice(0, parseMessage(NoticeTake, payload).limit),
    }));
    await serve('kernel.notice.drop', (payload) => {
      const { notice_ids } = parseMessage(NoticeDrop, payload);
      this.notices = this.notices.filter(({ notice_id }) => !notice_ids.includes(notice_id));
      return {};
    });
    await serve('kernel.erasure.orders', () => ({ orders: this.orders }));
    await serve('kernel.erasure.tell', (payload) => {
      if (this.isDeaf) throw new Fault('database.unavailable');
      this.told.push(parseMessage(TextsTold, payload));
      return {};
    });
    await serve('kernel.erasure.gone', (payload) => {
      const { erasure_id } = parseMessage(TextsGone, payload);
      this.orders = this.orders.filter((order) => order.erasure_id !== erasure_id);
      return erasureOf(erasure_id);
    });
    await serve('kernel.tenant.limits.changed', () => ({ now: 0, items: this.limits, more: false }));
    await serve('kernel.tenant.create', (payload) => ({ tenant_id: parseMessage(TenantCreate, payload).tenant_id }));
    for (const verb of Object.keys(KERNEL_REQUESTS) as KernelVerb[]) {
      await serve(`kernel.${verb}`, (payload) => {
        const { caller, ...request } = parseMessage(KERNEL_REQUESTS[verb], payload) as { caller: Caller };
        this.asked.push({ verb, request });
        return this.handlers.get(verb)?.(caller, request);
      });
    }
  }

  /** A thing of the tenant's, as its view; not there and not theirs are one answer. */
  find(caller: Caller | null, id: unknown): unknown {
    const row = this.#rows.get(String(id));
    // The platform key finds whatever a test keeps.
    if (row === undefined || (caller !== null && row.tenant_id !== caller.tenant_id))
      throw new Fault('not_found', `there is no \`${String(id)}\` of this tenant`);
    return row['view'];
  }

  keep<T>(tenantId: string, id: string, kind: string, view: T): T {
    this.#rows.set(id, { tenant_id: tenantId, kind, view });
    return view;
  }

  async #admit(call: ProposedCall): Promise<OperationView> {
    this.asked.push({ verb: 'admit', request: call });
    const view = await this.admits(call);
    return this.keep(call.tenant_id, view.operation_id, 'operation', view);
  }

  /** All of the kind that the verb is of. */
  all(caller: Caller | null, verb: string): unknown[] {
    const [kind] = verb.split('.');
    return [...this.#rows.values()]
      .filter((row) => (caller === null || row.tenant_id === caller.tenant_id) && row['kind'] === kind)
      .map((row) => row['view']);
  }
}
