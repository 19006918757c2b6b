// SPDX-License-Identifier: Apache-2.0
import { secretNamesOf, type CliToolDraft } from '@writ/cli-tool';
import { VALUE_NAME, type Problem } from '@writ/contract';

const NAME = new RegExp(VALUE_NAME);

/** `${NAME}` must be a declared variable or a valid name of a secret. Each call checks whether the secret exists. */
export function secretProblems(tools: readonly CliToolDraft[]): Problem[] {
  return tools.flatMap((tool, n) =>
    secretNamesOf(tool)
      .filter((name) => !NAME.test(name))
      .map((name) => ({
        pointer: `/tools/${n}/env`,
        message: `\`${name}\` is no declared variable and no valid name of a secret`,
        help: 'declare it under `variables`',
      })),
  );
}
