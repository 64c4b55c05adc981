import { expect } from 'vitest'
import { changeEndpoint, setEndpointStatus } from '../../src/demo/edits.ts'
import { dayMs } from '../../src/model/time.ts'
import type { SitePlan } from '../../src/pages/page.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { type HistoryFixture, openHistoryFixture } from '../questions/history-fixture.ts'
import { openSite } from './open-site.ts'

/** The owner whose violations the story is about. */
export const owner = 'team <mine>'

const policyFor = (waived: string) =>
  policyOf(`
extends: [recommended]
rules: { endpoint/url-not-https: high, endpoint/inactive: medium }
due: { high: 2d, medium: 30d }
waivers:
  - { rule: endpoint/url-not-https, match: { uid: ${waived} }, owner: payments, reason: moves next week, expires: 2026-12-10 }
`)

/**
 * A site whose history took nine days: violations were opened, fixed, waived and became overdue, and at last a project could
 * not be scanned.
 */
export async function openStorySite({ plan }: { readonly plan?: SitePlan } = {}) {
  const story = await openHistoryFixture({
    fleet: { projects: 3, endpointsPerProject: 6 },
  })
  const { fixture } = story
  const { fleet, service, harness } = fixture
  // A release without published faults: all that is found is in the story.
  service.behaviour.release = 'later'
  const [orders, payments, last] = fleet.projects().map(({ uid }) => uid)
  if (orders === undefined || payments === undefined || last === undefined) throw new Error('three projects, please')
  const place = (project: string, index: number) => ({ project, uid: at(fleet.open(project).endpoints, index).uid })
  const change = (project: string, index: number, url: string) =>
    changeEndpoint(fleet, place(project, index), (row) => ({ ...row, url, owner_id: owner }))
  const policy = policyFor(place(payments, 1).uid)
  const audit = () => fixture.audit({ policy, failOn: 'medium' })
  const days = (count: number) => harness.advance(count * dayMs)

  await audit()
  days(1)
  for (const index of [0, 1, 2]) change(orders, index, `http://a${index}.example/hook`)
  change(payments, 0, 'http://b.example/hook')
  change(payments, 1, 'http://waived.example/hook')
  change(last, 0, 'http://c.example/hook')
  await audit()
  days(3)
  change(orders, 2, 'https://a2.example/hook')
  setEndpointStatus(fleet, place(payments, 2), 'inactive')
  await audit()
  days(5)
  change(orders, 3, 'http://a3.example/hook')
  change(orders, 1, 'https://a1.example/hook')
  service.failNext({ how: 'bad-json', path: new RegExp(last), page: 1, times: 99 })
  const { run } = await audit()
  return { ...(await openSiteOver(story, plan)), run: run.number }
}

/** The site of what a fixture's audits left, with pages that must be there. */
export async function openSiteOver(story: HistoryFixture, plan?: SitePlan) {
  const opened = await openSite(story, plan)
  return {
    ...opened,
    /** The text of a page that must be there. */
    async read(path: string) {
      const answer = await opened.get(path)
      expect([path, answer.status]).toEqual([path, 200])
      return answer.text()
    },
  }
}
