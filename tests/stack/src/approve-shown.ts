// SPDX-License-Identifier: Apache-2.0
import { Api, type Answer, type JsonValue } from './api.ts';
import { eventually } from './world.ts';

/**
 * Approves as a person does: reads the approval and names the effect that it shows. Where the effect changes between
 * the reading and the approval, the person reads it again.
 */
export async function approveShown(
  by: Api,
  approvalId: unknown,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Answer<JsonValue>> {
  const path = `/v1/approvals/${String(approvalId)}`;
  return await eventually(`an approval at ${path}`, async () => {
    const effect_digest = ((await by.get(path)).body?.binding?.effect_digest ?? null) as string | null;
    const answer = await by.post(`${path}/approve`, { ...(effect_digest === null ? {} : { effect_digest }), ...body });
    return answer.body?.code === 'approval.effect_unseen' ? null : answer;
  });
}

/** The same, which must succeed. Returns the operation. */
export async function mustApproveShown(
  by: Api,
  approvalId: unknown,
  body: Readonly<Record<string, unknown>> = {},
): Promise<JsonValue> {
  const answer = await approveShown(by, approvalId, body);
  if (answer.status >= 300) throw new Error(`approval ${String(approvalId)} got ${answer.status}: ${answer.text}`);
  return answer.body;
}
