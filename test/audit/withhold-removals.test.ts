import { describe, expect, it } from 'vitest'
import { KnownVersions } from '../../src/audit/known-versions.ts'
import { kindOf, type ProjectScan } from '../../src/audit/project-scan.ts'
import type { Walk } from '../../src/audit/project-walk.ts'
import { withholdRemovals } from '../../src/audit/withhold-removals.ts'
import { normaliserVersion } from '../../src/gateway/fields.ts'
import type { CoverageStatus } from '../../src/model/coverage.ts'
import type { Kind, Listing } from '../../src/model/resource.ts'
import { aCoverage, payments } from '../history/samples.ts'

interface Given {
  readonly listing?: Listing
  readonly status?: CoverageStatus
  readonly lacksPromisedPage?: boolean
  /** Uids that were known and that the walk did not show. */
  readonly missing?: readonly string[]
  readonly seenAgain?: number
  /** Uids that the scan before withheld. */
  readonly withheldBefore?: readonly string[]
  /** The same of listings that this scan does not walk. */
  readonly withheldElsewhere?: Partial<Record<Listing, readonly string[]>>
  /** What the walk listed. Default: 2. */
  readonly items?: number
  readonly isUnproven?: boolean
  /** Fields that no item shows. */
  readonly fieldsMissing?: readonly string[]
  /** Uids that subscriptions show all the same. */
  readonly contradicted?: readonly string[]
  /** Whether a complete walk of this listing came before. */
  readonly wasProven?: boolean
  readonly acceptsRemovals?: boolean
  /** Default: more than 2 resources and more than half of them. `null`: the rule is off. */
  readonly limits?: { readonly max_resources: number; readonly max_percent: number } | null
  readonly owner?: string
}

/** Whether one walk is believed, and what is withheld for the next scan. */
function decide({
  listing = 'endpoints',
  status = 'complete',
  missing = [],
  limits = { max_resources: 2, max_percent: 50 },
  ...given
}: Given) {
  const kind = kindOf[listing]
  const versions = new KnownVersions(
    missing.map((uid, id) => ({
      id,
      kind,
      uid,
      name: uid,
      fromRun: 1,
      since: '',
      digest: uid,
      body: JSON.stringify({ owner_id: id % 2 === 0 ? 'even' : 'odd' }),
      facts: '',
      sealKeyId: 'key-1',
      normaliser: normaliserVersion,
    })),
  )
  const withheldBefore = new Map(Object.entries({ ...given.withheldElsewhere, [listing]: given.withheldBefore }))
  const scan = {
    before: { versions, withheld: withheldBefore },
    project: payments,
    lastComplete: given.wasProven ? { endpoint: { run: 1, listing: 'endpoints', filter: null } } : {},
    filters: given.owner === undefined ? {} : { endpoints: { owner: given.owner } },
    // As much of a scan as the decision reads.
  } as unknown as ProjectScan
  const walk: Walk = {
    coverage: {
      ...aCoverage(listing, status),
      listing,
      items: given.items ?? 2,
      filter: given.owner === undefined ? null : `owner=${given.owner}`,
    },
    lacksPromisedPage: given.lacksPromisedPage ?? false,
  }
  const unproven = new Set<Listing>(given.isUnproven ? [listing] : [])
  const guard = {
    limits: limits ?? undefined,
    acceptsRemovals: given.acceptsRemovals ?? false,
    seenAgain: new Map<Kind, number>([[kind, given.seenAgain ?? 0]]),
    fieldsMissing: () => given.fieldsMissing ?? [],
    unseen: (of: Kind) => versions.ofKind(of),
    contradictions: { endpoints: new Set(given.contradicted), sources: new Set(given.contradicted) },
  }
  const { walks, withheld, losses, isLossOpen } = withholdRemovals(scan, { walks: [walk], unproven }, guard)
  const [decided] = walks
  expect([...withheld.keys()].filter((of) => of !== listing)).toEqual([])
  return {
    status: decided?.coverage.status,
    cause: decided?.coverage.cause,
    reason: decided?.coverage.reason,
    losses,
    withheld: withheld.get(listing),
    isLossOpen,
    isSame: decided === walk,
  }
}

const many = ['a', 'b', 'c', 'd', 'e']
const believed = {
  status: 'complete',
  cause: null,
  reason: null,
  losses: [],
  withheld: undefined,
  isLossOpen: false,
  isSame: true,
}

