// SPDX-License-Identifier: Apache-2.0
import type { ImageSource } from '@writ/contract';

/** Where tenants' images may come from, as the operator says. */
export interface SourceProblem {
  readonly pointer: string;
  readonly message: string;
}

/** The word for images that the engines of the executors have already. */
const ENGINE = 'engine';
const ENTRY = /^[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/;

/**
 * The operator's list of registries and repositories. INVARIANT (nothing unless named): an empty list allows no image
 * but recipes on the sandbox image of the deployment. An entry allows a repository and those below it, never one whose
 * name merely begins alike.
 */
export class AllowedSources {
  readonly #entries: readonly string[];

  constructor(entries: readonly string[]) {
    this.#entries = entries;
  }

  /** Reads a list like `engine,registry.example.org/acme`. @throws Error that names the entry that is none */
  static parse(text: string): AllowedSources {
    const entries = text.split(',').map((entry) => entry.trim());
    const used = entries.filter((entry) => entry !== '');
    const wrong = used.find((entry) => entry !== ENGINE && !ENTRY.test(entry));
    if (wrong !== undefined)
      throw new Error(`\`${wrong}\` is neither \`engine\` nor a registry with or without a repository`);
    return new AllowedSources(used);
  }

  /** Why the source isn't allowed; null where it is. */
  problemOf(source: ImageSource): SourceProblem | null {
    if ('reference' in source) return this.#problem(source.reference, '/source/reference');
    if ('digest' in source) return this.#problem(source.digest, '/source/digest');
    const { base = null } = source.recipe;
    return base === null ? null : this.#problem(base, '/source/recipe/base');
  }

  #problem(image: string, pointer: string): SourceProblem | null {
    const [repository = ''] = image.split('@');
    const isOfEngine = !image.includes('@');
    const isAllowed = isOfEngine
      ? this.#entries.includes(ENGINE)
      : this.#entries.some((entry) => entry !== ENGINE && (repository === entry || repository.startsWith(`${entry}/`)));
    if (isAllowed) return null;
    const allowed = this.#entries.map((entry) => `\`${entry}\``).join(', ');
    return {
      pointer,
      message:
        allowed === ''
          ? 'the operator allows no images of tenants but recipes on the sandbox image'
          : `the operator allows images of ${allowed} alone`,
    };
  }
}
