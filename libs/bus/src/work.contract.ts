// SPDX-License-Identifier: Apache-2.0
import { CONTRACT_LANE, type MakeBus } from './bus-factory.contract.ts';
import type { Bus, WorkMessage } from './bus.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Collects the messages of a worker, and lets a test wait for them. */
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
    const enqueue = (text: string) => bus.enqueue(subject, encoder.encode(text), { messageId: `${run}-${text}` });

    test('a message reaches a worker, whether the message or the worker came first', async () => {
      const inbox = new Inbox();
      await enqueue('before');
      const handler = async (message: WorkMessage): Promise<void> => {
        message.ack();
        inbox.add(message);
      };
      await bus.consume(subject, { durable, slots: () => 4, handler });
      await inbox.has(1);
      await enqueue('after');
      await inbox.has(2);
      expect(inbox.texts()).toEqual(['before', 'after']);
      expect(inbox.messages[0]?.delivery).toBe(1);
    });

    test('two messages with the same id arrive once', async () => {
      const inbox = new Inbox();
      await enqueue('twice');
      await enqueue('twice');
      await enqueue('last');
      await bus.consume(subject, {
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

    test('a worker never receives more messages than it has free slots', async () => {
      const inbox = new Inbox();
      let free = 2;
      let least = 2;
      let notifyTaken: () => void = () => {};
      const bothTaken = new Promise<void>((resolve) => {
        notifyTaken = resolve;
      });
      await bus.consume(subject, {
        durable,
        slots: () => free,
        handler: async (message) => {
          free -= 1;
          least = Math.min(least, free);
          if (free === 0) notifyTaken();
          message.ack();
          // The first handler holds its slot until the second message has come, however far apart the two were sent.
          await bothTaken;
          await new Promise((resolve) => setImmediate(resolve));
          free += 1;
          inbox.add(message);
        },
      });
      await Promise.all(Array.from({ length: 20 }, (_, index) => enqueue(String(index))));
      await inbox.has(20);
      expect(least).toBe(0);
    });

    test('a fetched message whose slot was taken meanwhile waits for a slot and is not delivered again', async () => {
      const inbox = new Inbox();
      let free = 2;
      const work = await bus.consume(subject, {
        durable,
        slots: () => free,
        handler: async (message) => {
          free -= 1;
          message.ack();
          inbox.add(message);
        },
      });
      // The worker has fetched two messages by then.
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
      free = 1;
      for (const text of ['first', 'second']) await enqueue(text);
      await new Promise((resolve) => {
        setTimeout(resolve, 300);
      });
      expect(inbox.messages).toHaveLength(1);
      free = 1;
      work.notifySlotFree();
      await inbox.has(2);
      expect(inbox.messages.map(({ delivery }) => delivery)).toEqual([1, 1]);
    });

    test('a worker without free slots receives no message until it has one', async () => {
      const inbox = new Inbox();
      let free = 0;
      let notifyPolled: () => void = () => {};
      const polledTwice = new Promise<void>((resolve) => {
        let count = 0;
        notifyPolled = () => ((count += 1) === 2 ? resolve() : undefined);
      });
      const slots = (): number => {
        notifyPolled();
        return free;
      };
      await bus.consume(subject, {
        durable,
        slots,
        handler: async (message) => {
          message.ack();
          inbox.add(message);
        },
      });
      await enqueue('later');
      await polledTwice;
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
      await bus.consume(subject, { durable, slots: () => 4, handler });
      await bus.consume(subject, { durable, slots: () => 4, handler });
      const texts = Array.from({ length: 30 }, (_, index) => String(index));
      await Promise.all(texts.map(enqueue));
      await inbox.has(30);
      expect(inbox.texts().sort()).toEqual(texts.sort());
    });

    test('a message is delivered again after nak and its delay, and not after term or ack', async () => {
      const inbox = new Inbox();
      await bus.consume(subject, {
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
      await enqueue('terminated');
      await enqueue('again');
      await inbox.has(3);
      await enqueue('end');
      await inbox.has(4);
      expect(inbox.messages.map(({ bytes, delivery }) => [decoder.decode(bytes), delivery])).toEqual([
        ['terminated', 1],
        ['again', 1],
        ['again', 2],
        ['end', 1],
      ]);
    });

    test('a message whose handler fails is delivered again', async () => {
      const inbox = new Inbox();
      await bus.consume(subject, {
        durable,
        slots: () => 1,
        handler: async (message) => {
          inbox.add(message);
          if (message.delivery === 1) throw new Error('the first time fails');
          message.ack();
        },
      });
      await enqueue('failing');
      await inbox.has(2);
      expect(inbox.messages.map(({ delivery }) => delivery)).toEqual([1, 2]);
    });

    test('closing waits for the running handler and accepts no new message', async () => {
      let finish: () => void = () => {};
      const finished = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const inbox = new Inbox();
      const worker = await bus.consume(subject, {
        durable,
        slots: () => 1 - inbox.messages.length,
        handler: async (message) => {
          message.ack();
          inbox.add(message);
          await finished;
        },
      });
      await enqueue('first');
      await inbox.has(1);
      let isClosed = false;
      const closed = worker.close().then(() => {
        isClosed = true;
      });
      await enqueue('second');
      expect(isClosed).toBe(false);
      finish();
      await closed;
      expect(inbox.texts()).toEqual(['first']);
    });
  });
}
