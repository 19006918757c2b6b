// SPDX-License-Identifier: Apache-2.0
import type { Approval } from '@writ/client/web';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSession } from './session.ts';

/** What a person decides about a held call, and what they saw when they did. */
export interface Decision {
  readonly kind: 'approve' | 'session' | 'deny';
  readonly comment: string;
  /** the effect that was on the screen; null: there was none, and the action is approved */
  readonly effectDigest: string | null;
  /** of a session grant */
  readonly uses: number;
}

/**
 * Decides. INVARIANT (as seen): an approval names the effect that was on the screen, never the one that is staged when
 * it is sent. It is never repeated by itself.
 */
export function useDecide({ approval_id }: Pick<Approval, 'approval_id'>) {
  const { api } = useSession();
  const client = useQueryClient();
  return useMutation({
    retry: false,
    mutationFn: async ({ kind, comment, effectDigest, uses }: Decision) => {
      const words = comment.trim() === '' ? {} : { comment: comment.trim() };
      if (kind === 'deny') return await api.approvals.deny(approval_id, words);
      return await api.approvals.approve(approval_id, {
        ...words,
        ...(effectDigest === null ? {} : { effect_digest: effectDigest }),
        ...(kind === 'session' ? { scope: 'session' as const, uses } : {}),
      });
    },
    onSettled: async () => {
      await Promise.all(
        [['approval', approval_id], ['approvals-queue'], ['approvals-groups'], ['operation']].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      );
    },
  });
}
