import type { Identity, VersionSpan } from '../history/sql/resource-life.ts'
import { AuditError } from '../model/errors.ts'
import { displayJson } from '../model/exact-number.ts'
import type { JsonObject } from '../model/json.ts'
import { count } from '../model/text/count.ts'
import { compareVersions } from '../questions/diff.ts'
import { attributesOf } from '../questions/field-gaps.ts'
import { versionIn } from '../questions/former-state.ts'
import { fieldTable } from '../report/html/components/field-table.ts'
import { emptyState, type Fact, factList, foldRest } from '../report/html/components/parts.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { shorten } from '../report/text/shorten.ts'
import { showTime } from '../report/text/show-time.ts'
import type { RunNames } from './find-runs.ts'
import { paths } from './link.ts'
import type { SiteRequest } from './page.ts'
import { readRunNumber } from './query.ts'

/** Two versions of a resource next to each other, as of the runs that the address names; and a form to choose them. */
export function showVersions(
  request: SiteRequest,
  identity: Identity,
  { versions, runs }: { readonly versions: readonly VersionSpan[]; readonly runs: RunNames },
): Markup {
  const sides = readSideRuns(request)
  if (sides === undefined) {
    return versions.length < 2 ? nothing : pageSection({ ...section, content: showChoice(request, identity, versions) })
  }
  const [before, after] = [versionIn(versions, sides.from), versionIn(versions, sides.to)]
  // The first scan that read all of its kind does not show since when it is there.
  const [oldest] = versions
  const first = oldest === undefined || oldest.isAdded || oldest.isContinued ? undefined : oldest.fromRun
  return pageSection({
    ...section,
    content: html`${showChoice(request, identity, versions)}
<p class="where">${describeSide('Before', sides.from, before, { runs, first })} ${describeSide('After', sides.to, after, { runs, first })}</p>
${before === undefined || after === undefined ? showOne(before ?? after) : showBoth(identity, before, after)}`,
  })
}

/** The attributes of a version, secrets as sealed. */
export function showAttributes(attributes: JsonObject): Markup {
  const facts = Object.entries(attributes).map(
    ([name, value]): Fact => [
      name,
      html`<code>${shorten(typeof value === 'string' ? value : displayJson(value), 2000)}</code>`,
    ],
  )
  return factList(facts)
}

const section = { id: 'versions', title: 'Two versions side by side' }

/** @throws AuditError.usage for a run after the one of the page: as of that, it is not known */
function readSideRuns({ query, run }: SiteRequest): { readonly from: number; readonly to: number } | undefined {
  const [from, to] = [readRunNumber(query, 'from'), readRunNumber(query, 'to')]
  if (from === undefined && to === undefined) return undefined
  const last = to ?? run.number
  const sides = { from: from ?? last - 1, to: last }
  if (Math.max(sides.from, sides.to) <= run.number) return sides
  throw AuditError.usage(`this page is as of run ${run.number}: "from" and "to" name runs up to it`)
}

function describeSide(
  side: string,
  run: number,
  version: VersionSpan | undefined,
  {
    runs,
    first = 0,
  }: {
    readonly runs: RunNames
    /** The run that first saw it, where that does not show that it was not there before. */
    readonly first: number | undefined
  },
): Markup {
  if (version !== undefined)
    return html`${side}, run ${run}: as ${runs.name(version.fromRun)} found it${version.from !== '' && `, ${showTime(version.from)}`}.`
  if (run >= 1 && run < first) return html`${side}, run ${run}: not known, ${runs.name(first)} was the first to see it.`
  // Of a run that was pruned, what it found may be gone with it. Before the first one, there was nothing.
  return run < 1 || runs.isKept(run)
    ? html`${side}, run ${run}: it was not there.`
    : html`${side}, run ${run}: that run is not in the history, and what it found is not known.`
}

function showBoth({ kind }: Identity, before: VersionSpan, after: VersionSpan): Markup {
  if (before.fromRun === after.fromRun) return emptyState('Both runs have the same version.', 'none')
  const fields = compareVersions(kind, before, after).asSeen
  const changed = new Set(fields.map(({ path }) => path.split('/')[1]))
  const same = Object.entries(attributesOf(after)).filter(([name]) => !changed.has(name))
  return html`${fields.length === 0 ? emptyState('No field differs.', 'none') : fieldTable(fields)}${same.length !== 0 && foldRest(`${count(same.length, 'field')} alike`, showAttributes(Object.fromEntries(same)))}`
}

function showOne(version: VersionSpan | undefined): Markup {
  return version === undefined ? nothing : showAttributes(attributesOf(version))
}

/** The runs that wrote a version; the filters that name the resource stay. */
function showChoice(
  { run, isLatest, query }: SiteRequest,
  identity: Identity,
  versions: readonly VersionSpan[],
): Markup {
  const { project, kind, uid } = identity
  const hiddenFields = { project: project.name, kind, ...(isLatest ? {} : { run: run.number }) }
  const choose = (name: string, label: string, usual: VersionSpan | undefined) => {
    const number = readRunNumber(query, name)
    const chosen = (number === undefined ? undefined : versionIn(versions, number)) ?? usual
    const options = versions.map(({ fromRun, from }) =>
      fromRun === chosen?.fromRun
        ? html`<option value="${fromRun}" selected="">run ${fromRun}, ${from.slice(0, 10)}</option>`
        : html`<option value="${fromRun}">run ${fromRun}, ${from.slice(0, 10)}</option>`,
    )
    return html`<label>${label} <select name="${name}">${options}</select></label>
`
  }
  return html`<form class="filters wide" method="get" action="${paths.resource(uid)}#versions">${Object.entries(hiddenFields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${choose('from', 'Before', versions.at(-2))}${choose('to', 'After', versions.at(-1))}<button>Compare</button>
</form>
`
}
