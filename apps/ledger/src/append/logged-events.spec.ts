// SPDX-License-Identifier: Apache-2.0
import { LoggedEvents } from './logged-events.ts';

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo())
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
};

it('tells of what comes alone at once, and of each log once that grew meanwhile', async () => {
  const told: string[] = [];
  const events = new LoggedEvents(
    (tenant) => {
      told.push(tenant);
    },
    (error) => {
      throw error;
    },
  );
  events.tell(['a', 'b', 'a']);
  expect(told).toEqual(['a', 'b']);
  events.tell(['a']);
  events.tell(['c', 'a']);
  expect(told).toEqual(['a', 'b']);
  await until(() => told.length > 2);
  expect(told).toEqual(['a', 'b', 'a', 'c']);
  // The time after the second telling is over as well, and nothing came in it.
  await until(() => {
    events.tell(['d']);
    return told.at(-1) === 'd';
  });
  await events.stop();
});

it('tells what is left when it is stopped', async () => {
  const told: string[] = [];
  const events = new LoggedEvents(
    (tenant) => {
      told.push(tenant);
    },
    (error) => {
      throw error;
    },
  );
  events.tell(['a']);
  events.tell(['b']);
  await events.stop();
  expect(told).toEqual(['a', 'b']);
});

it('holds nobody up where the bus is away, and tells again later', async () => {
  const [told, reported]: [string[], unknown[]] = [[], []];
  const away = new Error('the bus is away');
  const events = new LoggedEvents(
    (tenant) => {
      if (reported.length === 0) throw away;
      told.push(tenant);
    },
    (error) => {
      reported.push(error);
    },
  );
  events.tell(['a', 'b']);
  expect(reported).toEqual([away]);
  events.tell(['c']);
  await until(() => told.length > 0);
  expect(told).toEqual(['c']);
  await events.stop();
});
