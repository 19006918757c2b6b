// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import type { KeptEvent, KeptEvents } from '../store/session-rows/run-events.ts';
import {
  LeaseLost,
  RunWork,
  type Appended,
  type NewRun,
  type NewSession,
  type OpenRun,
  type RenewedRun,
  type RunClaim,
  type RunPrompt,
  type RunRow,
  type RunSums,
  type RunsToClaim,
} from '../store/session-rows/sessions.ts';
import { eventsOf } from './stored-events.ts';
import type { KeptRun, KeptRuns } from './stored-runs.ts';

/** The in-memory store of `FakeRuns`, for replicas that drive runs. */
export class FakeRunWork extends RunWork {
  readonly #all: KeptRuns;

  constructor(all: KeptRuns) {
    super();
    this.#all = all;
  }

  override async claim({ rows, tenantMax, leaseMs, models, goneMs }: RunsToClaim): Promise<RunClaim[]> {
    const { runs, now, isPaused, driven } = this.#all;
    if (isPaused) return [];
    for (const model of models) driven.set(model, now);
    const isDriven = ({ row }: KeptRun): boolean =>
      models.includes(row.model) || (goneMs !== null && (driven.get(row.model) ?? -Infinity) <= now - goneMs);
    const busy = new Map<string, number>();
    for (const { tenant_id, row, leaseUntil } of runs)
      if (row.state !== 'ended' && leaseUntil >= now) busy.set(tenant_id, (busy.get(tenant_id) ?? 0) + 1);
    const claims: RunClaim[] = [];
    for (const run of runs) {
      const isNext =
        run.row.cancel_by !== null ||
        (isDriven(run) &&
          !runs.some(
            (other) =>
              other.row.session_id === run.row.session_id && other.place < run.place && other.row.state !== 'ended',
          ));
      if (
        claims.length >= rows ||
        run.row.state === 'ended' ||
        run.wakeAt > now ||
        run.leaseUntil >= now ||
        !isNext ||
        (busy.get(run.tenant_id) ?? 0) >= tenantMax
      )
        continue;
      busy.set(run.tenant_id, (busy.get(run.tenant_id) ?? 0) + 1);
      run.fence += 1;
      run.leaseUntil = now + leaseMs;
      claims.push({ tenant_id: run.tenant_id, run_id: run.row.run_id, fence: run.fence });
    }
    return claims;
  }

  override async open(claim: RunClaim): Promise<OpenRun> {
    const { row, asked, prompt, events, place } = this.#mine(claim);
    const session = this.#all.session(claim.tenant_id, row.session_id);
    if (session === undefined) throw new LeaseLost(claim.run_id);
    return {
      session: { ...session.row, content: session.content },
      run: { ...row, role: asked.role, principal: asked.principal },
      input: asked.input,
      prompt,
      events: eventsOf(events),
      earlier: this.#all
        .of(row.session_id)
        .filter((each) => each.place < place)
        .map((each) => ({ input: each.asked.input, events: eventsOf(each.events) })),
      revoked: this.#all.revoked.has(row.created_by),
    };
  }

