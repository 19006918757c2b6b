// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import type { Id } from '@writ/contract';
import { sessionsContract } from '../ports/sessions.contract.ts';
import { FakeRuns } from './fake-sessions.ts';

const all = new FakeRuns();
sessionsContract('memory', {
  sessions: () => all.sessions, work: () => all.work,
  pass: async (ms) => { all.now += ms; },
  key: async () => newId('apiKey') as Id<'apiKey'>,
  revoke: async (_tenant, key) => { all.revoked.add(key); },
});
