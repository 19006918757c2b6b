// SPDX-License-Identifier: Apache-2.0
import { useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import controls from '../design/controls.module.css';
import { Empty } from '../parts/loading.tsx';
import { en } from '../words/en.ts';

/** Leads to the sign-in page, and from there back to the page that was asked for. */
export function SignInNotice(): ReactNode {
  const { pathname } = useLocation();
  const back = `/console${pathname}`;
  return (
    <main>
      <Empty title={en.signIn.title}>
        <p>{en.signIn.text}</p>
        <a className={`${controls['button']} ${controls['main']}`} href={`/sign-in?to=${encodeURIComponent(back)}`}>
          {en.signIn.button}
        </a>
      </Empty>
    </main>
  );
}
