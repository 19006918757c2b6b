// SPDX-License-Identifier: Apache-2.0
import { Compile, type Validator } from 'typebox/compile';
import { shapeProblems } from '../document/shape-problems.ts';
import { problemOf, PolicySetError } from '../problems.ts';
import type { PolicyFragment, PolicyTemplate } from './fragment.ts';
import { HISTORY_TEMPLATES } from './history-templates.ts';
import { RULE_TEMPLATES } from './rule-templates.ts';

/** The templates for common cases, by id. */
export const POLICY_TEMPLATES: ReadonlyMap<string, PolicyTemplate> = new Map(
  [...RULE_TEMPLATES, ...HISTORY_TEMPLATES].map((template) => [template.id, template]),
);

const validators = new Map<string, Validator>();

/**
 * The rules of a template with these parameters; omitted ones have their defaults. The check of the set verifies that
 * its tools exist.
 *
 * @throws PolicySetError for an unknown template and for invalid parameters, with a JSON pointer into the parameters.
 */
export function fillTemplate(id: string, parameters: Readonly<Record<string, unknown>> = {}): PolicyFragment {
  const template = POLICY_TEMPLATES.get(id);
  if (template === undefined)
    throw new PolicySetError([
      problemOf(
        '',
        `there is no template \`${id}\``,
        `there are ${[...POLICY_TEMPLATES.keys()].map((name) => `\`${name}\``).join(', ')}`,
      ),
    ]);
  let validator = validators.get(id);
  if (!validator) validators.set(id, (validator = Compile(template.parameters)));
  const filled = { ...defaultsIn(template), ...parameters };
  if (!validator.Check(filled)) throw new PolicySetError(shapeProblems(validator, filled));
  return template.make(filled);
}

function defaultsIn({ parameters }: PolicyTemplate): Record<string, unknown> {
  const all = Object.entries(parameters.properties).map(([name, schema]): [string, unknown] => [
    name,
    (schema as { default?: unknown }).default,
  ]);
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}
