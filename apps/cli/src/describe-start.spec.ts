// SPDX-License-Identifier: Apache-2.0
import type { StartedBy } from '@writ/contract';
import { describeStart } from './describe-start.ts';
import { momentOf } from './terminal.ts';

const BASE = { agent_id: 'agt_1', api_key_id: 'key_1' } as unknown as StartedBy;
const RUN = { source: 'run', run_id: 'run_1', session_id: 'ses_1' } as unknown as Partial<StartedBy>;

it.each([
  [{ ...BASE, source: 'mcp' }, 'a key without a name (key_1), through mcp'],
  [{ ...BASE, principal: 'ann\nsmith' }, 'ann\\nsmith (key_1)'],
  [{ ...BASE, ...RUN, principal: 'ann', member_id: 'mbr_1' }, 'ann, mbr_1 (key_1)\nrun run_1 of session ses_1'],
  [
    { ...BASE, ...RUN, principal: 'ann', job: { job_id: 'job_1', name: 'nightly', by_hand: false, due_at: 5 } },
    `ann (key_1)\njob nightly (job_1), due ${String(momentOf(5))}\nrun run_1 of session ses_1`,
  ],
  [
    { ...BASE, ...RUN, session_id: undefined, job: { job_id: 'job_1' } },
    'a key without a name (key_1)\njob (job_1)\nrun run_1',
  ],
])('who began the work of a call is said in words: %j', (started, words) => {
  expect(describeStart(started as StartedBy)).toBe(words);
});
