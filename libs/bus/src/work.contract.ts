// SPDX-License-Identifier: Apache-2.0
import { CONTRACT_LANE, type MakeBus } from './made-bus.contract.ts';
import type { Bus, WorkMessage } from './bus.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Collects what a worker was given, and lets a test wait for it. */
class Inbox {
  readonly messages: WorkMessage[] = [];
  #waiting: Array<{ count: number; resolve: () => void }> = [];

  add(message: WorkMessage): void {
    this.messages.push(message);
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (this.messages.length < count) return true;
      resolve();
      return false;
    });
  }

  texts(): string[] {
    return this.messages.map(({ bytes }) => decoder.decode(bytes));
  }

  async has(count: number): Promise<void> {
    if (this.messages.length < count) await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }
}

let serial = 0;

export function workContract(makeBus: MakeBus): void {
  describe('work', () => {
    let bus: Bus;
    let run: number;
    beforeEach(async () => {
      bus = await makeBus({});
      run = serial += 1;
    });
    afterEach(() => bus.close());

    const { subject, durable } = CONTRACT_LANE;
    const ring = (text: string) => bus.ring(subject, encoder.encode(text), { messageId: `${run}-${text}` });

    test('what is rung reaches a worker, whichever of the two came first', async () => {
      const inbox = new Inbox();
      await ring('before');
      const handler = async (message: WorkMessage): Promise<void> => {
        message.ack();
        inbox.add(message);
      };
      await bus.work(subject, { durable, slots: () => 4, handler });
      await inbox.has(1);
      await ring('after');
      await inbox.has(2);
      expect(inbox.texts()).toEqual(['before', 'after']);
      expect(inbox.messages[0]?.delivery).toBe(1);
    });

    test('the same message id rung twice arrives once', async () => {
      const inbox = new Inbox();
      await ring('twice');
      await ring('twice');
      await ring('last');
      await bus.work(subject, {
        durable,
        slots: () => 1,
        handler: async (message) => {
          message.ack();
          inbox.add(message);
        },
      });
      await inbox.has(2);
      expect(inbox.texts()).toEqual(['twice', 'last']);
    });

    test('a worker is never given more than it has free slots', async () => {
      const inbox = new Inbox();
      let free = 2;
      let least = 2;
      let take: () => void = () => {};
      const bothTaken = new Promise<void>((resolve) => {
        take = resolve;
      });
      await bus.work(subject, {
        durable,
        slots: () => free,
        handler: async (message) => {
          free -= 1;
          least = Math.min(least, free);
          if (free === 0) take();
          message.ack();
          // The first holds its slot until the second has come, however far apart the two were sent.
          await bothTaken;
          await new Promise((resolve) => setImmediate(resolve));
          free += 1;
          inbox.add(message);
        },
      });
      await Promise.all(Array.from({ length: 20 }, (_, index) => ring(String(index))));
      await inbox.has(20);
      expect(least).toBe(0);
    });

    test("what was asked for and finds that a slot was taken otherwise meanwhile waits for one, and isn't given back", async () => {
      const inbox = new Inbox();
      let free = 2;
      const work = await bus.work(subject, {
        durable,
        slots: () => free,
        handler: async (message) => {
          free -= 1;
          message.ack();
          inbox.add(message);
        },
      });
      // It has asked for two by then.
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
      free = 1;
      for (const text of ['first', 'second']) await ring(text);
      await new Promise((resolve) => {
        setTimeout(resolve, 300);
      });
      expect(inbox.messages).toHaveLength(1);
      free = 1;
      work.freed();
      await inbox.has(2);
      expect(inbox.messages.map(({ delivery }) => delivery)).toEqual([1, 1]);
    });

    test('a worker without free slots is given nothing until it has some', async () => {
      const inbox = new Inbox();
      let free = 0;
      let asked: () => void = () => {};
      const askedTwice = new Promise<void>((resolve) => {
        let count = 0;
        asked = () => ((count += 1) === 2 ? resolve() : undefined);
      });
      const slots = (): number => {
        asked();
        return free;
      };
      await bus.work(subject, {
        durable,
        slots,
        handler: async (message) => {
          message.ack();
          inbox.add(message);
        },
      });
      await ring('later');
      await askedTwice;
      expect(inbox.messages).toHaveLength(0);
      free = 1;
      await inbox.has(1);
    });

    test('two workers of one consumer share the messages: each goes to one', async () => {
      const inbox = new Inbox();
      const handler = async (message: WorkMessage): Promise<void> => {
        message.ack();
        inbox.add(message);
      };
      await bus.work(subject, { durable, slots: () => 4, handler });
      await bus.work(subject, { durable, slots: () => 4, handler });
      const texts = Array.from({ length: 30 }, (_, index) => String(index));
      await Promise.all(texts.map(ring));
      await inbox.has(30);
      expect(inbox.texts().sort()).toEqual(texts.sort());
    });

    test('nak brings a message back after the delay; term and ack do not', async () => {
      const inbox = new Inbox();
      await bus.work(subject, {
        durable,
        slots: () => 1,
        handler: async (message) => {
          const text = decoder.decode(message.bytes);
          if (text === 'terminated') message.term();
          else if (message.delivery === 1 && text === 'again') message.nak(10);
          else message.ack();
          message.nak(0);
          inbox.add(message);
        },
      });
      await ring('terminated');
      await ring('again');
      await inbox.has(3);
      await ring('end');
      await inbox.has(4);
      expect(inbox.messages.map(({ bytes, delivery }) => [decoder.decode(bytes), delivery])).toEqual([
        ['terminated', 1],
        ['again', 1],
        ['again', 2],
        ['end', 1],
      ]);
    });

    test('a message whose handler fails comes back', async () => {
      const inbox = new Inbox();
      await bus.work(subject, {
        durable,
        slots: () => 1,
        handler: async (message) => {
          inbox.add(message);
          if (message.delivery === 1) throw new Error('the first time fails');
          message.ack();
        },
      });
      await ring('failing');
      await inbox.has(2);
      expect(inbox.messages.map(({ delivery }) => delivery)).toEqual([1, 2]);
    });

    test('closing waits for the handler under way and takes nothing new', async () => {
      let finish: () => void = () => {};
      const finished = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const inbox = new Inbox();
      const worker = await bus.work(subject, {
        durable,
        slots: () => 1 - inbox.messages.length,
        handler: async (message) => {
          message.ack();
          inbox.add(message);
          await finished;
        },
      });
      await ring('first');
      await inbox.has(1);
      let isClosed = false;
      const closed = worker.close().then(() => {
        isClosed = true;
      });
      await ring('second');
      expect(isClosed).toBe(false);
      finish();
      await closed;
      expect(inbox.texts()).toEqual(['first']);
    });
  });
}