  override async begin(claim: RunClaim, prompt: RunPrompt): Promise<void> {
    const run = this.#mine(claim);
    [run.prompt, run.row] = [prompt, { ...run.row, state: 'running', started_at: this.#all.now }];
  }

  override async append(
    claim: RunClaim,
    seq: number,
    event: KeptEvent,
    sums: RunSums,
    leaseMs: number,
  ): Promise<Appended> {
    const run = this.#mine(claim);
    if (seq !== run.events.length + 1) throw new LeaseLost(claim.run_id);
    const { now } = this.#all;
    run.events.push({ seq, at: now, event });
    if (sums.state === 'ended') {
      const above = this.#all.session(claim.tenant_id, run.row.session_id)?.row.spawned_by?.run_id;
      const waits = above === undefined || above === null ? undefined : this.#all.run(claim.tenant_id, above);
      if (waits !== undefined) waits.wakeAt = now;
    }
    run.reserved = 0;
    run.row = { ...run.row, ...sums, events: seq, waits_for: [], ended_at: sums.state === 'ended' ? now : null };
    run.leaseUntil = sums.state === 'ended' ? 0 : now + leaseMs;
    return { at: now, cancelled: run.row.cancel_by !== null, revoked: this.#all.revoked.has(run.row.created_by) };
  }

  override async reserve(claim: RunClaim, amount: number, dayMax: number): Promise<boolean> {
    const run = this.#mine(claim);
    const day = this.#all.now - 24 * 3_600_000;
    const cost = this.#all
      .spending(claim.tenant_id)
      .filter(({ row }) => row.ended_at === null || row.ended_at > day)
      .reduce((sum, { row }) => sum + (row.cost ?? 0), 0);
    const reserved = this.#all.runs
      .filter((each) => each.tenant_id === claim.tenant_id && each !== run)
      .reduce((sum, each) => sum + each.reserved, 0);
    if (cost + reserved + amount > dayMax) return false;
    run.reserved = amount;
    return true;
  }

  override async wait(
    claim: RunClaim,
    operationIds: readonly string[],
    wakeMs: number,
    belowIds: readonly string[] = [],
  ): Promise<void> {
    const run = this.#mine(claim);
    run.row = { ...run.row, state: 'waiting', waits_for: operationIds };
    const isOver = belowIds.some((id) => this.#all.spawned(id)?.row.state === 'ended');
    [run.leaseUntil, run.wakeAt] = [0, this.#all.now + (isOver ? 0 : wakeMs)];
  }

  override async release(claim: RunClaim, wakeMs: number): Promise<void> {
    const run = this.#mine(claim);
    [run.leaseUntil, run.wakeAt] = [0, this.#all.now + wakeMs];
  }

  override async renew(claims: readonly RunClaim[], leaseMs: number): Promise<RenewedRun[]> {
    return claims.flatMap((claim) => {
      const run = this.#all.run(claim.tenant_id, claim.run_id);
      if (run === undefined || run.fence !== claim.fence || run.leaseUntil < this.#all.now || run.row.state === 'ended')
        return [];
      run.leaseUntil = this.#all.now + leaseMs;
      return [
        {
          run_id: claim.run_id,
          cancelled: run.row.cancel_by !== null,
          revoked: this.#all.revoked.has(run.row.created_by),
        },
      ];
    });
  }

  override async wake(tenantId: TenantId, runId: string): Promise<void> {
    const run = this.#all.run(tenantId, runId);
    if (run?.row.state === 'waiting') run.wakeAt = this.#all.now;
  }

  override async spawn(
    claim: RunClaim,
    { content, ...session }: NewSession,
    run: NewRun,
    countMax: number,
  ): Promise<RunRow> {
    this.#mine(claim);
    const made = this.#all.spawned(session.spawned_by?.operation_id ?? '');
    if (made !== undefined) return made.row;
    if (this.#all.kept.filter(({ row }) => row.spawned_by?.run_id === claim.run_id).length >= countMax)
      throw new Fault('limit.exceeded');
    this.#all.kept.unshift({ tenant_id: claim.tenant_id, row: { ...session, created_at: this.#all.now }, content });
    return this.#all.add(claim.tenant_id, run, session.model, 1);
  }

  override async subAgentRun(
    _claim: RunClaim,
    operationId: string,
  ): Promise<{ run: RunRow; events: KeptEvents } | null> {
    const run = this.#all.spawned(operationId);
    return run === undefined ? null : { run: run.row, events: eventsOf(run.events) };
  }

  override async cancelSubAgents(claim: RunClaim, by: string): Promise<void> {
    const sessions = this.#all.kept
      .filter(({ row }) => row.spawned_by?.run_id === claim.run_id)
      .map(({ row }) => row.session_id);
    for (const run of this.#all.runs.filter(
      ({ row }) => (sessions as string[]).includes(row.session_id) && row.state !== 'ended',
    ))
      [run.row, run.wakeAt] = [{ ...run.row, cancel_by: run.row.cancel_by ?? by }, this.#all.now];
  }

  #mine(claim: RunClaim): KeptRun {
    const run = this.#all.run(claim.tenant_id, claim.run_id);
    if (run === undefined || run.fence !== claim.fence || run.leaseUntil < this.#all.now || run.row.state === 'ended')
      throw new LeaseLost(claim.run_id);
    return run;
  }
}
