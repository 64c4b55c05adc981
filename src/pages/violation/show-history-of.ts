import type { IdentifiedViolation } from '../../history/sql/found-violations.ts'
import { readVersionsOf, type VersionSpan, type ViolationSpan } from '../../history/sql/resource-life.ts'
import { fieldsBetween } from '../../questions/diff.ts'
import { changeCard } from '../../report/html/components/change-card.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { showTime } from '../../report/text/show-time.ts'
import { paths } from '../link.ts'
import type { RunNames } from '../name-run.ts'
import type { SiteRequest } from '../page.ts'

/** The change that the violation is about, and what changed of the resource since then. */
export async function showHistoryOf(
  { history, run, link }: SiteRequest,
  identity: IdentifiedViolation,
  { spans, runs }: { readonly spans: readonly ViolationSpan[]; readonly runs: RunNames },
): Promise<Markup> {
  const versions = await readVersionsOf(history, identity, run.number)
  const opening = spans.findLast(({ isContinued }) => !isContinued)
  if (versions.length === 0 || opening === undefined) return nothing
  const { kind, uid, project } = identity
  const openedIn = opening.fromRun
  const after = versionAt(versions, openedIn)
  const origin = spans.at(-1)?.originRun ?? opening.originRun
  const before =
    origin !== undefined
      ? versionAt(versions, origin)
      : after?.fromRun === openedIn
        ? versionAt(versions, openedIn - 1)
        : undefined
  const now = versions.at(-1)
  const href = link(paths.resource(uid), { project: project.name, kind })
  const card = (from: VersionSpan, to: VersionSpan) => {
    const fields = fieldsBetween(kind, from, to)
    const change = { project: project.name, kind, uid, name: to.name, change: 'modified' as const, fields }
    return fields.length === 0
      ? nothing
      : html`<ul class="rows">
${changeCard(change, [], { href })}</ul>`
  }
  const changed =
    before === undefined || after === undefined || before === after
      ? nothing
      : html`<h2 id="change">What changed</h2>
<p class="where">Before: ${runs.nameAt(before.fromRun, before.from)}. After: ${runs.nameAt(after.fromRun, after.from)}.</p>
${card(before, after)}`
  const since =
    after === undefined || now === undefined || after === now
      ? nothing
      : html`<h2 id="since">What changed since then</h2>
<p class="where">As of run ${openedIn}, when it was opened, and as of the last version, run ${now.fromRun}, ${showTime(now.from)}.</p>
${card(after, now)}`
  const gone =
    now?.toRun === null || now?.toRun === undefined
      ? nothing
      : html`<p class="where">The resource is gone since ${runs.name(now.toRun)}.</p>`
  return html`${changed}${since}${gone}`
}

function versionAt(versions: readonly VersionSpan[], run: number): VersionSpan | undefined {
  return versions.findLast(({ fromRun, toRun }) => fromRun <= run && (toRun === null || toRun > run))
}
