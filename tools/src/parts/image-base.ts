// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { baseFromRegistry, pull } from './image-pull.ts';
import { baseTag, RECIPE, type Recipe } from './image-recipe.ts';
import { baseFromPackages } from './image-rootfs.ts';

const hasImage = async (docker: Docker, reference: string): Promise<boolean> =>
  docker
    .getImage(reference)
    .inspect()
    .then(
      () => true,
      () => false,
    );

const useNamed = async (setup: Setup, docker: Docker, reference: string): Promise<string> => {
  if (await hasImage(docker, reference)) return reference;
  try {
    await pull(docker, reference, setup.report);
  } catch (cause) {
    throw new SetupError(
      `WRIT_SANDBOX_BASE is set to \`${reference}\`, which the engine neither has nor can pull`,
      [String(cause)],
      cause,
    );
  }
  return reference;
};

/**
 * The base image of sandboxes: WRIT_SANDBOX_BASE, else Debian with a few tools. It comes from a registry where one is
 * reachable, and from Debian's packages otherwise. Resolves with its reference.
 */
export const ensureBase = async (setup: Setup, docker: Docker, recipe: Recipe = RECIPE): Promise<string> => {
  const named = setup.env['WRIT_SANDBOX_BASE'];
  if (named) return useNamed(setup, docker, named);
  const tag = baseTag(recipe);
  if (await hasImage(docker, tag)) return tag;
  try {
    setup.report(`pulling ${recipe.image}`);
    await baseFromRegistry(setup, docker, recipe, tag);
  } catch (error) {
    setup.report(
      `not from a registry (${error instanceof Error ? error.message : String(error)}): building from Debian's packages`,
    );
    await baseFromPackages(setup, docker, recipe, tag);
  }
  return tag;
};