describe('a walk that reached its end', () => {
  it.each<[string, Given]>([
    ['misses nothing', { seenAgain: 5 }],
    ['misses as many as may go at once', { missing: ['a', 'b'] }],
    ['misses as large a share as may go at once', { missing: many, seenAgain: 5 }],
    ['misses many, and no rule limits that', { missing: many, limits: null }],
    ['misses many, and the operator accepts it', { missing: many, acceptsRemovals: true }],
    ['misses the same as the scan before', { missing: many, withheldBefore: many }],
    ['misses few others than the scan before', { missing: many, withheldBefore: ['a', 'b', 'c'] }],
    ['misses less than the scan before', { missing: ['a', 'b', 'c'], withheldBefore: many }],
    ['misses many that lie outside its filter', { missing: many, owner: 'odd' }],
    ['is empty and unproven, and was proven empty before', { isUnproven: true, wasProven: true }],
    ['is empty and unproven, and the operator accepts it', { isUnproven: true, missing: many, acceptsRemovals: true }],
    [
      'lacks a promised page and misses the same as before',
      { lacksPromisedPage: true, missing: ['a'], withheldBefore: ['a'] },
    ],
    ['lacks a promised page and misses nothing, as before', { lacksPromisedPage: true, withheldBefore: [] }],
    [
      'lacks a promised page and misses less than before',
      { lacksPromisedPage: true, missing: ['a'], withheldBefore: ['a', 'b'] },
    ],
    [
      'lacks a promised page, and the operator accepts removals',
      { lacksPromisedPage: true, missing: ['a'], acceptsRemovals: true },
    ],
    ['is of the project itself', { listing: 'project', missing: many, isUnproven: true, fieldsMissing: ['name'] }],
    ['shows event types, and misses some', { listing: 'event_types', items: 1, missing: ['a'] }],
    ['shows no event type, as before', { listing: 'event_types', items: 0 }],
    [
      'shows no event type, as the scan before',
      { listing: 'event_types', items: 0, missing: ['a'], withheldBefore: ['a'] },
    ],
    ['is empty, and misses few', { items: 0, missing: ['a'] }],
  ])('is accepted when it %s', (_, given) => {
    expect(decide(given)).toEqual(believed)
  })

  it('is suspect when too much is gone, and reports the share', () => {
    expect(decide({ missing: many, seenAgain: 4 })).toEqual({
      ...believed,
      status: 'suspect',
      cause: 'suspect_loss',
      reason: '5 of 9 endpoints missing at once; accepted if the next scan confirms it, or with --accept-removals',
      losses: [{ listing: 'endpoints', missing: 5, total: 9 }],
      withheld: many,
      isSame: false,
    })
  })

  it('is suspect again when too many other resources are gone than the scan before withheld', () => {
    const { status, withheld } = decide({ missing: [...many, 'f', 'g'], withheldBefore: ['a', 'b'] })
    expect(status).toBe('suspect')
    expect(withheld).toEqual([...many, 'f', 'g'])
  })

  it('counts only resources that its filter would have shown', () => {
    const { losses, withheld } = decide({ missing: [...many, 'f'], owner: 'even' })
    expect(losses).toEqual([{ listing: 'endpoints', missing: 3, total: 3 }])
    expect(withheld).toEqual(['a', 'c', 'e'])
  })

  it.each<[string, Given]>([
    ['for the first time', { lacksPromisedPage: true }],
    ['and misses one more than before', { lacksPromisedPage: true, missing: ['a', 'b'], withheldBefore: ['a'] }],
    ['and no rule limits removals', { lacksPromisedPage: true, missing: ['a'], limits: null }],
  ])('is suspect when its promised page came empty %s', (_, given) => {
    expect(decide(given)).toEqual({
      ...believed,
      status: 'suspect',
      cause: 'suspect_page',
      reason:
        'the last page is empty although the page before it promised more; accepted if the next scan misses nothing else, or with --accept-removals',
      withheld: given.missing ?? [],
      isSame: false,
    })
  })

  it('is suspect for its large loss when its promised page came empty as well', () => {
    const { reason, losses } = decide({ missing: many, lacksPromisedPage: true })
    expect(reason).toContain('5 of 5 endpoints missing at once')
    expect(losses).toHaveLength(1)
  })

  it.each<[string, Given, readonly string[]]>([
    ['and something was known', { isUnproven: true, missing: ['a'], wasProven: true }, ['1 of 1']],
    ['and the same was withheld before', { isUnproven: true, missing: many, withheldBefore: many }, ['5 of 5']],
    ['and nothing proved it before', { isUnproven: true }, []],
  ])('is never accepted when the service cannot confirm its project, %s', (_, given, shares) => {
    const { status, reason, losses, withheld } = decide(given)
    expect(status).toBe('suspect')
    expect(reason).toContain("the service cannot confirm the key's project")
    expect(reason).toContain('hookdrift audit --accept-removals')
    expect(losses.map(({ missing, total }) => `${missing} of ${total}`)).toEqual(shares)
    expect(withheld).toBeUndefined()
  })

  it.each<[Listing, number, string]>([
    ['event_types', 3, 'its items do not name their project'],
    ['event_types', 0, 'empty'],
    ['endpoints', 0, 'empty'],
  ])('of %s with %i items says so when the service cannot confirm its project', (listing, items, what) => {
    const { status, cause, reason } = decide({ listing, items, isUnproven: true, missing: ['a'] })
    expect([status, cause]).toEqual(['suspect', 'unproven'])
    expect(reason).toMatch(new RegExp(`^${what}, and the service cannot confirm`))
  })

  it('is suspect when the catalogue of event types came empty, regardless of the limits of the rule', () => {
    const { cause, reason, losses, withheld } = decide({
      listing: 'event_types',
      items: 0,
      missing: ['a'],
      seenAgain: 0,
      limits: null,
    })
    expect(cause).toBe('suspect_loss')
    expect(reason).toContain('1 of 1 event_types missing at once')
    expect(losses).toEqual([{ listing: 'event_types', missing: 1, total: 1 }])
    expect(withheld).toEqual(['a'])
  })

  it.each<[string, Given, Pick<ReturnType<typeof decide>, 'withheld'>]>([
    ['and misses nothing', {}, { withheld: undefined }],
    ['and misses some', { missing: ['a'] }, { withheld: ['a'] }],
    ['and the operator accepts removals', { missing: many, acceptsRemovals: true }, { withheld: many }],
    ['and the same was withheld before', { missing: many, withheldBefore: many }, { withheld: many }],
  ])('is suspect when no item shows a field %s', (_, given, { withheld }) => {
    expect(decide({ ...given, fieldsMissing: ['url', 'status'] })).toEqual({
      ...believed,
      status: 'suspect',
      cause: 'unseen_fields',
      reason:
        'none of 2 items shows url, status, which every release shows: nothing is removed or resolved until it is seen again',
      withheld,
      isSame: false,
    })
  })

  it('says of its only item that it does not show a field', () => {
    const { reason } = decide({ items: 1, fieldsMissing: ['url'] })
    expect(reason).toMatch(/^the only item does not show url, which every release shows/)
  })

  it.each<[string, Given, readonly string[]]>([
    ['for the first time', { missing: ['a'] }, []],
    ['again', { missing: ['a'], withheldBefore: ['a'] }, []],
    ['with a large loss', { missing: many, withheldBefore: many }, ['5 of 5']],
  ])('is suspect when subscriptions show what it leaves out, %s', (_, given, shares) => {
    const decided = decide({ ...given, contradicted: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] })
    expect([decided.status, decided.cause]).toEqual(['suspect', 'contradicted'])
    expect(decided.reason).toBe(
      'subscriptions of the same scan show 7 endpoints that the list leaves out (a, b, c, d, e and 2 more): nothing is removed until a scan shows no contradiction, or with --accept-removals',
    )
    expect(decided.withheld).toEqual(given.missing)
    expect(decided.losses.map(({ missing, total }) => `${missing} of ${total}`)).toEqual(shares)
  })

  it('names all that it leaves out, where they are few, and withholds nothing where it misses nothing', () => {
    const decided = decide({ listing: 'sources', contradicted: ['a', 'b', 'c', 'd', 'e'] })
    expect(decided.reason).toContain('show 5 sources that the list leaves out (a, b, c, d, e): nothing is removed')
    expect(decided.withheld).toBeUndefined()
  })

  it.each<[string, Given]>([
    ['is narrowed by a filter', { owner: 'even' }],
    ['is accepted by the operator', { acceptsRemovals: true }],
    ['lists subscriptions', { listing: 'subscriptions' }],
  ])('is contradicted by nothing when it %s', (_, given) => {
    expect(decide({ ...given, missing: ['a'], contradicted: ['a'] }).status).toBe('complete')
  })
})

it.each<CoverageStatus>(['partial', 'failed', 'skipped', 'suspect'])(
  'a walk that is %s already removes nothing, and withholds nothing',
  (status) => {
    const given = { missing: many, isUnproven: true, lacksPromisedPage: true, fieldsMissing: ['url'] }
    const { cause, ...decided } = decide({ ...given, status })
    const { cause: _, ...unchanged } = believed
    expect(decided).toEqual({ ...unchanged, status, reason: `it is ${status}` })
    expect(cause).not.toBe('unseen_fields')
  },
)

describe('a loss that an earlier scan withheld', () => {
  it.each<[string, Given, boolean]>([
    ['is open where its listing broke off', { status: 'partial', withheldBefore: ['a'] }, true],
    ['is open where its listing was not walked', { withheldElsewhere: { sources: ['a'] } }, true],
    ['is decided where its listing was read to its end', { withheldBefore: ['a'] }, false],
    ['was a promised page, which lost nothing', { status: 'partial', withheldBefore: [] }, false],
    ['was none', { status: 'partial' }, false],
  ])('%s', (_, given, isOpen) => {
    expect(decide(given).isLossOpen).toBe(isOpen)
  })
})
