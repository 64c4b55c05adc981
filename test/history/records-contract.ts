import { describe, expect, it } from 'vitest'
import { findEndpointsOf } from '../../src/history/sql/list-resources.ts'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { identifyResources, readReferrersOf, searchResources } from '../../src/history/sql/resource-life.ts'
import { type Listing, longestUid, type ProjectRef } from '../../src/model/resource.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { activeIn, markIn } from './known-in.ts'
import { aChange, aCoverage, aNotice, aVersion, aViolation, commit, orders, payments } from './samples.ts'

/** What every backend promises of records of runs: their bytes, their order, their texts. */
export function describeRecords(name: string, makePlace: () => Place): void {
  describe(`${name}: the contract of records`, () => {
    const fixture = openContractFixture(makePlace)
    const { begin, run } = fixture

    it('gives lists in the order of reports, by UTF-16 code units', async () => {
      const [high, low] = ['\uffee', '\u{1f600}'] // SQLite alone would put the second one last
      const draft = await begin()
      const walk = (project: ProjectRef, listing: Listing) => draft.stageWalk(project, aCoverage(listing), undefined)
      for (const project of [payments, orders]) await draft.stageScan(project)
      for (const listing of ['subscriptions', 'sources', 'endpoints', 'project'] as const) await walk(payments, listing)
      for (const listing of ['subscriptions', 'endpoints'] as const) await walk(orders, listing)
      await draft.stageNotice(payments, aNotice('subscriptions', 'p 1'))
      await draft.stageNotice(orders, aNotice('endpoints', 'o'))
      await draft.stageNotice(payments, aNotice(null, 'p 2'))
      await draft.stageNotice(undefined, { code: 'clock_went_back', listing: null, text: 'r' })
      await draft.stageChanges(payments, [
        aChange(high),
        aChange(low),
        aChange('b'),
        aChange('a'),
        aChange('z', { kind: 'device' }),
      ])
      await draft.stageChanges(orders, [aChange('c')])
      await draft.stageViolations(payments, {
        confirmed: [],
        violations: [
          aViolation(high),
          aViolation(low),
          aViolation('a', { path: '/z' }),
          aViolation('a', { rule: 'endpoint/b' }),
          aViolation('a', { path: '/y' }),
          aViolation('w', { severity: 'critical' }),
          aViolation('i', { severity: 'info' }),
        ],
      })
      await draft.stageViolations(orders, { confirmed: [], violations: [aViolation('o', {}, orders)] })
      const { coverage, notices, changes, violations } = await commit(draft)
      expect(coverage.map(({ project, listing }) => `${project} ${listing}`)).toEqual([
        'acme/orders endpoints',
        'acme/orders subscriptions',
        'acme/payments project',
        'acme/payments endpoints',
        'acme/payments sources',
        'acme/payments subscriptions',
      ])
      expect(notices.map(({ text }) => text)).toEqual(['r', 'o', 'p 1', 'p 2'])
      expect(changes.map(({ uid }) => uid)).toEqual(['c', 'z', 'a', 'b', low, high])
      expect(violations.map(({ uid, rule, path }) => `${uid} ${rule} ${path}`)).toEqual([
        'w endpoint/url-not-https /url',
        'o endpoint/url-not-https /url',
        'a endpoint/b /url',
        'a endpoint/url-not-https /y',
        'a endpoint/url-not-https /z',
        `${low} endpoint/url-not-https /url`,
        `${high} endpoint/url-not-https /url`,
        'i endpoint/url-not-https /url',
      ])
    })

    describe('hostile text', () => {
      const texts: readonly [string, string][] = [
        ['quotes', `it's "quoted"; DROP TABLE run; --`],
        ['NUL', 'before\0after'],
        ['the character that escapes NUL', '\u0001\u0001\u0002'],
        ['__proto__', '__proto__'],
        ['line ends and controls', '\r\n\t\u001b[31m\u2028'],
        ['astral and combining', '\u{1f600}e\u0301\ufeff'],
        ['LIKE and JSON path signs', '%_$.[0]"\\'],
        ['a blank', ''],
        ['1 MB', 'x'.repeat(1 << 20)],
      ]
      it.each(texts)('is read as it was written: %s', async (_, text) => {
        const uid = text.slice(0, longestUid)
        const odd = { name: text, service: uid, uid }
        const attributes = JSON.parse(
          `{"__proto__":{"a":${JSON.stringify(text)}},"endpoint_uid":${JSON.stringify(uid)},"source_uid":${JSON.stringify(uid)}}`,
        )
        const versions = [
          aVersion(uid, { owner_id: text }, { name: text }),
          aVersion(uid, attributes, { kind: 'subscription', name: text }),
        ]
        const change = aChange(uid, {
          name: text,
          change: 'modified',
          fields: [{ path: `/${text}`, before: text, after: attributes }],
          referrers: [uid],
        })
        const violation = aViolation(uid, { name: text, path: text, message: text, rule: text }, odd)
        await run(
          async (draft) => {
            await draft.stageScan(odd)
            await draft.stageWalk(odd, { ...aCoverage('sources', 'failed'), reason: text }, [text])
            await draft.stage(odd, versions)
            await draft.stageChanges(odd, [change])
            await draft.stageViolations(odd, { confirmed: [], violations: [violation] })
            await draft.stageNotice(odd, aNotice('sources', text))
            await markIn(draft, odd, 'source', [uid])
          },
          [odd],
        )
        const record = await readRunRecord(fixture.history, 1)
        expect(record?.coverage.find(({ listing }) => listing === 'sources')).toMatchObject({
          project: text,
          reason: text,
        })
        expect(record?.notices).toEqual([{ project: text, ...aNotice('sources', text) }])
        expect(JSON.stringify(record?.changes[0]?.fields)).toBe(JSON.stringify(change.fields))
        expect(record?.changes[0]).toMatchObject({ project: text, uid, name: text, referrers: [uid] })
        expect(record?.violations).toMatchObject([
          { uid, name: text, path: text, message: text, rule: text, owner: text },
        ])
        const draft = await begin()
        const [body] = await draft.versionsAt(odd, [{ kind: 'subscription', uid, run: 1 }])
        expect(JSON.stringify(body?.attributes)).toBe(JSON.stringify(attributes))
        expect(body?.name).toBe(text)
        expect((await draft.historyOf(odd, undefined)).shapes).toEqual({ sources: [text] })
        expect(await activeIn(draft, odd, 'endpoint', [uid])).toHaveLength(1)
        expect(await markIn(draft, odd, 'source', [uid])).toEqual([])
        const [endpoint, subscription] = (['endpoint', 'subscription'] as const).map((kind) => ({
          project: odd,
          kind,
          uid,
        }))
        expect(await identifyResources(fixture.history, uid, 1)).toEqual([endpoint, subscription])
        expect(await searchResources(fixture.history, text, 1)).toMatchObject([endpoint, subscription])
        expect(await findEndpointsOf(fixture.history, text, 1)).toMatchObject([endpoint])
        expect(await readReferrersOf(fixture.history, { project: odd, kind: 'endpoint', uid }, 1)).toMatchObject([
          { uid },
        ])
        expect(await fixture.place.namesOf('resources', text.slice(0, 300))).toHaveLength(2)
      })

      it('is well-formed after half a surrogate pair, and unchanged in a body', async () => {
        const half = 'x\ud800y'
        await run(async (draft) => {
          await draft.stage(payments, [aVersion('a', { half }, { name: half }), aVersion(half)])
          await draft.stageViolations(payments, { confirmed: [], violations: [aViolation('a', { message: half })] })
        })
        const draft = await begin()
        const [body] = await draft.versionsAt(payments, [{ kind: 'endpoint', uid: 'a', run: 1 }])
        expect(body?.attributes).toEqual({ half })
        expect([half, half.toWellFormed()]).toContain(body?.name)
        const record = await readRunRecord(fixture.history, 1)
        expect([half, half.toWellFormed()]).toContain(record?.violations[0]?.message)
        expect(await identifyResources(fixture.history, half, 1)).toHaveLength(1)
      })
    })
  })
}
