import type { ActiveViolation, ScanDraft } from '../history/history.ts'
import { shapeOf } from '../inventory/shape.ts'
import { type GatheredMarks, gatherMarks } from '../marks/gather-marks.ts'
import type { OpenMarks } from '../marks/open-marks.ts'
import { openRecogniser } from '../marks/open-recogniser.ts'
import { VersionList } from '../marks/version-list.ts'
import { type ResourceKey, resourceKey } from '../model/keys.ts'
import { KnownItem, type RawItem } from '../model/raw-page.ts'
import { isReadable, type Listing, listings, type ProjectRef } from '../model/resource.ts'
import type { RuleNeeds } from '../policy/rule-needs.ts'
import type { Recogniser } from '../service/recognise-page.ts'
import { countEntries } from './find-list-fault.ts'
import { decodeOutcome, encodeOutcome, type KeptOutcome } from './kept-outcome.ts'
import { kindOf, type Statuses } from './project-scan.ts'
import type { StagedResource } from './stage-resources.ts'
import type { ReadResource, TakenItems, TakenPage } from './taken-page.ts'

/** How the scan of a project recognises what the last one evaluated, and what it leaves for the next. */
export interface ProjectMarks {
  /** What the last evaluation left for the end of its run, where it may hold. */
  readonly kept: KeptOutcome | undefined
  /** undefined for a listing of which every item is read. */
  recogniser(listing: Listing): Recogniser | undefined
  /** Notes a version that was recognised. */
  noteKnown(version: number): void
  /** Takes items of a page as they were evaluated or recognised. */
  take(listing: Listing, page: TakenPage, items: TakenItems): Promise<void>
  /** Which violations of recognised resources are found again: those of rules about one resource. */
  findAgain(violations: readonly ActiveViolation[], needs: RuleNeeds): Promise<readonly ActiveViolation[]>
  /** Leaves marks of the listings that were read to their end. `outcome`: undefined where it holds for no other run. */
  stage(statuses: Statuses, outcome: KeptOutcome | 'same' | undefined): Promise<void>
}

interface MarkContext {
  readonly draft: ScanDraft
  readonly project: ProjectRef
  /** Start of the run, in milliseconds since the epoch. */
  readonly now: number
  /** Resources that are read again: rules read their past, or nothing could decide about a violation of theirs. */
  readonly mustRead: ReadonlySet<ResourceKey>
  /** What listings and items have shown so far. */
  readonly shown: ReadonlySet<ResourceKey>
  /** Whether a resource that was read needs no comparison as long as it stays the same. */
  needsNoComparison(staged: StagedResource): boolean
}

