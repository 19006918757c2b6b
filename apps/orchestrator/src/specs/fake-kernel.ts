// SPDX-License-Identifier: Apache-2.0
import type { Bus, BusHeaders } from '@writ/bus';
import {
  AdmitRequest,
  Fault,
  KERNEL_REQUESTS,
  NoticeDrop,
  NoticesRequest,
  parseMessage,
  subjectsOf,
  TenantCreate,
  TextsErased,
  TextsAnnounced,
  type Caller,
  type KernelVerb,
  type Notice,
  type OperationView,
  type ProposedCall,
  type StoredResult,
  type ChangedTenant,
  type TextErasureOrder,
} from '@writ/contract';
import { answerAll, type FakeKernelState, type Handler } from './fake-answers.ts';
import { erasureOf, viewOf } from './fake-views.ts';

/** Options of the fake kernel: the id of an empty workspace's snapshot. */
export interface FakeKernelOptions {
  readonly emptySnapshot: string;
}

type Row = Record<string, unknown> & { readonly tenant_id: string };

/** A kernel that stores objects by tenant and answers by the contract. A test may replace any handler. */
export class FakeKernel implements FakeKernelState {
  readonly requests: { verb: string; request: Record<string, unknown> }[] = [];
  /** of the call that was proposed last */
  traceparent: string | undefined;
  /** notices that are returned until they are dropped */
  notices: Notice[] = [];
  /** orders to erase texts, until they are completed, and the reported rounds */
  orders: TextErasureOrder[] = [];
  readonly reportedRounds: TextsAnnounced[] = [];
  /** no round can be recorded while it is set */
  isUnavailable = false;
  /** limits that were set for single tenants */
  limits: ChangedTenant[] = [];
  readonly handlers = new Map<string, Handler>();
  /** the key of long results; null: they are not encrypted */
  opens: StoredResult['opens'] = null;
  /** decides a proposed call, and returns its view */
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
      notices: this.notices.slice(0, parseMessage(NoticesRequest, payload).limit),
    }));
    await serve('kernel.notice.drop', (payload) => {
      const { notice_ids } = parseMessage(NoticeDrop, payload);
      this.notices = this.notices.filter(({ notice_id }) => !notice_ids.includes(notice_id));
      return {};
    });
    await serve('kernel.erasure.orders', () => ({ orders: this.orders }));
    await serve('kernel.erasure.tell', (payload) => {
      if (this.isUnavailable) throw new Fault('database.unavailable');
      this.reportedRounds.push(parseMessage(TextsAnnounced, payload));
      return {};
    });
    await serve('kernel.erasure.gone', (payload) => {
      const { erasure_id } = parseMessage(TextsErased, payload);
      this.orders = this.orders.filter((order) => order.erasure_id !== erasure_id);
      return erasureOf(erasure_id);
    });
    await serve('kernel.tenant.limits.changed', () => ({ now: 0, items: this.limits, more: false }));
    await serve('kernel.tenant.create', (payload) => ({ tenant_id: parseMessage(TenantCreate, payload).tenant_id }));
    for (const verb of Object.keys(KERNEL_REQUESTS) as KernelVerb[]) {
      await serve(`kernel.${verb}`, (payload) => {
        const { caller, ...request } = parseMessage(KERNEL_REQUESTS[verb], payload) as { caller: Caller };
        this.requests.push({ verb, request });
        return this.handlers.get(verb)?.(caller, request);
      });
    }
  }

  /** The view of an object of the tenant; missing and foreign objects give the same fault. */
  find(caller: Caller | null, id: unknown): unknown {
    const row = this.#rows.get(String(id));
    // The platform key finds objects of every tenant.
    if (row === undefined || (caller !== null && row.tenant_id !== caller.tenant_id))
      throw new Fault('not_found', `there is no \`${String(id)}\` of this tenant`);
    return row['view'];
  }

  keep<T>(tenantId: string, id: string, kind: string, view: T): T {
    this.#rows.set(id, { tenant_id: tenantId, kind, view });
    return view;
  }

  async #admit(call: ProposedCall): Promise<OperationView> {
    this.requests.push({ verb: 'admit', request: call });
    const view = await this.admits(call);
    return this.keep(call.tenant_id, view.operation_id, 'operation', view);
  }

  /** All objects of the verb's kind. */
  all(caller: Caller | null, verb: string): unknown[] {
    const [kind] = verb.split('.');
    return [...this.#rows.values()]
      .filter((row) => (caller === null || row.tenant_id === caller.tenant_id) && row['kind'] === kind)
      .map((row) => row['view']);
  }
}
