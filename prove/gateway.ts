import { startSimulatedService } from '../src/demo/simulated-service.ts'
import type { Report } from '../src/model/report.ts'
import { isOpen } from '../src/model/violation.ts'
import { builtInRule } from '../src/rules/rules.ts'
import { openAuditHarness, policyOf } from '../test/audit/audit-harness.ts'
import { Tally } from './conclude.ts'
import type { Claim } from './gateway/claim.ts'
import { readClaims } from './gateway/read-claims.ts'
import { openSoundFleet, type SoundProject } from './gateway/sound-project.ts'

/**
 * Holds hookdrift to each claim about the gateway: of what a claim has, the rules that it asks say what it says, and
 * nothing else. Of sound projects they say nothing. `node prove/gateway.ts [PART OF A CLAIM]`.
 */
type Expectation = Pick<Claim, 'given' | 'asks' | 'says'>

const dayMs = 86_400_000
const [, , part = ''] = process.argv
const claims = (await readClaims()).filter(({ given }) => given.includes(part))
const asked = [...new Set(claims.flatMap(({ asks }) => asks))].sort()
const policy = policyOf(`extends: [all]\nrules:\n${asked.map((rule) => `  ${rule}: {}\n`).join('')}`)

const tally = new Tally()
const { fleet, projects } = openSoundFleet([...claims.map(({ has }) => has.type ?? 'outgoing'), 'outgoing', 'incoming'])
// The release that shows every field.
await using service = await startSimulatedService(fleet, { release: 'later' })
await using harness = openAuditHarness({
  projects: Object.fromEntries(projects.map(({ name, uid }) => [name, uid])),
  key: fleet.personalKey,
  pageSize: 100,
  listings: { event_types: 'auto', filters: 'auto' },
  concurrency: 8,
})
for (const [index, project] of projects.entries()) project.configure(claims[index]?.had ?? claims[index]?.has ?? {})
await harness.audit({ url: service.url, policy })
harness.advance(2 * dayMs)
for (const [index, project] of projects.entries()) project.configure(claims[index]?.has ?? {})
const report = await harness.audit({ url: service.url })
for (const [index, project] of projects.entries()) {
  const { given, asks, says }: Expectation = claims[index] ?? { given: 'a sound project', asks: asked, says: [] }
  const said = saidOf(report, project, asks)
  const faults = [
    ...says.filter((line) => !said.includes(line)).map((line) => `does not say ${line}`),
    ...said.filter((line) => !says.includes(line)).map((line) => `says ${line}`),
  ]
  tally.report(given, faults, 'other', `node prove/gateway.ts ${JSON.stringify(given)}`)
}
tally.conclude('claims')

/** What rules say of a project, in the form of a claim. */
function saidOf({ violations, gaps }: Report, project: SoundProject, asks: readonly string[]): string[] {
  const isAsked = (one: { readonly project: string | null; readonly rule: string | null }) =>
    one.project === `acme/${project.name}` && one.rule !== null && asks.includes(one.rule)
  return [
    ...violations
      .filter((one) => isOpen(one) && isAsked(one))
      .map(({ severity, rule, uid, path }) => `${severity} ${rule} ${placeOf(project, rule, uid)}${path}`),
    ...gaps.filter(isAsked).map(({ rule }) => `cannot say ${rule}`),
  ].sort()
}

/** `0`, and `source:0` for a rule about several kinds. */
function placeOf(project: SoundProject, rule: string, uid: string): string {
  const place = project.placeOf(uid)
  if (place === undefined) return uid
  if (place.kind === 'project') return '-'
  const bound = builtInRule(rule)?.bind({})
  const isAboutSeveral = bound?.scope === 'drift' && bound.kinds.length > 1
  return isAboutSeveral ? `${place.kind}:${place.index}` : `${place.index}`
}