export function openProjectMarks(marks: OpenMarks, context: MarkContext): ProjectMarks {
  const { draft, project, now, mustRead, shown, needsNoComparison } = context
  const gathered = new Map<Listing, GatheredMarks>()
  const known = new VersionList()

  const gather = (listing: Listing): GatheredMarks => {
    const ofListing = gathered.get(listing) ?? gatherMarks(marks, listing, now)
    gathered.set(listing, ofListing)
    return ofListing
  }

  const isFit = ({ staged, checked }: ReadResource) =>
    checked.isCertain && isReadable(staged.resource) && needsNoComparison(staged)

  /** undefined for an item that the next scan must read. */
  const markItem = (listing: Listing, item: RawItem, place: number, taken: TakenItems): KnownItem | undefined => {
    const { evaluated, embedded, probed } = taken
    const lifted = (embedded.ofItem[place] ?? []).map(({ kind, uid, version, isOwn }) => {
      const read = evaluated.get(resourceKey({ kind, uid }))
      return { kind, uid, version: isOwn ? (read?.staged.version ?? version ?? null) : null }
    })
    const reviewed =
      item instanceof KnownItem ? evaluated.get(resourceKey({ kind: kindOf[listing], uid: item.uid })) : undefined
    if (item instanceof KnownItem && reviewed !== undefined) {
      const { staged, checked } = reviewed
      const until = Math.min(item.until, checked.until)
      if (!isFit(reviewed) || until <= now) return undefined
      const waivers = [...new Set([...item.waivers, ...checked.waivers])]
      return new KnownItem({ ...item, version: staged.version, until, waivers, lifted })
    }
    if (item instanceof KnownItem) {
      const isSame = item.lifted.every(({ version }, at) => version === lifted[at]?.version)
      return isSame ? item : new KnownItem({ ...item, lifted })
    }
    const own = (embedded.ofItem[place] ?? []).filter(({ isOwn }) => isOwn)
    const kind = kindOf[listing]
    const keys = [{ kind, uid: String(item.uid) }, ...own].map(resourceKey)
    const parts = keys.flatMap((key) => evaluated.get(key) ?? [])
    const [main] = parts
    if (main === undefined || parts.length < keys.length) return undefined
    if (!parts.every(isFit) || keys.some((key) => probed.has(key))) return undefined
    const until = Math.min(...parts.map(({ checked }) => checked.until))
    if (until <= now) return undefined
    return new KnownItem({
      uid: main.staged.resource.uid,
      version: main.staged.version,
      until,
      entries: countEntries(kind, item),
      shape: shapeOf(main.read),
      lifted,
      waivers: [...new Set(parts.flatMap(({ checked }) => checked.waivers))],
    })
  }

  return {
    kept: readKept(marks, now),
    recogniser: (listing) =>
      listing === 'project'
        ? undefined
        : openRecogniser({
            // A clock that went back asks anew as well.
            isDue: ({ at, until }) => now < at || now >= until,
            digest: marks.digest,
            pageAt: (number) => marks.page(listing, number),
            mustRead: ({ uid, lifted }) =>
              mustRead.size > 0 &&
              [{ kind: kindOf[listing], uid }, ...lifted].some((one) => mustRead.has(resourceKey(one))),
            hasShown: (lifted) => shown.has(resourceKey(lifted)),
          }),
    noteKnown: (version) => void known.add(version),
    async take(listing, page, taken) {
      if (page.digests === undefined) return
      const items = taken.items.map((item, place) => markItem(listing, item, place, taken))
      const isKept = page.digests.items === undefined && items.every((item, place) => item === taken.items[place])
      await gather(listing).take(page, items, isKept)
    },
    async findAgain(violations, needs) {
      if (known.length === 0) return []
      const candidates = violations.filter(
        ({ rule, state }) => state !== 'unknown' && needs.get(rule)?.scope === 'resource',
      )
      const versionOf = new Map<ResourceKey, number>()
      for (const [kind, ofKind] of Map.groupBy(candidates, ({ kind }) => kind)) {
        const versions = await draft.known(project, kind, [...new Set(ofKind.map(({ uid }) => uid))])
        for (const { uid, id } of versions.values()) versionOf.set(resourceKey({ kind, uid }), id)
      }
      const recognised = known.among(new Set(versionOf.values()))
      return candidates.filter((violation) => recognised.has(versionOf.get(resourceKey(violation)) ?? 0))
    },
    async stage(statuses, outcome) {
      const complete = listings.filter((listing) => statuses[listing] === 'complete' && gathered.has(listing))
      const pages = new Map<string, Awaited<ReturnType<GatheredMarks['pages']>>>()
      for (const listing of complete) pages.set(listing, await gather(listing).pages())
      const sealed =
        outcome === undefined ? undefined : outcome === 'same' ? 'kept' : marks.sealOutcome(encodeOutcome(outcome))
      await draft.stageMarks(project, { seal: marks.sealScan(), outcome: sealed, pages })
    },
  }
}

/** What the last evaluation left, unless a rule across resources may find something else by now. */
function readKept(marks: OpenMarks, now: number): KeptOutcome | undefined {
  const bytes = marks.outcome()
  if (bytes === undefined) return undefined
  const kept = decodeOutcome(bytes)
  return now >= kept.at && (kept.until === null || now < kept.until) ? kept : undefined
}
