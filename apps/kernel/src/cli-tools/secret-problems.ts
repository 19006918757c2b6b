// SPDX-License-Identifier: Apache-2.0
import { secretNamesOf, type CliToolDraft, type ToolProblem } from '@writ/cli-tool';

/** What `${NAME}` stands for has to be known: a tool that would start without it is refused here, not at its first call. */
export function secretProblems(tools: readonly CliToolDraft[]): ToolProblem[] {
  return tools.flatMap((tool, n) => secretNamesOf(tool).map((name) => ({ pointer: `/tools/${n}/env`, message: `there is no variable \`${name}\``, help: 'declare it under `variables`' })));
}
