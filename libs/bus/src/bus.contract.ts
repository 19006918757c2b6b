// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { Bus } from './bus.ts';
import type { MakeBus } from './bus-factory.contract.ts';
import { requestContract } from './request.contract.ts';
import { workContract } from './work.contract.ts';

/** What every Bus must do. `makeBus` may be called several times; buses of one suite reach each other. */
export function busContract(name: string, makeBus: MakeBus): void {
  describe(`${name} keeps the promises of a Bus`, () => {
    requestContract(makeBus);
    eventContract(makeBus);
    workContract(makeBus);
  });
}

function eventContract(makeBus: MakeBus): void {
  describe('events', () => {
    let bus: Bus;
    beforeEach(async () => {
      bus = await makeBus({});
    });
    afterEach(() => bus.close());

    test('an event reaches every subscriber whose pattern matches, and no other', async () => {
      const received: string[] = [];
      const both = new Promise<void>((resolve) => {
        const record = (who: string) => (): void => {
          received.push(who);
          if (received.length === 2) resolve();
        };
        void bus
          .subscribe('writ.v1.test.event.*.operation', record('one kind'))
          .then(() => bus.subscribe('writ.v1.test.event.>', record('all')))
          .then(() => bus.subscribe('writ.v1.test.event.*.stop', record('other kind')))
          .then(() => bus.publish('writ.v1.test.event.ten_a.operation', { n: 1 }));
      });
      await both;
      expect(received.sort()).toEqual(['all', 'one kind']);
    });

    test('an event carries its payload and headers, and no deadline', async () => {
      const received = new Promise(
        (resolve) =>
          void bus
            .subscribe('writ.v1.test.event.ten_b.slots', resolve)
            .then(() => bus.publish('writ.v1.test.event.ten_b.slots', { free: 3 }, { colour: 'red' })),
      );
      expect(await received).toMatchObject({ payload: { free: 3 }, headers: { colour: 'red' }, deadline: null });
    });

    test('an event without a subscriber is no error', () => {
      expect(() => bus.publish('writ.v1.test.event.ten_c.nobody', {})).not.toThrow();
    });

    test('`tryDeliver` reaches a subscriber, and resolves with false at once if there is none', async () => {
      const received: unknown[] = [];
      const subject = 'writ.v1.test.event.exc_a.assigned';
      expect(await bus.tryDeliver(subject, {}, 60_000)).toBe(false);
      let notify: (value: null) => void = () => undefined;
      const subscription = await bus.subscribe(subject, ({ payload }) => {
        received.push(payload);
        notify(null);
      });
      const arrived = new Promise((resolve) => {
        notify = resolve;
      });
      expect(await bus.tryDeliver(subject, { n: 1 }, 50)).toBe(true);
      await arrived;
      await subscription.close();
      expect(await bus.tryDeliver(subject, { n: 2 }, 60_000)).toBe(false);
      expect(received).toEqual([{ n: 1 }]);
      await expect(bus.tryDeliver(subject, 'x'.repeat(1_048_576), 50)).rejects.toThrow(Fault);
    });

    test('a payload above the limit is refused before it is sent', () => {
      expect(() => bus.publish('writ.v1.test.event.ten_d.big', 'x'.repeat(1_048_576))).toThrow(Fault);
    });

    test('a subscriber whose handler throws keeps its subscription', async () => {
      let count = 0;
      await new Promise<void>(
        (resolve) =>
          void bus
            .subscribe('writ.v1.test.event.ten_e.slots', () => {
              count += 1;
              if (count === 2) resolve();
              throw new Error('the first one fails');
            })
            .then(() => {
              bus.publish('writ.v1.test.event.ten_e.slots', {});
              bus.publish('writ.v1.test.event.ten_e.slots', {});
            }),
      );
      expect(count).toBe(2);
    });
  });
}
