// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { Bus } from './bus.ts';
import type { MakeBus } from './made-bus.contract.ts';
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

    test('an event reaches every listener whose pattern matches, and no other', async () => {
      const heard: string[] = [];
      const both = new Promise<void>((resolve) => {
        const note = (who: string) => (): void => {
          heard.push(who);
          if (heard.length === 2) resolve();
        };
        void bus
          .subscribe('writ.v1.test.event.*.operation', note('one kind'))
          .then(() => bus.subscribe('writ.v1.test.event.>', note('all')))
          .then(() => bus.subscribe('writ.v1.test.event.*.stop', note('other kind')))
          .then(() => bus.publish('writ.v1.test.event.ten_a.operation', { n: 1 }));
      });
      await both;
      expect(heard.sort()).toEqual(['all', 'one kind']);
    });

    test('an event carries its payload and headers, and no deadline', async () => {
      const heard = new Promise(
        (resolve) =>
          void bus
            .subscribe('writ.v1.test.event.ten_b.slots', resolve)
            .then(() => bus.publish('writ.v1.test.event.ten_b.slots', { free: 3 }, { colour: 'red' })),
      );
      expect(await heard).toMatchObject({ payload: { free: 3 }, headers: { colour: 'red' }, deadline: null });
    });

    test('an event that nobody listens to is no error', () => {
      expect(() => bus.publish('writ.v1.test.event.ten_c.nobody', {})).not.toThrow();
    });

    test('who is to be reached hears it as any event; where nobody listens, or no more, that is said at once', async () => {
      const heard: unknown[] = [];
      const subject = 'writ.v1.test.event.exc_a.assigned';
      expect(await bus.reach(subject, {}, 60_000)).toBe(false);
      let told: (value: null) => void = () => undefined;
      const subscription = await bus.subscribe(subject, ({ payload }) => {
        heard.push(payload);
        told(null);
      });
      const arrived = new Promise((resolve) => {
        told = resolve;
      });
      expect(await bus.reach(subject, { n: 1 }, 50)).toBe(true);
      await arrived;
      await subscription.close();
      expect(await bus.reach(subject, { n: 2 }, 60_000)).toBe(false);
      expect(heard).toEqual([{ n: 1 }]);
      await expect(bus.reach(subject, 'x'.repeat(1_048_576), 50)).rejects.toThrow(Fault);
    });

    test('a payload above the limit is refused before it is sent', () => {
      expect(() => bus.publish('writ.v1.test.event.ten_d.big', 'x'.repeat(1_048_576))).toThrow(Fault);
    });

    test('a listener that throws goes on listening', async () => {
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
