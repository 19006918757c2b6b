// SPDX-License-Identifier: Apache-2.0
import type { Approval } from '@writ/client/web';
import type { ReactNode } from 'react';
import controls from '../../design/controls.module.css';
import { Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import styles from './held-call.module.css';

/** The votes, and how many are needed. */
export function Votes({ approval: { votes, voted } }: { readonly approval: Approval }): ReactNode {
  return (
    <section>
      <h2>
        {en.call.votes} {en.approvals.votes(votes.given, votes.needed)}
      </h2>
      {voted.length === 0 ? (
        <p className={controls['hint']}>{en.call.noVotes}</p>
      ) : (
        <ul className={styles['votes']}>
          {voted.map((vote) => (
            <li key={vote.vote_id}>
              <Shown text={vote.cast_as} /> {en.call.voteSays[vote.says]}
              {vote.cast_as === vote.principal ? '' : <Shown text={` ${en.call.voteFor(vote.principal)}`} />}{' '}
              <span className={controls['hint']}>
                <Span at={vote.created_at} />
                {vote.stands ? '' : ` · ${en.call.voteOld}`}
              </span>
              {vote.comment === null ? null : (
                <p>
                  <Shown text={vote.comment} />
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
