// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId, TextErasureOrder } from '@writ/contract';
import {
  SessionTexts,
  type TextRound,
  type TextScope,
  type ErasureReach,
} from '../store/session-rows/session-texts.ts';
import type { KeptRuns } from './stored-runs.ts';

/** An in-memory store of texts, for erasures. It has no jobs. */
export class FakeSessionTexts extends SessionTexts {
  readonly #all: KeptRuns;
  readonly #rounds = new Map<string, (TextRound & { isGone: boolean })[]>();

  constructor(all: KeptRuns) {
    super();
    this.#all = all;
  }

  override async reach(tenantId: TenantId, of: TextScope): Promise<ErasureReach> {
    const session_ids = this.#reached(tenantId, of);
    return {
      session_ids,
      at_work: this.#all.runs.filter((run) => session_ids.includes(run.row.session_id) && this.#all.isAtWork(run))
        .length,
      jobs: [],
    };
  }

  override async mark(order: TextErasureOrder): Promise<TextRound | null> {
    const rounds = this.#rounds.get(order.erasure_id) ?? [];
    const last = rounds.at(-1);
    if (last !== undefined && !last.isGone) return plain(last);
    const marked =
      order.selector === 'before' ? this.#aged(order) : { session_ids: this.#named(order), run_ids: [], fork_ids: [] };
    if (marked.session_ids.length + marked.run_ids.length + marked.fork_ids.length === 0) return null;
    const next = { round: rounds.length + 1, ...marked, isGone: false };
    this.#rounds.set(order.erasure_id, [...rounds, next]);
    for (const id of [...marked.session_ids, ...marked.run_ids]) this.#all.marked.add(id);
    return plain(next);
  }

  override async erase({ erasure_id }: TextErasureOrder, round: number): Promise<boolean> {
    const marked = this.#rounds.get(erasure_id)?.[round - 1];
    if (marked === undefined) throw new Error('no such round');
    if (marked.isGone) return true;
    const atWork = this.#all.runs.filter(
      (run) =>
        (marked.session_ids.includes(run.row.session_id) || marked.run_ids.includes(run.row.run_id)) &&
        this.#all.isAtWork(run),
    );
    for (const run of atWork)
      [run.row, run.wakeAt] = [{ ...run.row, cancel_by: run.row.cancel_by ?? erasure_id }, this.#all.now];
    if (atWork.length > 0) return false;
    this.#all.forget(marked.session_ids, marked.run_ids);
    this.#all.kept.splice(
      0,
      Infinity,
      ...this.#all.kept.map((kept) =>
        marked.fork_ids.includes(kept.row.session_id)
          ? { ...kept, row: { ...kept.row, forked_from: null }, content: { ...kept.content, base: [] } }
          : kept,
      ),
    );
    marked.isGone = true;
    return true;
  }

  #named({ tenant_id, selector, session_ids }: TextErasureOrder): Id<'session'>[] {
    return [
      ...new Set(
        session_ids.flatMap((id) =>
          this.#reached(tenant_id, selector === 'conversation' ? { alone: id } : { whole: id }),
        ),
      ),
    ].sort();
  }

  #aged({ tenant_id, until }: TextErasureOrder): Omit<TextRound, 'round'> {
    const old = this.#all.kept.filter(
      (kept) =>
        kept.tenant_id === tenant_id && (kept.row.spawned_by?.run_id ?? null) === null && kept.row.created_at < until,
    );
    const whole = old
      .filter(({ row }) =>
        this.#all.of(row.session_id).every((run) => run.row.created_at < until && run.row.state === 'ended'),
      )
      .map(({ row }) => row.session_id);
    const above = new Set(
      this.#all.kept.filter(({ row }) => (row.spawned_by?.run_id ?? null) === null).map(({ row }) => row.session_id),
    );
    return {
      session_ids: whole.flatMap((id) => this.#reached(tenant_id, { alone: id })).sort(),
      run_ids: this.#all.runs
        .filter(
          (run) =>
            run.tenant_id === tenant_id &&
            run.row.created_at < until &&
            run.row.state === 'ended' &&
            above.has(run.row.session_id) &&
            !whole.includes(run.row.session_id),
        )
        .map(({ row }) => row.run_id),
      fork_ids: old
        .filter(({ row }) => row.forked_from !== null && !whole.includes(row.session_id))
        .map(({ row }) => row.session_id),
    };
  }

  #reached(tenantId: TenantId, of: TextScope): Id<'session'>[] {
    const its = this.#all.kept.filter(({ tenant_id }) => tenant_id === tenantId);
    if ('subject' in of) {
      const about = its.filter(({ row, content }) => (content.data_subject ?? row.agent_id) === of.subject);
      return [...new Set(about.flatMap(({ row }) => this.#reached(tenantId, { whole: row.session_id })))].sort();
    }
    const found = new Set(
      its
        .filter(({ row }) => row.session_id === ('alone' in of ? of.alone : of.whole))
        .map(({ row }) => row.session_id),
    );
    const sessionOf = (runId: string | null | undefined): Id<'session'> | undefined =>
      this.#all.runs.find(({ row }) => row.run_id === runId)?.row.session_id;
    for (let size = -1; size !== found.size;) {
      size = found.size;
      for (const { row } of its) {
        const [parent, origin] = [sessionOf(row.spawned_by?.run_id), sessionOf(row.forked_from?.run_id)];
        if (parent !== undefined && found.has(parent)) found.add(row.session_id);
        if ('whole' in of && parent !== undefined && found.has(row.session_id)) found.add(parent);
        if ('whole' in of && origin !== undefined && found.has(origin)) found.add(row.session_id);
      }
    }
    return [...found].sort();
  }
}

const plain = ({ isGone: _, ...round }: TextRound & { isGone: boolean }): TextRound => round;
