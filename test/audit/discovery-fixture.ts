import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import type { ProjectRow } from '../../src/demo/rows.ts'
import type { Report } from '../../src/model/report.ts'
import { type ListTurn, policyOf } from './audit-harness.ts'
import { type FleetFixture, openFleetFixture } from './fleet-fixture.ts'

export const listRules = policyOf(`
extends: []
rules:
  project/vanished: {}
  project/unlisted: {}
  endpoint/url-not-https: {}
`)

/** Of requests for the list of projects. */
export const listPath = /\/projects\?orgID=/

/** A fleet of two projects, `orders` and `payments`, in which one violation is open. */
export function openDiscoveryFixture(): Promise<FleetFixture> {
  const sizes = { endpointsPerProject: 12, sourcesPerProject: 1 }
  return openFleetFixture({ fleet: { clean: false, projects: 2, incomingEvery: 0, ...sizes } })
}

/** `projects: all`, with the organisation. */
export function everything({ fleet }: FleetFixture, more: ListTurn = {}): ListTurn {
  return { organisation: fleet.organisationId, named: [], matches: [{ pattern: '*' }], ...more }
}

/** Adds an empty project, made like the fleet's first. */
export function addProject(
  fleet: SimulatedFleet,
  name: string,
  uid = `01${fleet.nextSerial()}`.padEnd(26, '0'),
): string {
  const [model] = fleet.projects()
  if (model === undefined) throw new Error('the fleet has no project')
  fleet.add({ ...model, uid, name, key: `CO.${uid}` })
  return uid
}

export function changeProject(fleet: SimulatedFleet, uid: string, change: Partial<ProjectRow>): void {
  const project = fleet.project(uid)
  if (project === undefined) throw new Error(`the fleet has no project ${uid}`)
  fleet.replace(uid, { project: { ...project, ...change } })
}

export function scannedProjects({ coverage }: Report): string[] {
  return [...new Set(coverage.map(({ project }) => project))]
}

/** `opened project/vanished acme/orders`, of the rules about projects. */
export function listViolations({ violations }: Report): string[] {
  return violations
    .filter(({ rule }) => rule.startsWith('project/'))
    .map(({ state, resolution, rule, project, uid }) =>
      [
        state,
        ...(resolution === null ? [] : [resolution]),
        rule,
        project,
        ...(project.endsWith('/*') ? [uid] : []),
      ].join(' '),
    )
}
