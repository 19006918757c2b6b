// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import { useSession } from '../../data/session.ts';
import controls from '../../design/controls.module.css';
import { en } from '../../words/en.ts';

/** Whether the role lets its holder change policy. The server decides: this only spares a refusal. */
export function useMayAdminister(): boolean {
  const { me } = useSession();
  return me.role === null || me.role === 'admin';
}

/** Says why somebody can't change policy. */
export function AdminNote(): ReactNode {
  const { me } = useSession();
  return me.role === null || me.role === 'admin' ? null : (
    <p className={controls['note']}>{en.policy.onlyAdmin(en.roles[me.role])}</p>
  );
}
