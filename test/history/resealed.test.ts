import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createResealing } from '../../src/app/create-resealing.ts'
import { composeReport } from '../../src/audit/compose-report.ts'
import type { Resealer } from '../../src/history/resealing.ts'
import { mapTexts } from '../../src/history/sqlite/reseal/json-texts.ts'
import { inOrderOfLength, replaceSecrets } from '../../src/history/sqlite/reseal/replace-secrets.ts'
import { type ResealHistory, resealingBy } from '../../src/history/sqlite/reseal/reseal-history.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { resealText } from '../../src/inventory/reseal-text.ts'
import { createSealer, type Sealer } from '../../src/inventory/sealer.ts'
import type { Json, JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { openAuditHarness, policyOf } from '../audit/audit-harness.ts'
import { faultsIn } from '../audit/verify-history-file.ts'
import { policyYaml, projectUid, startCanaryService } from './canary-service.ts'
import { Machines } from './processes.ts'
import { goldenSealer, masking, resealing } from './resealing-fixture.ts'

const fixtures = join(import.meta.dirname, '../fixtures/histories')
const golden = gunzipSync(readFileSync(join(fixtures, 'canaries-0008.db.gz')))
const newest = readdirSync(join(import.meta.dirname, '../../migrations')).filter((name) => name.endsWith('.sql')).length
const canaries: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(fixtures, 'canaries-0008.json'), 'utf8'),
)

let directory: string
let file: string
const messages: string[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hookdrift-resealed-'))
  file = join(directory, 'history.db')
  writeFileSync(file, golden)
  messages.length = 0
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const owner = () => ({
  ...new Machines().process(1),
  now: () => Date.parse('2027-01-01T00:00:00Z'),
  warn: (text: string) => messages.push(text),
})

async function upgrade(how: ResealHistory = resealing): Promise<void> {
  await openSqliteHistory(file, owner(), how).close()
}

function query<Row>(sql: string): Row[] {
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare<[], Row>(sql).all()
  } finally {
    db.close()
  }
}

/** Every value of every row, by its table and column. */
function cells(): Map<string, string> {
  const db = new Database(file, { readonly: true })
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  const texts = new Map<string, string>()
  for (const table of tables) {
    for (const row of db.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).all()) {
      for (const [column, value] of Object.entries(row)) {
        const name = `${table}.${column}`
        texts.set(name, `${texts.get(name) ?? ''}\n${value}`)
      }
    }
  }
  db.close()
  return texts
}

/** Where each planted text is left, in rows and in the bytes of all files next to the history. */
function placesOfCanaries(): Map<string, string[]> {
  const inRows = cells()
  const files = [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path))
  const bytes = new Map(files.map((path) => [path.replace(file, 'file'), readFileSync(path)]))
  return new Map(
    Object.entries(canaries).map(([place, canary]) => [
      place,
      [...inRows, ...bytes].flatMap(([name, text]) => (text.includes(canary) ? [name] : [])),
    ]),
  )
}

describe('an upgraded history with secrets in clear', () => {
  it('starts from the fixture', () => {
    expect([...placesOfCanaries()].filter(([, places]) => places.length === 0)).toEqual([])
    expect(Object.keys(canaries).length).toBeGreaterThan(100)
  })

  it('verifies, and every secret is sealed', async () => {
    await upgrade()
    expect(faultsIn(file)).toEqual([])
  })

  it('names its copy, and says to destroy it', async () => {
    await upgrade()
    const copy = `${file}.before-0009`
    expect(messages).toEqual([
      expect.stringContaining(`backup: ${copy}, with these secrets in clear: destroy it once you trust the upgrade`),
    ])
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    expect(readdirSync(directory).sort()).toEqual(['history.db', 'history.db.before-0009'])
  })

  it('reports every run as before, with more values sealed', async () => {
    const runs = query<{ number: number }>("SELECT number FROM run WHERE state = 'sealed'").map(({ number }) => number)
    await upgrade()
    const history = openSqliteHistory(file, owner())
    for (const number of runs) {
      const record = await history.readRun(number)
      const report = record && composeReport(record)
      expect(report?.verdict.exit_code).toBe(
        query<{ code: number }>(`SELECT exit_code AS code FROM run WHERE number = ${number}`)[0]?.code,
      )
    }
    await history.close()
    expect(runs).toEqual([1, 2, 3, 4])
  })

  it('leaves the chain, and keeps the links that attestations name', async () => {
    const before = query<{ number: number; chain: string }>("SELECT number, chain FROM run WHERE state = 'sealed'")
    await upgrade()
    expect(
      query(
        "SELECT number, former_chain AS chain FROM run WHERE state = 'committed' AND chain IS NULL AND part_digests IS NULL",
      ),
    ).toEqual(before)
    expect(query('SELECT reason, tool_version, runs, options, run FROM checkpoint')).toEqual([
      { reason: 'reseal', tool_version: '9.9.9', runs: '[]', options: null, run: null },
    ])
    const db = new Database(file)
    db.exec("UPDATE notice SET text = text || '.'; UPDATE violation SET message = 'x' WHERE id = 1")
    db.close()
    expect(faultsIn(file).join()).toContain('what is left of resealed runs is not what checkpoint 1')
  })

  it('is upgraded once', async () => {
    await upgrade()
    const before = cells()
    await upgrade()
    expect(cells()).toEqual(before)
    expect(messages).toHaveLength(1)
  })

  it('gives equal secrets equal seals, as a new scan would', async () => {
    await upgrade()
    const seal = goldenSealer.seal(canaries.hmac_key ?? '')
    expect(cells().get('version.body')).toContain(seal)
  })
})

