import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { type CommittedRun, findLastRun, readMadeAt } from '../history/sql/runs.ts'
import { countsFromNow } from '../questions/query-parameters.ts'
import { type ChangeEntry, readLastChanges } from '../questions/read-last-changes.ts'
import { html, type Markup, trusted } from '../report/html/markup.ts'
import { runAsOf } from './find-runs.ts'
import { forbidCaching, type IsFresh } from './freshness.ts'
import { linksAt, paths } from './link.ts'
import type { SiteHistory, SiteScope } from './page.ts'
import { readQuery } from './query.ts'

const mostEntries = 100

interface FeedOptions {
  history(): Promise<SiteHistory>
  readonly scope?: SiteScope
  now(): number
  readonly isFresh: IsFresh
}

/** The last changes as an Atom feed (RFC 4287), newest first. */
export async function answerFeed(context: Context, options: FeedOptions): Promise<Response> {
  const url = new URL(context.req.url)
  const named = readQuery(url.searchParams, ['run']).one('run')
  const { isFresh, scope } = options
  const isKept = !countsFromNow(url.searchParams)
  const history = await options.history()
  const last = await findLastRun(history)
  if (last === undefined || !isKept) forbidCaching(context)
  else if (await isFresh(context, history, last)) return context.body(null, 304)
  const now = options.now()
  const run = last && (await runAsOf(history, named, { now, last }))
  const entries = run === undefined ? [] : await readLastChanges(history, run, mostEntries)
  const updated = run?.finished_at ?? new Date(now).toISOString()
  // Neither a name of the port nor a proxy in front makes it another feed.
  const source = [await readMadeAt(history), ...(scope?.projects.toSorted() ?? [])]
  const feed = writeFeed(entries, { run, updated, source, self: `${url.pathname}${url.search}` })
  return context.body(feed, 200, { 'content-type': 'application/atom+xml; charset=utf-8' })
}

interface FeedFrame {
  readonly run: CommittedRun | undefined
  readonly updated: string
  /** What distinguishes it from feeds of other histories, and of other projects of this one. */
  readonly source: readonly string[]
  /** Its own address: path and query. */
  readonly self: string
}

/** Addresses are relative, because a proxy may be in front of the port. */
function writeFeed(entries: readonly ChangeEntry[], { run, updated, source, self }: FeedFrame): string {
  const feed = html`${trusted('<?xml version="1.0" encoding="utf-8"?>')}
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${nameOf('feed', ...source)}</id>
<title>${run === undefined ? 'hookdrift: no run yet' : 'hookdrift: changes'}</title>
<updated>${updated}</updated>
<author><name>hookdrift</name></author>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="alternate" type="text/html" href="/"/>
${entries.map((entry) => writeEntry(entry, source))}</feed>
`
  // Of what is left, XML has no form for these two.
  return String(feed).replace(/[\ufffe\uffff]/g, '\ufffd')
}

function writeEntry({ what, at, title, summary, severity, subject }: ChangeEntry, source: FeedFrame['source']): Markup {
  const identity = nameOf('entry', ...source, what, at, ...Object.values(subject))
  return html`<entry>
<id>${identity}</id>
<title>${title}</title>
<updated>${at}</updated>
<category term="${what}"/>
${severity === undefined ? trusted('') : html`<category term="${severity}"/>\n`}<link rel="alternate" type="text/html" href="${hrefOf(subject)}"/>
<summary>${summary}</summary>
</entry>
`
}

function hrefOf(subject: ChangeEntry['subject']): string {
  const link = linksAt(undefined)
  if ('fingerprint' in subject) return link(paths.violation(subject.fingerprint))
  if ('uid' in subject) return link(paths.resource(subject.uid), { project: subject.project, kind: subject.kind })
  return link(paths.project(subject.project))
}

/** A name that is the same whenever the same is read: a UUID of the version for hashes of one's own (RFC 9562). */
function nameOf(...parts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4)
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
