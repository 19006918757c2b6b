// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_CALL_SETTINGS } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { FakeKernelState } from './fake-kernel-state.ts';
import { erasureOf } from './fake-views.ts';

/** Handlers for erasures, which complete at once except for texts of sessions, and for settings of retention. */
export function answerErasures(kernel: FakeKernelState): void {
  const { handlers } = kernel;
  handlers.set('erasure.begin', (caller, { texts, session_id }) => {
    const { session_ids = [], alone = false } = (texts ?? {}) as { session_ids?: string[]; alone?: boolean };
    const selector = alone ? 'conversation' : 'session';
    const erasure = erasureOf(newId('erasure'), {
      selector,
      session_id: String(session_id),
      ...(session_ids.length === 0 ? {} : { state: 'running', finished_at: null }),
    });
    if (session_ids.length > 0)
      kernel.orders.push({
        tenant_id: caller.tenant_id,
        erasure_id: erasure.erasure_id,
        selector,
        session_ids,
        until: 0,
      });
    return erasure;
  });
  handlers.set('erasure.plan', () => ({ dry_run: true, operations: 1, unfinished: 0, more: false }));
  handlers.set('call_settings.read', () => ({
    ...DEFAULT_CALL_SETTINGS,
    command_ms: null,
    tool_command_ms: {},
    changed_at: null,
  }));
  handlers.set('call_settings.set', (_caller, { change }) => ({
    ...DEFAULT_CALL_SETTINGS,
    command_ms: null,
    tool_command_ms: {},
    ...(change as object),
    changed_at: 1,
  }));
  const modes = { payload_mode: 'full', requests_mode: 'full' } as const;
  handlers.set('retention.read', () => ({ payload_days: null, output_days: null, ...modes, changed_at: null }));
  handlers.set('retention.set', (_caller, { payload_days, output_days, payload_mode, requests_mode }) => ({
    payload_days,
    output_days,
    payload_mode: payload_mode ?? modes.payload_mode,
    requests_mode: requests_mode ?? modes.requests_mode,
    changed_at: 1,
  }));
}
