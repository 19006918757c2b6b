// SPDX-License-Identifier: Apache-2.0
import { TOOLS } from '@writ/contract';
import { toolLabel } from './tool-label.ts';

describe('the tool label of a metric', () => {
  it("is the id of one of Writ's own tools", () => {
    for (const tool_id of TOOLS.keys())
      expect(toolLabel({ tool_id, tool_definition_digest: 'f'.repeat(64) })).toBe(tool_id);
  });

  it('is one value for all tools of all tenants, and one for all names without a tool', () => {
    const labels = (tool_definition_digest: string | null) =>
      new Set(
        Array.from({ length: 100 }, (_, n) => toolLabel({ tool_id: `made.up-${String(n)}`, tool_definition_digest })),
      );
    expect(labels('0'.repeat(64))).toEqual(new Set(['tenant']));
    expect(labels(null)).toEqual(new Set(['unknown']));
  });
});
