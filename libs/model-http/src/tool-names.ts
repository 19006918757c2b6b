// SPDX-License-Identifier: Apache-2.0
import type { ToolOffer } from '@writ/agent-loop';

/** Providers allow letters, digits, `_` and `-` in a tool's name, and no dot. */
export const providerName = (toolId: string): string => toolId.replaceAll('.', '-');

/** The tool that a provider's name stands for. A name that was never offered stays as it is: the kernel says that there is no such tool. */
export const toolIdOf = (name: string, tools: readonly ToolOffer[]): string => tools.find(({ tool_id }) => providerName(tool_id) === name)?.tool_id ?? name;
