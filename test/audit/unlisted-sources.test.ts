import { describe, expect, it } from 'vitest'
import { createSubscription, deleteSource, updateSource } from '../../src/demo/edits.ts'
import { around, changeIntake, incoming, intake } from './drift-fixture.ts'
import { at, coverageLines, driftLines, openFleetFixture, violationLines } from './fleet-fixture.ts'

const allOffers = { sources: true, project: true, eventTypes: true, projects: true, testFunction: true }
const noSources = { ...allOffers, sources: false }

describe('a source', () => {
  it('that lost its last reference is noted once where sources are not listed, and is neither removed nor unchanged', async () => {
    await using fixture = await openFleetFixture({ ...incoming, service: { offers: noSources } })
    const project = fixture.uidOf(intake)
    const { uid } = at(fixture.dataOf(intake).sources, 0)
    updateSource(fixture.fleet, { project, uid }, { is_disabled: true })
    const one = await fixture.audit()
    changeIntake(fixture, (data) => ({
      ...data,
      subscriptions: data.subscriptions.filter(({ source_id }) => source_id !== uid),
    }))
    const two = await fixture.audit()
    const three = await fixture.audit()

    expect(violationLines(one)).toEqual([`opened source/disabled ${uid}`])
    expect(driftLines(two).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'removed subscription',
      'removed subscription',
    ])
    expect(two.notices.map(({ text }) => text)).toEqual([
      `source ${uid} is no longer referenced by any subscription; whether it still exists cannot be seen where sources are not listed`,
    ])
    expect(three.notices).toEqual([])
    expect([two, three].map(violationLines)).toEqual([
      [`unknown source/disabled ${uid}`],
      [`unknown source/disabled ${uid}`],
    ])
    expect(three.violations[0]?.last_seen).toBe(one.run.started_at)
    expect([two, three].map(({ verdict }) => verdict.exit_code)).toEqual([3, 3])
    expect(fixture.query('SELECT 1 FROM current_resource WHERE uid = ?', uid)).toHaveLength(1)
    expect(fixture.query('SELECT 1 FROM unreferenced WHERE to_run IS NULL')).toHaveLength(1)

    fixture.service.behaviour.offers = allOffers
    const listed = await fixture.audit()
    expect(listed.drift).toEqual([])
    expect(violationLines(listed)).toEqual([`continuing source/disabled ${uid}`])
    expect(fixture.query('SELECT 1 FROM unreferenced WHERE to_run IS NULL')).toEqual([])
  })

  it('that is referenced again causes no drift and loses its mark', async () => {
    await using fixture = await openFleetFixture({ ...incoming, service: { offers: noSources } })
    const { uid } = at(fixture.dataOf(intake).sources, 0)
    const { subscriptions } = fixture.dataOf(intake)
    await fixture.audit()
    changeIntake(fixture, (data) => ({ ...data, subscriptions: subscriptions.filter((row) => row.source_id !== uid) }))
    await fixture.audit()
    changeIntake(fixture, (data) => ({ ...data, subscriptions }))
    const back = await fixture.audit()
    expect(back.drift.filter(({ kind }) => kind === 'source')).toEqual([])
    expect(back.notices).toEqual([])
    expect(fixture.query('SELECT 1 FROM unreferenced WHERE to_run IS NULL')).toEqual([])
  })

  it('that is deleted while sources are not listed is removed once they are listed again', async () => {
    await using fixture = await openFleetFixture({ ...incoming, service: { offers: noSources } })
    const { uid } = at(fixture.dataOf(intake).sources, 0)
    await fixture.audit()
    deleteSource(fixture.fleet, { project: fixture.uidOf(intake), uid })
    const blind = await fixture.audit()
    fixture.service.behaviour.offers = allOffers
    const listed = await fixture.audit()
    expect(blind.drift.filter(({ kind }) => kind === 'source')).toEqual([])
    expect(driftLines(listed)).toEqual([`removed source ${uid}`])
  })

  it('keeps its listed attributes while the listing is missing', async () => {
    await using fixture = await openFleetFixture(incoming)
    const project = fixture.uidOf(intake)
    // No resource refers to it: only the listing shows it.
    const { uid: alone } = at(fixture.dataOf(intake).sources, 0)
    changeIntake(fixture, (data) => ({
      ...data,
      subscriptions: data.subscriptions.filter(({ source_id }) => source_id !== alone),
    }))
    updateSource(fixture.fleet, { project, uid: alone }, { is_disabled: true })
    const listed = await fixture.audit()
    const versions = fixture.query("SELECT uid, digest FROM version WHERE kind = 'source' ORDER BY uid")
    fixture.service.behaviour.offers = noSources
    const blind = await fixture.audit()
    const blindAgain = await fixture.audit()
    fixture.service.behaviour.offers = allOffers
    const back = await fixture.audit()

    expect(coverageLines(blind)).toContain(`${intake}/sources skipped`)
    expect([listed, blind, back].map(({ verdict }) => verdict.exit_code)).toEqual([0, 0, 0])
    expect([blind, blindAgain, back].map(({ drift }) => drift)).toEqual([[], [], []])
    expect([listed, blind, blindAgain, back].map(violationLines)).toEqual([
      [`opened source/disabled ${alone}`],
      [`unknown source/disabled ${alone}`],
      [`unknown source/disabled ${alone}`],
      [`continuing source/disabled ${alone}`],
    ])
    expect(fixture.query("SELECT uid, digest FROM version WHERE kind = 'source' ORDER BY uid")).toEqual(versions)
    expect(blindAgain.notices).toEqual([])
  })

  it('that changes while sources are not listed is reported once, by the fields of its stub', async () => {
    await using fixture = await openFleetFixture(incoming)
    const { uid } = at(fixture.dataOf(intake).sources, 0)
    await fixture.audit()
    fixture.service.behaviour.offers = noSources
    updateSource(
      fixture.fleet,
      { project: fixture.uidOf(intake), uid },
      { name: 'renamed', body_function: 'changed()' },
    )
    const blind = await fixture.audit()
    fixture.service.behaviour.offers = allOffers
    const listed = await fixture.audit()
    expect(driftLines(blind)).toEqual([expect.stringMatching(/ \/name ".*" -> "renamed"$/)])
    // The listing's own last complete scan was before both edits.
    expect(driftLines(listed)).toEqual([expect.stringMatching(/ \/body_function .* -> "changed\(\)"$/)])
  })

  it('that is new with its subscription is reported as added, listed or not', async () => {
    for (const offers of [allOffers, noSources]) {
      await using fixture = await openFleetFixture({ ...incoming, service: { offers } })
      const project = fixture.uidOf(intake)
      const { endpoints, sources } = fixture.dataOf(intake)
      const fresh = { ...at(sources, 0), uid: '01ZZZZZZZZZZZZZZZZZZZZZZZZ', name: 'fresh' }
      let subscription = ''
      const report = await around(fixture, () => {
        changeIntake(fixture, (data) => ({ ...data, sources: [fresh, ...data.sources] }))
        subscription = createSubscription(fixture.fleet, project, { endpoint: at(endpoints, 0).uid, source: fresh.uid })
      })
      expect(driftLines(report)).toEqual([`added source ${fresh.uid}`, `added subscription ${subscription}`])
    }
  })
})
