// SPDX-License-Identifier: Apache-2.0
import { Api, type Answer, type JsonValue } from './api.ts';
import { eventually } from './world.ts';

/**
 * Says yes as a person does: looks at the approval and names the effect that it shows. Where it became another one
 * between the look and the yes, the person looks again.
 */
export async function sayYes(
  by: Api,
  approvalId: unknown,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Answer<JsonValue>> {
  const path = `/v1/approvals/${String(approvalId)}`;
  return await eventually(`a yes to ${path}`, async () => {
    const effect_digest = ((await by.get(path)).body?.binding?.effect_digest ?? null) as string | null;
    const answer = await by.post(`${path}/approve`, { ...(effect_digest === null ? {} : { effect_digest }), ...body });
    return answer.body?.code === 'approval.effect_unseen' ? null : answer;
  });
}

/** The same, which must be a success. Returns the operation. */
export async function mustSayYes(
  by: Api,
  approvalId: unknown,
  body: Readonly<Record<string, unknown>> = {},
): Promise<JsonValue> {
  const answer = await sayYes(by, approvalId, body);
  if (answer.status >= 300) throw new Error(`a yes to ${String(approvalId)} answered ${answer.status}: ${answer.text}`);
  return answer.body;
}
