// SPDX-License-Identifier: Apache-2.0
import type { AnnouncedRequests } from '@writ/contract';
import { RequestList, type ListedRequest } from './request-list.ts';

let list: RequestList;
beforeEach(() => {
  list = new RequestList(
    100,
    () => 0,
    (request) => request,
  );
});

const add = (): ListedRequest => {
  const listed = list.add('POST', 'https://api.example.org/', 'why');
  if (listed === null) throw new Error('the list is full');
  return listed;
};
const take = (): AnnouncedRequests => {
  const message = list.takeUnannounced();
  if (message === null) throw new Error('nothing is to be announced');
  return message;
};

describe('messages that are under way at once', () => {
  it('do not pass for one another: a line that grew is announced once a message made later has come', () => {
    const listed = add();
    const before = take();
    listed.connected('93.184.216.34');
    list.grown(listed);
    const after = take();
    expect([before.seq, after.seq]).toEqual([0, 1]);
    expect([before, after].map(({ items }) => items.map(({ address }) => address))).toEqual([
      [null],
      ['93.184.216.34'],
    ]);
    list.announced(before);
    expect(list.isAnnounced(listed)).toBe(false);
    list.announced(after);
    expect(list.isAnnounced(listed)).toBe(true);
    list.announced(before);
    expect(list.takeUnannounced()).toBeNull();
  });

  it('leave out no line, whichever comes first or never', () => {
    const lines = [add(), add()];
    take();
    lines.push(add());
    const second = take();
    expect([second.from, second.items.length]).toEqual([0, 3]);
    list.announced(second);
    expect(lines.map((listed) => list.isAnnounced(listed))).toEqual([true, true, true]);
  });
});
