// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../check.ts';
import { demand, NotMade } from '../finding.ts';
import { demandRefused, inWords, memberOf, objectOf, textIn, type Answer } from '../doctor-api.ts';
import { describe, type Room, type World } from '../world.ts';

/** What the token of a refused call may not change. */
const READ_ONLY = { fs: [{ path: '', read: true, write: false }], tools: ['fs.*'] };

const refused: Check = {
  id: 'refused-call',
  invariant: 'A call that was refused has no effect',
  obligatory: true,
  run: async (world) => {
    const room = await world.room({ 'a.txt': 'before\n' }, READ_ONLY);
    const head = await room.head();
    const outside = await room.call('fs.write', { path: 'a.txt', content: 'after\n' });
    const tool = await room.call('shell.run', { command: 'echo after > a.txt' });
    demandRefused(outside, ['token.scope', 'path.denied'], 'a call wrote a file that its token does not grant');
    demandRefused(tool, ['token.tool'], 'a call used a tool that its token does not grant');
    demand((await room.file('a.txt')) === 'before\n', 'the file of a refused call has changed');
    demand((await room.head()) === head, 'the head of the workspace moved for a refused call');
    return `refused ${outside.code ?? ''} and ${tool.code ?? ''}; file and head are unchanged`;
  },
};

const rolledBack: Check = {
  id: 'rollback',
  invariant: 'A command that fails changes nothing',
  obligatory: true,
  run: async (world) => {
    const room = await world.room({ 'a.txt': 'before\n' });
    const head = await room.head();
    const { answer } = await room.run('echo after > a.txt; echo new > b.txt; exit 3');
    const outcome = textIn(answer, 'tx_outcome');
    demand(
      textIn(memberOf(answer, 'error'), 'code') !== '',
      'the call of a command that failed ended without an error',
    );
    demand(outcome === 'rolled_back', `the call of a command that failed ended \`${outcome}\``);
    demand((await room.file('a.txt')) === 'before\n', 'a file that the command changed has its new content');
    demand((await room.file('b.txt')) === null, 'a file that the command made is there');
    demand((await room.head()) === head, 'the head of the workspace moved');
    return 'the command ended with status 3 and was rolled back; files and head are unchanged';
  },
};

const restored: Check = {
  id: 'restore',
  invariant: 'A workspace can be restored to an earlier state, byte for byte',
  obligatory: true,
  run: async (world) => {
    const room = await world.room({ 'a.txt': 'first\n', 'dir/b.txt': 'kept\n' });
    const head = await room.head();
    const written = await room.call('fs.write', { path: 'a.txt', content: 'second\n' });
    if ((await room.file('a.txt')) !== 'second\n')
      throw new NotMade(`a file could not be written: ${describe(written)}`);
    const answer = await world.admin.post(`/v1/workspaces/${room.workspaceId}/restore`, { at: head });
    demand(answer.status === 200, `restoring answered ${inWords(answer)}`);
    demand((await room.file('a.txt')) === 'first\n', 'the file does not have its earlier content');
    demand((await room.file('dir/b.txt')) === 'kept\n', 'another file has changed');
    return 'a changed file has its earlier content again';
  },
};

/** Proposes a call by a key, which waits for a person. */
async function propose(room: Room, by: Awaited<ReturnType<World['key']>>): Promise<string> {
  const held = await room.call('fs.write', { path: 'a.txt', content: 'after\n' }, { by, max_autonomy: 'soft_gate' });
  const approval = textIn(objectOf(held), 'approval_id');
  if (approval === '') throw new NotMade(`a call did not wait for a person: ${describe(held)}`);
  return approval;
}

const OWN_CALL = ['approval.own_call'];

const fourEyes: Check = {
  id: 'four-eyes',
  invariant: 'Nobody approves a call of their own, with whichever key',
  obligatory: true,
  run: async (world) => {
    const room = await world.room({ 'a.txt': 'before\n' });
    const principal = `doctor-${randomUUID()}`;
    const [proposer, same, other] = await Promise.all([
      world.key({ role: 'admin', principal }),
      world.key({ role: 'operator', principal }),
      world.key({ role: 'operator' }),
    ]);
    const path = `/v1/approvals/${await propose(room, proposer)}`;
    const own: Answer[] = [];
    for (const key of [proposer, same]) own.push(await key.post(`${path}/approve`, {}));
    for (const answer of own) demandRefused(answer, OWN_CALL, 'a person approved a call of their own');
    demand((await room.file('a.txt')) === 'before\n', 'the call ran without an approval of another person');
    const denied = await other.post(`${path}/deny`, {});
    demand(denied.status === 200, `another person could not decide: ${inWords(denied)}`);
    return `the proposer got ${inWords(own[0] as Answer)}, and a second key of the same person ${inWords(own[1] as Answer)}`;
  },
};

/** How long a revoked key may still be accepted, and how often it is tried. */
const REVOKED_MS = 1_000;
const TRY_MS = 50;
/** What the key opens until it is revoked. */
const OPENED = '/v1/operations?limit=1';

const revoked: Check = {
  id: 'revoked-key',
  invariant: 'A revoked key opens nothing, within a second',
  obligatory: true,
  run: async (world) => {
    const created = await world.admin.must('POST', '/v1/api-keys', { name: 'to be revoked', role: 'operator' });
    const api = world.admin.as(textIn(created, 'api_key'));
    const before = await api.get(OPENED);
    if (before.status !== 200) throw new NotMade(`a new key got ${inWords(before)}`);
    await world.admin.must('DELETE', `/v1/api-keys/${textIn(created, 'api_key_id')}`);
    const since = performance.now();
    for (;;) {
      const asked = performance.now() - since;
      const answer = await api.get(OPENED);
      const after = `${String(Math.round(asked))} ms after it was revoked`;
      if (answer.code === 'auth.invalid') return `refused auth.invalid ${after}`;
      if (asked >= REVOKED_MS) demandRefused(answer, ['auth.invalid'], `it was accepted ${after}`);
      await sleep(TRY_MS);
    }
  },
};

const replay: Check = {
  id: 'idempotency',
  invariant: 'A call that is sent again runs once',
  obligatory: true,
  run: async (world) => {
    const room = await world.room({ 'count.txt': '' });
    const key = { idempotency_key: randomUUID() };
    const command = { command: 'echo once >> count.txt' };
    const first = await room.call('shell.run', command, key);
    const second = await room.call('shell.run', command, key);
    const [id, again] = [first, second].map((answer) => textIn(objectOf(answer), 'operation_id'));
    if (id === '' || first.code !== null) throw new NotMade(`a command did not run: ${describe(first)}`);
    demand(id === again, 'the second request began another call');
    const content = await room.file('count.txt');
    demand(content === 'once\n', `the command ran ${String((content ?? '').split('\n').length - 1)} times`);
    const mismatch = await room.call('shell.run', { command: 'echo twice >> count.txt' }, key);
    demandRefused(mismatch, ['idempotency.mismatch'], 'another call under the same key was not refused');
    return `the second request got the first call; another one under its key got ${inWords(mismatch)}`;
  },
};

export const CALL_CHECKS: readonly Check[] = [refused, rolledBack, restored, fourEyes, revoked, replay];
