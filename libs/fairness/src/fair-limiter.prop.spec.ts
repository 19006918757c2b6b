// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { FairLimiter } from './fair-limiter.ts';

const BOUNDS = { places: 6, shared: 4, waitingMax: 5 } as const;
const WEIGHTS: Readonly<Record<string, number>> = { a: 1, b: 1, c: 3, d: 10 };
const tenants = fc.constantFrom(...Object.keys(WEIGHTS));
const steps = fc.array(
  fc.oneof(
    fc.record({ does: fc.constant('offer' as const), tenant: tenants }),
    fc.record({ does: fc.constant('end' as const), tenant: tenants }),
    fc.record({ does: fc.constant('wait' as const), tenant: tenants, ms: fc.integer({ min: 1, max: 12_000 }) }),
  ),
  { maxLength: 200 },
);

/** The offered work by tenant, as counted from outside. */
class Counted {
  readonly fair = new FairLimiter<string>(BOUNDS);
  readonly underWay = new Map<string, number>();
  readonly waiting = new Map<string, string[]>();
  #now = 0;
  #made = 0;

  step(step: { does: string; tenant: string; ms?: number }): void {
    if (step.does === 'wait') this.#now += step.ms ?? 0;
    if (step.does === 'offer') this.#offer(step.tenant);
    if (step.does === 'end' && this.of(step.tenant) > 0) this.end(step.tenant);
  }

  of(tenant: string): number {
    return this.underWay.get(tenant) ?? 0;
  }

  get all(): number {
    return [...this.underWay.values()].reduce((sum, count) => sum + count, 0);
  }

  end(tenant: string): void {
    this.underWay.set(tenant, this.of(tenant) - 1);
    for (const item of this.fair.release(tenant, this.#now)) {
      const owner = item.slice(0, 1);
      // First come, first served within a tenant.
      expect(this.waiting.get(owner)?.shift()).toBe(item);
      this.underWay.set(owner, this.of(owner) + 1);
    }
  }

  #offer(tenant: string): void {
    const item = `${tenant}${this.#made++}`;
    const offered = this.fair.offer(tenant, WEIGHTS[tenant] ?? 1, item, this.#now);
    if (offered === 'starts') this.underWay.set(tenant, this.of(tenant) + 1);
    if (offered === 'waits') this.waiting.set(tenant, [...(this.waiting.get(tenant) ?? []), item]);
    if (offered === 'full') expect(this.waiting.get(tenant)).toHaveLength(BOUNDS.waitingMax);
  }
}

test('running and waiting work never exceed their limits', () => {
  fc.assert(
    fc.property(steps, (run) => {
      const counted = new Counted();
      for (const step of run) {
        counted.step(step);
        expect(counted.all).toBeLessThanOrEqual(BOUNDS.places);
        for (const waiting of counted.waiting.values()) expect(waiting.length).toBeLessThanOrEqual(BOUNDS.waitingMax);
      }
    }),
  );
});

test('all waiting work starts in the end, while places are freed', () => {
  fc.assert(
    fc.property(steps, (run) => {
      const counted = new Counted();
      for (const step of run) counted.step(step);
      while (counted.all > 0)
        for (const tenant of Object.keys(WEIGHTS)) if (counted.of(tenant) > 0) counted.end(tenant);
      expect([...counted.waiting.values()].flat()).toEqual([]);
    }),
  );
});

test('while two tenants are active, one that offers without end leaves the other a place', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('offer', 'end'), { maxLength: 100 }), (run) => {
      const counted = new Counted();
      counted.step({ does: 'offer', tenant: 'a' });
      counted.end('a');
      for (const does of run) {
        counted.step({ does, tenant: 'd' });
        expect(counted.of('d')).toBeLessThan(BOUNDS.shared);
      }
    }),
  );
});
