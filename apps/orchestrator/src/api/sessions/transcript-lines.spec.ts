// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { newId } from '@writ/nest-kit';
import type { SessionRow } from '../../store/session-rows/sessions.ts';
import { FakeRuns } from '../../specs/fake-sessions.ts';
import { transcriptLines } from './transcript-lines.ts';

const tenantId = newId('tenant');
let runs: FakeRuns;
let session: SessionRow;
/** pages that were read */
let reads: number;
beforeEach(async () => {
  [runs, reads] = [new FakeRuns(), 0];
  session = await runs.sessions.create(
    tenantId,
    {
      session_id: newId('session'),
      name: 'one',
      agent_id: newId('agent'),
      workspace_id: 'wsp_1',
      capability_token_id: 'cap_1',
      dialect: 'native',
      model: 'm',
      forked_from: null,
      spawned_by: null,
      job_id: null,
      session_mode: 'interactive',
      scheduling_class: null,
      created_by: 'key_1',
      content: { system: 'hidden', base: [] },
    },
    10,
  );
  const events = runs.sessions.events.bind(runs.sessions);
  runs.sessions.events = (...given) => {
    reads += 1;
    return events(...given);
  };
});
/** A run of so many events, the last of which is its end. */
async function add(input: string, count: number): Promise<string> {
  const run = await runs.sessions.queue(
    tenantId,
    {
      run_id: newId('run'),
      session_id: session.session_id,
      idempotency_key: null,
      input,
      rounds_max: null,
      tokens_max: null,
      cost_max: null,
      created_by: newId('apiKey'),
      role: 'admin',
      principal: null,
    },
    { runsMax: 1_000, unendedMax: 1_000 },
  );
  const id = run?.run_id ?? '';
  const replied = {
    kind: 'replied' as const,
    turn: { text: 'I look.', calls: [], stop: 'end' as const, native: { provider: 'p', content: 'signed' } },
  };
  for (let seq = 1; seq <= count; seq += 1)
    runs
      .run(tenantId, id)
      ?.events.push({ seq, at: seq, event: seq === count ? { kind: 'ended', stopped: 'end' } : replied });
  return id;
}
const exported = (verifyKey: () => Promise<unknown> = () => Promise.resolve()) =>
  transcriptLines(runs.sessions, { session, tenantId, verifyKey });
const parsed = async () =>
  (await text(exported()))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { line: string; input?: string; run_id?: string; event?: { seq: number } });

it('is the session, every run oldest first with its events in order, and an end that counts them', async () => {
  const ids = [await add('first', 45), await add('second', 2), await add('third', 0)];
  const lines = await parsed();
  expect(lines[0]).toMatchObject({ line: 'session', v: 1, session: { session_id: session.session_id, name: 'one' } });
  expect(lines.filter(({ line }) => line === 'run').map(({ input }) => input)).toEqual(['first', 'second', 'third']);
  expect(lines.filter(({ line }) => line === 'event').map(({ run_id, event }) => [run_id, event?.seq])).toEqual([
    ...Array.from({ length: 45 }, (_each, n) => [ids[0], n + 1]),
    [ids[1], 1],
    [ids[1], 2],
  ]);
  expect(lines.at(-1)).toEqual({ line: 'end', runs: 3, events: 47 });
  expect([await text(exported())].filter((all) => all.includes('hidden') || all.includes('signed'))).toEqual([]);
});

it('lists more runs than a page has', async () => {
  for (let n = 0; n < 205; n += 1) await add(String(n), 0);
  expect((await parsed()).filter(({ line }) => line === 'run').map(({ input }) => input)).toEqual(
    Array.from({ length: 205 }, (_each, n) => String(n)),
  );
});

it('reads no further than its reader has consumed', async () => {
  await add('long', 20_000);
  const stream = exported();
  await once(stream, 'readable');
  expect(reads).toBeLessThan(50);
  stream.destroy();
});

it('breaks off without its end line if the key is no longer valid, or the session was deleted meanwhile', async () => {
  await add('long', 100);
  let left = 3;
  const seen: string[] = [];
  const read = async (stream: ReturnType<typeof exported>) => {
    for await (const chunk of stream) seen.push(String(chunk));
  };
  await expect(
    read(exported(() => ((left -= 1) > 0 ? Promise.resolve() : Promise.reject(new Error('revoked'))))),
  ).rejects.toThrow('revoked');
  expect(seen.join('')).toContain('"seq":20');
  runs.sessions.input = () => Promise.resolve(null);
  await expect(read(exported())).rejects.toThrow('deleted');
  expect(seen.join('')).not.toContain('"line":"end"');
});