describe('the run after an upgrade', () => {
  async function auditAfter(how: ResealHistory, installationKey = 1): Promise<{ report: Report; next: Report }> {
    await using service = await startCanaryService()
    service.show({ step: 3 })
    using harness = openAuditHarness({
      projects: { payments: projectUid },
      key: 'CO.notarealkeymask1.not-a-real-secret-part-of-a-key',
    })
    await upgrade(how)
    writeFileSync(harness.file, readFileSync(file))
    harness.advance(365 * 86_400_000)
    const turn = { url: service.url, policy: policyOf(policyYaml(true)), installationKey }
    return { report: await harness.audit(turn), next: await harness.audit(turn) }
  }

  it('finds no drift in unchanged resources', async () => {
    const { report, next } = await auditAfter(resealing)
    expect([report.drift, next.drift]).toEqual([[], []])
  })

  it.each([
    ['no key', masking, 1],
    ['another key', resealingBy(createResealing(createSealer(Buffer.alloc(32, 2)), '9.9.9')), 1],
    ['the key of then, and then another', resealing, 2],
  ] as const)('finds no drift after it was sealed with %s', async (_, how, key) => {
    const { report, next } = await auditAfter(how, key)
    expect([report.drift, next.drift]).toEqual([[], []])
  })
})

/** Finds what was planted in bodies, and nothing in what was said of them. */
function knowing(sealer: Sealer): ResealHistory {
  const all = Object.values(canaries)
  const mapAll = (value: Json, found: (secret: string) => void): Json =>
    mapTexts(value, (text) =>
      all
        .filter((secret) => text.includes(secret))
        .reduce((rest, secret) => {
          found(secret)
          return rest.replaceAll(secret, sealer.seal(secret))
        }, text),
    )
  const named = (value: Json, found: (secret: string) => void = () => {}): Json =>
    JSON.parse(String(mapAll(JSON.stringify(value), found)))
  const resealer: Resealer = {
    hasKey: true,
    seal: sealer.seal,
    attributes: (_, attributes, found) => named(attributes, found) as JsonObject,
    part: (_, { path, value }) => ({ path, value: named(value) }),
    name: (_, name) => String(named(name)),
    text: (text) => resealText(text, sealer),
    reason: (text) => String(named(text)),
  }
  return resealingBy({ toolVersion: '9.9.9', under: () => resealer, uncompared: resealer })
}

describe.each([
  ['seals what it knows to be one', knowing(goldenSealer)],
  ['seals by what this version finds', resealing],
  ['masks what this version finds, without a key', masking],
])('an upgrade that %s', (_, how) => {
  let left: Map<string, string[]>
  beforeEach(async () => {
    if (left !== undefined) return
    await upgrade(how)
    left = placesOfCanaries()
  })

  it.each(Object.keys(canaries))('leaves no trace of: %s', (place) => {
    expect(left.get(place)).toEqual([])
  })
})

describe('a killed upgrade', () => {
  function kill(when: 'migration' | 'rewrite'): void {
    const script = join(import.meta.dirname, 'killed-process.ts')
    const { signal, stderr } = spawnSync(process.execPath, [script, file, when, `${newest}`], { encoding: 'utf8' })
    expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: expect.any(String) })
  }

  it.each([
    ['migration', 8, 'is made again'],
    ['rewrite', newest, 'is made, and the next command writes the file anew'],
  ] as const)('within its %s leaves schema %i: it %s', async (when, schema, _) => {
    kill(when)
    const db = new Database(file, { readonly: true })
    expect(db.pragma('user_version', { simple: true })).toBe(schema)
    db.close()
    const isOpen = () => query<{ n: number }>('SELECT count(*) AS n FROM checkpoint WHERE rewritten_at IS NULL')[0]?.n
    if (schema === newest) expect(isOpen()).toBe(1)
    await upgrade()
    expect(isOpen()).toBe(0)
    expect(faultsIn(file)).toEqual([])
    // These are sealed by their form alone.
    const left = placesOfCanaries()
    expect([left.get('approval note'), left.get('delivery error'), left.get('policy')]).toEqual([[], [], []])
  })
})

describe('a text that quotes a secret', () => {
  const replaced = (text: string, ...secrets: string[]) =>
    replaceSecrets(text, inOrderOfLength(secrets), (secret) => `<${secret.length}>`)

  it.each([
    ['"not-a-real-key" was approved', ['not-a-real-key'], '"<14>" was approved'],
    ['"two\\nlines-of-it" is there', ['two\nlines-of-it'], '"<15>" is there'],
    [
      '"const a = not-a-re… was approved, none is there',
      ['not-a-real-key'],
      '"const a = <14>… was approved, none is there',
    ],
    ['not-a-real-key-at-all, not-a-real-key', ['not-a-real-key', 'not-a-real-key-at-all'], '<21>, <14>'],
    ['the word prod stays', ['prod'], 'the word prod stays'],
  ])('%s', (text, secrets, expected) => {
    expect(replaced(text, ...secrets)).toBe(expected)
  })
})

describe('an upgrade without the key', () => {
  it('masks what it finds, and seals nothing under another key', async () => {
    const seals = () =>
      new Set(
        cells()
          .get('version.body')
          ?.match(/sealed:[0-9a-f]{32}/g),
      )
    const before = seals()
    await upgrade(masking)
    // The text around a seal may be sealed today, the seal with it.
    expect([...seals()].filter((seal) => !before.has(seal))).toEqual([])
    expect(cells().get('version.body')).toContain('sealed:masked')
  })
})
