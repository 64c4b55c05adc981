import { changeData } from '../../src/demo/edits.ts'
import type { ProjectData } from '../../src/demo/rows.ts'
import type { Report } from '../../src/model/report.ts'
import type { FleetFixture, FleetFixtureOptions } from './fleet-fixture.ts'

export const outgoing: FleetFixtureOptions = { fleet: { endpointsPerProject: 6 } }
/** One incoming project: six subscriptions on three sources. */
export const incoming: FleetFixtureOptions = {
  fleet: { incomingEvery: 1, endpointsPerProject: 6, sourcesPerProject: 3 },
}
export const intake = 'partner-intake'

/** The first audit, something in between, the second. */
export async function around(fixture: FleetFixture, between: () => unknown = () => {}): Promise<Report> {
  await fixture.audit()
  await between()
  return fixture.audit()
}

export function changeIntake(fixture: FleetFixture, change: (data: ProjectData) => ProjectData): void {
  changeData(fixture.fleet, fixture.uidOf(intake), change)
}
