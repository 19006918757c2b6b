// SPDX-License-Identifier: Apache-2.0
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useFullStops } from '../data/freezes.ts';
import { useSession } from '../data/session.ts';
import controls from '../design/controls.module.css';
import { Shown } from '../parts/shown.tsx';
import { en } from '../words/en.ts';
import styles from './shell.module.css';

// Dialogs are loaded when somebody asks for them.
const StopDialog = lazy(async () => ({
  default: (await import('../pages/administration/stop-dialog.tsx')).StopDialog,
}));

/** The emergency stop, from every page. Who may not place a freeze finds out why on its page. */
export function StopButton(): ReactNode {
  const { me } = useSession();
  const [isOpen, setOpen] = useState(false);
  if (me.role !== 'admin' && me.role !== 'operator') return null;
  return (
    <>
      <button
        type="button"
        className={`${controls['button']} ${controls['danger']} ${styles['stop']}`}
        onClick={() => setOpen(true)}
      >
        {en.administration.stop.button}
      </button>
      {isOpen ? (
        <Suspense>
          <StopDialog close={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

/** Says on every page that all calls are stopped, and why. */
export function StopNote(): ReactNode {
  const stops = useFullStops();
  return (
    <div role="status">
      {stops.map(({ freeze_id, scope, reason }) => (
        <p key={freeze_id} className={`${controls['note']} ${controls['bad']} ${styles['lost']}`}>
          <strong>{en.administration.stop.banner(scope === 'all')}</strong> <Shown text={reason} />{' '}
          <Link to="/administration/freezes" search={{ chosen: freeze_id }}>
            {en.administration.stop.open}
          </Link>
        </p>
      ))}
    </div>
  );
}
