// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import { useAgentNames } from '../data/agents.ts';
import { Id, Shown } from './shown.tsx';

/** An agent by its name, with its id as the title; by its id where its name isn't known. */
export function Agent({ id }: { readonly id: string }): ReactNode {
  const name = useAgentNames().get(id);
  if (name === undefined) return <Id id={id} isShort />;
  return (
    <span title={id}>
      <Shown text={name} />
    </span>
  );
}
