// SPDX-License-Identifier: Apache-2.0
import { secretNamesOf, type CliToolDraft, type ToolProblem } from '@writ/cli-tool';
import { VALUE_NAME } from '@writ/contract';

const NAME = new RegExp(VALUE_NAME);

/**
 * What `${NAME}` stands for has to be something that can be: a declared variable, or the name of a secret. Whether that
 * secret is there is asked at each call.
 */
export function secretProblems(tools: readonly CliToolDraft[]): ToolProblem[] {
  return tools.flatMap((tool, n) =>
    secretNamesOf(tool)
      .filter((name) => !NAME.test(name))
      .map((name) => ({
        pointer: `/tools/${n}/env`,
        message: `\`${name}\` is no declared variable, and no secret can have that name`,
        help: 'declare it under `variables`',
      })),
  );
}
