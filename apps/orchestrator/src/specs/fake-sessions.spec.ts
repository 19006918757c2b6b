// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import type { Id } from '@writ/contract';
import { sessionsContract } from '../store/session-rows/sessions.contract.ts';
import { runWorkContract } from '../store/session-rows/run-work.contract.ts';
import { sessionTextsContract } from '../store/session-rows/session-texts.contract.ts';
import type { SessionStoreUnderTest } from './session-steps.ts';
import { FakeRuns } from './fake-sessions.ts';

const all = new FakeRuns();
const key = async (): Promise<Id<'apiKey'>> => newId('apiKey') as Id<'apiKey'>;
const under = {
  sessions: () => all.sessions,
  work: () => all.work,
  sessionTexts: () => all.sessionTexts,
  advance: async (ms) => {
    all.now += ms;
  },
  key,
  revoke: async (_tenant, key) => {
    all.revoked.add(key);
  },
} satisfies SessionStoreUnderTest;
sessionsContract('memory', under);
runWorkContract('memory', under);

sessionTextsContract('memory', {
  sessions: () => all.sessions,
  work: () => all.work,
  sessionTexts: () => all.sessionTexts,
  key,
  age: async (id, ms) => {
    all.kept.splice(
      0,
      Infinity,
      ...all.kept.map((kept) =>
        kept.row.session_id === id ? { ...kept, row: { ...kept.row, created_at: kept.row.created_at - ms } } : kept,
      ),
    );
    for (const run of all.runs)
      if (run.row.run_id === id) run.row = { ...run.row, created_at: run.row.created_at - ms };
  },
});
