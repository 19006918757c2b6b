// SPDX-License-Identifier: Apache-2.0
import { LoggedEvents } from './logged-events.ts';

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition())
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
};

it('LoggedEvents publishes a lone growth at once, and each log that grew meanwhile once', async () => {
  const published: string[] = [];
  const events = new LoggedEvents(
    (tenant) => {
      published.push(tenant);
    },
    (error) => {
      throw error;
    },
  );
  events.notify(['a', 'b', 'a']);
  expect(published).toEqual(['a', 'b']);
  events.notify(['a']);
  events.notify(['c', 'a']);
  expect(published).toEqual(['a', 'b']);
  await until(() => published.length > 2);
  expect(published).toEqual(['a', 'b', 'a', 'c']);
  // The interval after the second publication is over as well, and nothing arrived in it.
  await until(() => {
    events.notify(['d']);
    return published.at(-1) === 'd';
  });
  await events.stop();
});

it('LoggedEvents publishes pending growth when it stops', async () => {
  const published: string[] = [];
  const events = new LoggedEvents(
    (tenant) => {
      published.push(tenant);
    },
    (error) => {
      throw error;
    },
  );
  events.notify(['a']);
  events.notify(['b']);
  await events.stop();
  expect(published).toEqual(['a', 'b']);
});

it('LoggedEvents reports a failed publication, delays nothing and publishes later growth', async () => {
  const [published, reported]: [string[], unknown[]] = [[], []];
  const away = new Error('the bus is away');
  const events = new LoggedEvents(
    (tenant) => {
      if (reported.length === 0) throw away;
      published.push(tenant);
    },
    (error) => {
      reported.push(error);
    },
  );
  events.notify(['a', 'b']);
  expect(reported).toEqual([away]);
  events.notify(['c']);
  await until(() => published.length > 0);
  expect(published).toEqual(['c']);
  await events.stop();
});
