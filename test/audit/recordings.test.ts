import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { type RecordedExchange, readExchanges, startReplay } from '../service/replay-server.ts'
import { openAuditHarness } from './audit-harness.ts'

const recordings = join(import.meta.dirname, '../fixtures/recordings')
const load = (name: string): RecordedExchange[] => readExchanges(readFileSync(join(recordings, name), 'utf8'))
const expected = JSON.parse(readFileSync(join(recordings, 'acme-expected.json'), 'utf8'))
const acme = { projects: expected.projects as Record<string, string>, key: '<personal-key>' }
const older = {
  projects: { parcels: '01M7Y2YBQ4Z8P16NSB35TXMNPM', gate: '01M7Y2YBQBD8V3PHHE84RW9YPQ' },
  key: '<personal-key>',
}

async function replayed<T>(exchanges: readonly RecordedExchange[], use: (url: string) => Promise<T>): Promise<T> {
  await using replay = await startReplay(exchanges)
  return await use(replay.url)
}

/** Drift as acme-expected.json writes it: the outermost fields only. */
function outline({ drift }: Report) {
  return drift
    .map(({ project, kind, uid, name, change, fields }) => ({
      project: project.replace('acme/', ''),
      kind,
      uid,
      name,
      change,
      ...(fields.length === 0 ? {} : { fields: [...new Set(fields.map(({ path }) => path.split('/')[1]))] }),
    }))
    .sort((a, b) => (`${a.project} ${a.kind} ${a.uid}` < `${b.project} ${b.kind} ${b.uid}` ? -1 : 1))
}

function itemsOf({ coverage }: Report) {
  return Object.fromEntries(coverage.map(({ project, listing, items }) => [`${project} ${listing}`, items]))
}

/** Every value that sits in a secret place of the recorded bodies, found without the product's own schema. */
function secretsIn(exchanges: readonly RecordedExchange[]): Set<string> {
  const found = new Set<string>()
  const collect = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const item of value) collect(item, name)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) collect(member, key)
    } else if (typeof value === 'string' && value.length >= 4 && value !== '[REDACTED]') {
      if (/^(value|header_value|secret|password|client_secret|client_key|secret_key)$/.test(name)) found.add(value)
      if (name === 'slack_webhook_url') found.add(value.replace(/^https?:\/\/[^/]*\//, ''))
      for (const [, inUrl] of value.matchAll(/\/\/([^/@]+)@/g)) if (name === 'url') found.add(inUrl ?? '')
      for (const [, token] of value.matchAll(/[?&]token=([^&]+)/g)) found.add(token ?? '')
    }
  }
  for (const { response } of exchanges) {
    try {
      collect(JSON.parse(response.body), '')
    } catch {
      // not JSON: holds no resource
    }
  }
  return found
}

describe('the recorded service', () => {
  for (const pageSize of [2, 20, 100]) {
    for (const sources of ['auto', 'off'] as const) {
      it(`is read completely, with its exact drift, ${pageSize} a page, sources ${sources}`, async () => {
        await using harness = openAuditHarness({ ...acme, pageSize, listings: { sources } })
        const before = await replayed(load('acme-1-before.jsonl'), (url) => harness.audit({ url }))
        const after = await replayed(load('acme-2-after.jsonl'), (url) => harness.audit({ url }))

        // The sources were recorded with 20 a page only: elsewhere the replay has no such listing.
        const isListed = sources === 'auto' && pageSize === 20
        for (const { coverage } of [before, after]) {
          const lacking = coverage.filter(
            ({ status, listing }) => status !== 'complete' && (isListed || listing !== 'sources'),
          )
          expect(lacking).toEqual([])
        }
        expect(itemsOf(before)).toMatchObject({
          'acme/payments endpoints': expected.before['payments endpoint'],
          'acme/payments subscriptions': expected.before['payments subscription'],
          'acme/ingest endpoints': expected.before['ingest endpoint'],
          'acme/ingest subscriptions': expected.before['ingest subscription'],
          ...(!isListed ? {} : { 'acme/ingest sources': expected.before['ingest source'] }),
        })
        expect(itemsOf(after)).toMatchObject({
          'acme/payments endpoints': expected.after['payments endpoint'],
          'acme/ingest subscriptions': expected.after['ingest subscription'],
        })
        expect(before.drift).toEqual([])
        expect(outline(after)).toEqual(expected.drift)
      })
    }
  }

  it('leaves no secret in the history, its side files or a report', async () => {
    await using harness = openAuditHarness({ ...acme, pageSize: 100 })
    const before = load('acme-1-before.jsonl')
    const after = load('acme-2-after.jsonl')
    const reports = [
      await replayed(before, (url) => harness.audit({ url })),
      await replayed(after, (url) => harness.audit({ url })),
    ].map((report) => JSON.stringify(report))
    const secrets = secretsIn([...before, ...after])
    expect(secrets.size).toBeGreaterThan(50)
    const written = [
      ...reports,
      ...readdirSync(harness.directory).map((name) => readFileSync(join(harness.directory, name), 'latin1')),
    ]
    expect([...secrets].filter((secret) => written.some((text) => text.includes(secret)))).toEqual(
      // A secret that is an everyday word occurs in everyday texts: `short` in rule ids and names.
      [...secrets].filter((secret) => secret === 'short' && written.some((text) => text.includes(secret))),
    )
  })

  it.each([
    ['older-release.jsonl', 'older-release-upgraded.jsonl'],
    ['older-release-upgraded.jsonl', 'older-release.jsonl'],
  ])('moves from %s to %s without drift, with one notice for each project', async (first, second) => {
    await using harness = openAuditHarness({ ...older, pageSize: 10 })
    const one = await replayed(load(first), (url) => harness.audit({ url }))
    const two = await replayed(load(second), (url) => harness.audit({ url }))
    const three = await replayed(load(first), (url) => harness.audit({ url }))
    const four = await replayed(load(first), (url) => harness.audit({ url }))

    expect([one, two, three, four].map(({ drift }) => drift)).toEqual([[], [], [], []])
    expect([one, two, three, four].map(({ notices }) => notices.map(({ project }) => project))).toEqual([
      [],
      ['acme/gate', 'acme/parcels'],
      ['acme/gate', 'acme/parcels'],
      [],
    ])
    expect([two, three, four].map((report) => report.violations.filter(({ state }) => state !== 'continuing'))).toEqual(
      [[], [], []],
    )
  })
})
