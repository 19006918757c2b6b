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
const nextAnnouncement = (): AnnouncedRequests => {
  const message = list.nextAnnouncement();
  if (message === null) throw new Error('nothing is to be announced');
  return message;
};

describe('concurrent announcements', () => {
  it('do not stand in for each other: a changed line counts as announced only after a later message', () => {
    const listed = add();
    const before = nextAnnouncement();
    listed.connected('93.184.216.34');
    list.markChanged(listed);
    const after = nextAnnouncement();
    expect([before.seq, after.seq]).toEqual([0, 1]);
    expect([before, after].map(({ items }) => items.map(({ address }) => address))).toEqual([
      [null],
      ['93.184.216.34'],
    ]);
    list.markAnnounced(before);
    expect(list.isAnnounced(listed)).toBe(false);
    list.markAnnounced(after);
    expect(list.isAnnounced(listed)).toBe(true);
    list.markAnnounced(before);
    expect(list.nextAnnouncement()).toBeNull();
  });

  it('lose no line, whichever message arrives first or never', () => {
    const lines = [add(), add()];
    nextAnnouncement();
    lines.push(add());
    const second = nextAnnouncement();
    expect([second.from, second.items.length]).toEqual([0, 3]);
    list.markAnnounced(second);
    expect(lines.map((listed) => list.isAnnounced(listed))).toEqual([true, true, true]);
  });
});
