// SPDX-License-Identifier: Apache-2.0
import { parseNoteKey } from '@writ/signing';

const namesIn = (text: string): readonly string[] => {
  const { keys } = JSON.parse(text) as { readonly keys: readonly string[] };
  return keys.map((key) => parseNoteKey(key).name);
};

/**
 * Why published log keys can't belong to this deployment; null where they can. Checkpoints and receipts have the name,
 * and verifiers find the key by it.
 */
export function conflictOfName(logKeys: string, deployment: string): string | null {
  let names: readonly string[];
  try {
    names = namesIn(logKeys);
  } catch {
    return "its log keys can't be read, so nothing says which deployment they are of: restore them from a backup";
  }
  const other = names.find((name) => name !== deployment);
  if (other === undefined) return null;
  return (
    `its log keys have the name \`${other}\`, and this run has \`${deployment}\`. No receipt of the one verifies ` +
    `with keys of the other. Set \`deployment\` (WRIT_DEPLOYMENT) to \`${other}\` again; for another deployment, ` +
    'install another release, which has keys and a database of its own'
  );
}
