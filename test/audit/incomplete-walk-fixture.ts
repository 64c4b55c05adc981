import { changeEndpoint, deleteEndpoint, setEndpointStatus } from '../../src/demo/edits.ts'
import type { InjectedFailure } from '../../src/demo/fault.ts'
import type { Report } from '../../src/model/report.ts'
import { at, type FleetFixture, type FleetFixtureOptions } from './fleet-fixture.ts'

export const small: FleetFixtureOptions = {
  fleet: { endpointsPerProject: 10, subscriptionsPerProject: 1 },
  harness: { pageSize: 2, limits: { retries: 2 } },
}

export const never = () => new AbortController().signal

/** Requests for page 3 run out of time soon; others never do, however busy the machine is. */
function onPage3({ requests }: FleetFixture['service']): () => AbortSignal {
  const asked = () => requests.filter(({ path }) => path.includes('/endpoints')).length
  const before = asked()
  return () => (asked() - before >= 2 && asked() - before < 5 ? AbortSignal.timeout(80) : never())
}

/**
 * Ten endpoints on five pages, audited once. Then page 1 is edited and something on page 5 deleted, the walk breaks
 * on page 3, and a complete walk follows.
 */
export async function breakOff(fixture: FleetFixture, failure: InjectedFailure) {
  const { fleet, service, uidOf, dataOf } = fixture
  const project = uidOf('payments')
  const uids = dataOf('payments').endpoints.map(({ uid }) => uid)
  const [onPage1, editedOnPage1, onPage4, onPage5] = [0, 1, 7, 8].map((index) => at(uids, index))
  for (const uid of [onPage1, onPage4]) setEndpointStatus(fleet, { project, uid: uid ?? '' }, 'inactive')
  const before = await fixture.audit({ timeoutAfter: never })
  changeEndpoint(fleet, { project, uid: editedOnPage1 ?? '' }, (row) => ({ ...row, http_timeout: 45 }))
  deleteEndpoint(fleet, { project, uid: onPage5 ?? '' })
  service.failNext({ path: /\/endpoints/, page: 3, times: Number.POSITIVE_INFINITY, ...failure })
  const isSilent = failure.how === 'hang' || failure.how === 'stall-body'
  const broken = await fixture.audit({ timeoutAfter: isSilent ? onPage3(service) : never })
  const counts = fixture.rowCounts()
  service.faults.length = 0
  const after = await fixture.audit({ timeoutAfter: never })
  return { before, broken, after, counts, onPage1, editedOnPage1, onPage4, onPage5 }
}

export function endpointsOf({ coverage }: Report) {
  return coverage.find(({ listing }) => listing === 'endpoints')
}
