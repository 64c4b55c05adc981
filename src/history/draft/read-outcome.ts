import type { Session } from '../sql/session.ts'

/** How a person learns what became of a run. */
export const unknownRun = {
  subject: ({ run }: { readonly run: number }) => `run ${run}`,
  advice:
    'check whether `hookdrift runs` lists it once the server is up; the next run closes it if it is not committed',
}

interface Outcome {
  /** Of the lease. */
  readonly token: number
  readonly state: string
  readonly chain: string | null
}

/** What became of a run; undefined: there is no such run. */
export function readOutcome(session: Session, run: number): Promise<Outcome | undefined> {
  return session.get<Outcome>(
    'SELECT l.token, r.state, r.chain FROM hookdrift.lease l CROSS JOIN hookdrift.run r WHERE r.number = $1',
    [run],
  )
}
