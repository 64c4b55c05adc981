import type { Draft } from '../../src/history/history.ts'
import type { NewViolation } from '../../src/history/staged.ts'
import type { Resolution } from '../../src/model/violation.ts'
import { activeViolationOf } from './known-in.ts'
import { aViolation, endedAs, instead, payments } from './samples.ts'

// What a draft may do with violations of endpoints, as in `run(opening('a', 'b'))`.

/** Finds them for the first time. */
export const opening =
  (...uids: string[]) =>
  (draft: Draft) =>
    draft.stageViolations(payments, { confirmed: [], violations: uids.map((uid) => aViolation(uid)) })

/** Finds one again, as it was. */
export const confirming = (uid: string) => async (draft: Draft) =>
  draft.stageViolations(payments, { confirmed: [(await activeViolationOf(draft, uid)).id], violations: [] })

/** Writes an active one anew. */
export const turning = (uid: string, other: Partial<NewViolation>) => async (draft: Draft) => {
  const violations = [instead(await activeViolationOf(draft, uid), other)]
  await draft.stageViolations(payments, { confirmed: [], violations })
}

export const ending =
  (uid: string, resolution: Resolution = 'fixed') =>
  async (draft: Draft) =>
    draft.endViolations(payments, endedAs([(await activeViolationOf(draft, uid)).id], resolution))
