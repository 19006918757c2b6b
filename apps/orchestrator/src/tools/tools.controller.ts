// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { definitionForDigest, TOOLS, type ToolDefinition } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { Asked } from '../http/asked.ts';
import { Route, type AskedOf } from '../http/route.ts';
import { CALLS } from '../http/routes/index.ts';
import type { ToolView } from '../http/views.ts';

const ITEMS = [...TOOLS.values()].map(viewOf);

@Controller()
export class ToolsController {
  @Route(CALLS.tools)
  list(@Asked() _asked: AskedOf<typeof CALLS.tools>): { items: ToolView[] } {
    return { items: ITEMS };
  }
}

function viewOf(tool: ToolDefinition): ToolView {
  const definition = definitionForDigest(tool);
  const { tool_id, version, description, category, mutating, limits } = tool;
  return {
    tool_id, version, description, category, class: tool.class, mutating, limits: { ...limits },
    parameters: definition['parameters'] as Record<string, unknown>,
    result: definition['result'] as Record<string, unknown>,
    definition_digest: sha256Hex(canonicalBytes(definition as never)),
  };
}
