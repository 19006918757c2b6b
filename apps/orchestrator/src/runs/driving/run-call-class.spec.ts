// SPDX-License-Identifier: Apache-2.0
import type { ModelCall } from '@writ/agent-loop';
import type { AgentId, Caller, TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { parseCall } from '../../calls/parse-call.ts';
import type { ParsedCall } from '../../calls/parsed-call.ts';
import { newSession } from '../../specs/session-steps.ts';
import { viewOf } from '../../specs/fake-views.ts';
import type { NewSession } from '../../store/session-rows/sessions.ts';
import { callOf, type Turn } from '../turns/turn-call.ts';
import { runCall, type CallParts } from './run-call.ts';

const agent_id = newId('agent') as AgentId;
const caller: Caller = { tenant_id: newId('tenant') as TenantId, api_key_id: newId('apiKey'), role: 'admin', agent_id };
const READ: ModelCall = { id: 'c1', tool_id: 'fs.read', args: { path: 'a.txt' } };

/** Runs the call in a session with these values, and returns what was proposed, or the turn that was staged. */
async function proposedIn(session: Partial<NewSession>, call = READ): Promise<ParsedCall | undefined> {
  const proposed: ParsedCall[] = [];
  const parts: CallParts = {
    parse: parseCall,
    propose: async (_caller, operation_id, parsed) => {
      proposed.push(parsed);
      return viewOf({ ...parsed, operation_id, args_ref: null }, 'refused');
    },
    staged: {
      stage: async ({ turn }: { turn: Turn }) => {
        proposed.push(callOf(turn, caller, { tool_id: call.tool_id, args: call.args, key: 'k' }));
        return { outcome: { standing: 'failed', result: null, error: null }, view: null, resultToShow: null };
      },
      apply: () => Promise.reject(new Error('nothing is applied here')),
    } as unknown as CallParts['staged'],
    show: async (_caller, view) => view,
    wait: async () => undefined,
  };
  const row = { ...newSession({ agent_id, ...session }), created_at: 0 };
  const context = {
    caller,
    session: row,
    run: { run_id: newId('run') },
    dialect: row.dialect === 'yips' ? ('yips' as const) : null,
    model: 'm',
    onStarted: () => undefined,
  };
  await runCall(parts, context, call, { round: 1, index: 0 }, new AbortController().signal);
  return proposed[0];
}

const ofJob = { job_id: newId('job'), scheduling_class: 'interactive' } as const;

describe('a call of a run', () => {
  it('is interactive in a session that no job began, and names no scheduling class', async () => {
    const call = await proposedIn({});
    expect(call).toMatchObject({ session_mode: 'interactive', task_class: 'general' });
    expect(call).not.toHaveProperty('scheduling_class');
  });

  it("has the scheduling class that its job's definition names, and is scheduled", async () => {
    expect(await proposedIn(ofJob)).toMatchObject({ session_mode: 'scheduled', scheduling_class: 'interactive' });
  });

  it('has the same class and session mode where it stages a change of a file', async () => {
    expect(await proposedIn({ ...ofJob, dialect: 'yips' }, { ...READ, mode: 'stage' })).toMatchObject({
      session_mode: 'scheduled',
      scheduling_class: 'interactive',
    });
  });
});
