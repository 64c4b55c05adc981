import { z } from 'zod'
import type { ForOwners } from '../../config/notify-schema.ts'
import { isoTime } from '../../model/time.ts'
import { code } from '../../report/markdown/code.ts'
import { prose, withCode } from '../../report/markdown/prose.ts'
import type { ProxyVariables } from '../../service/proxy-for.ts'
import { neutralise } from '../../text/neutralise.ts'
import { type AskTracker, TrackerRefusal, unlessRefused } from '../ask-tracker.ts'
import { chosenFor } from '../describe-ticket.ts'
import type { SendMessage } from '../message.ts'
import { sendTickets, type Ticket, type TicketMemory, type Tracker } from '../send-tickets.ts'
import type { Line, Piece } from '../show-message.ts'

interface GitHub {
  readonly repository: string
  readonly token: string
  readonly labels?: ForOwners<readonly string[]>
  readonly assignees?: ForOwners<readonly string[]>
  readonly api_url: string
}

/**
 * Issues of a repository, through the REST API: https://docs.github.com/en/rest/issues. Each has a hidden mark in its
 * text, and a label by which the issues of hookdrift are listed. The list is read and not searched: the index of the
 * search is minutes late.
 */
export function sendToGitHub(
  channel: GitHub,
  { env, now, memory }: { readonly env: ProxyVariables; readonly now: () => number; readonly memory: TicketMemory },
): SendMessage {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${channel.token}`,
    'x-github-api-version': '2022-11-28',
  }
  const advice = adviceOf(channel.repository)
  const address = { url: channel.api_url, headers, adviseOn: (status: number) => advice[status] }
  return sendTickets({ address, open: (ask, known) => openRepository(channel, ask, known), memory, env, now })
}

/** Only who may set labels can put it on an issue: an issue of a stranger is not taken for one of hookdrift. */
const ownLabel = 'hookdrift'

function adviceOf(repository: string): Readonly<Record<number, string>> {
  return {
    301: `the repository ${repository} was moved: set repository to its present name`,
    401: 'the token is not accepted: set another one',
    403: `the token may not do this: let it read and write issues of ${repository}`,
    404: `there is no repository ${repository}, or the token may not read it`,
    410: `issues are switched off in ${repository}`,
    422: 'the issue is refused: check labels and assignees',
  }
}

const issueSchema = z.object({
  number: z.int(),
  state: z.string(),
  body: z.string().nullish(),
  updated_at: z.string(),
  pull_request: z.unknown().optional(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().optional() })])),
})
const commentSchema = z.object({ body: z.string().optional() })

/** Of a list. */
const mostOnPage = 100
/** A copy of the database that answers may be behind. */
const overlapMs = 10 * 60_000
/** Between the clock of hookdrift and that of GitHub. */
const clockSkewMs = 24 * 3_600_000

function openRepository(channel: GitHub, ask: AskTracker, memory: TicketMemory): Tracker {
  const issues = `/repos/${channel.repository}/issues`
  return {
    async read(reference) {
      // A deleted issue answers 410, one that was moved to another repository 301.
      const issue = await unlessRefused(ask('GET', `${issues}/${reference}`, issueSchema), 301, 404, 410)
      return issue === undefined ? undefined : ticketOf(issue)
    },
    async find(key) {
      const last = await memory.lastChange()
      let found: Ticket | undefined
      let since = last === undefined ? isoTime(0) : isoTime(Date.parse(last) - overlapMs)
      // What changes meanwhile moves to the end of the list, so each page begins where the one before ended.
      for (let page = 1; ; ) {
        const query = new URLSearchParams({ labels: ownLabel, state: 'all', sort: 'updated', direction: 'asc', since })
        const path = `${issues}?${query}&per_page=${mostOnPage}&page=${page}`
        const listed = await ask('GET', path, z.array(issueSchema))
        for (const issue of listed) {
          const ticket = ticketOf(issue)
          const itsKey = /^<!-- hookdrift:([\w-]{1,100}) /.exec(ticket.text)?.[1]
          if (itsKey === undefined || issue.pull_request !== undefined) continue
          const known = itsKey === key ? found?.reference : (await memory.find(itsKey))?.reference
          if (itsKey === key) found ??= ticket
          await memory.remember(itsKey, known ?? ticket.reference, ticket.changedAt)
        }
        const end = listed.at(-1)?.updated_at
        if (end === undefined || listed.length < mostOnPage) return found
        const next = isoTime(Date.parse(end) - 1000)
        page = next > since ? 1 : page + 1
        since = next > since ? next : since
      }
    },
    async create({ key, title, lines, message }) {
      const labels = [...new Set([ownLabel, ...chosenFor(channel.labels, message).flat()])]
      // More than ten are refused.
      const assignees = [...new Set(chosenFor(channel.assignees, message).flat())].slice(0, 10)
      const body = `<!-- hookdrift:${key} ${message.id} -->\n${markdown(lines)}`
      const unassigned = `${body}\n\nGitHub refused to assign it to ${assignees.map((login) => code(login)).join(', ')}.`
      const request = { title, body, labels, assignees }
      const assigned = ask('POST', issues, issueSchema, request)
      const issue =
        (await (assignees.length === 0 ? assigned : unlessRefused(assigned, 422))) ??
        (await ask('POST', issues, issueSchema, { title, body: unassigned, labels }))
      const ticket = ticketOf(issue)
      // GitHub drops the labels of who may not set them, and says nothing.
      if (!issue.labels.some((label) => (typeof label === 'string' ? label : label.name) === ownLabel)) {
        await memory.remember(key, ticket.reference, ticket.changedAt)
        await requireLabel(ticket)
      }
      return ticket
    },
    async comment({ reference }, id, lines, message) {
      const mark = `<!-- hookdrift:${id} -->`
      const path = `${issues}/${reference}/comments`
      const since = isoTime(Date.parse(message.created_at) - clockSkewMs)
      for (let page = 1; ; page++) {
        const listed = await ask(
          'GET',
          `${path}?since=${since}&per_page=${mostOnPage}&page=${page}`,
          z.array(commentSchema),
        )
        if (listed.some(({ body = '' }) => body.startsWith(mark))) return
        if (listed.length < mostOnPage) break
      }
      await ask('POST', path, commentSchema, { body: `${mark}\n${markdown(lines)}` })
    },
    async move({ reference }, to) {
      const closed = { state: 'closed', state_reason: to === 'solved' ? 'completed' : 'not_planned' }
      await ask('PATCH', `${issues}/${reference}`, issueSchema, to === 'open' ? { state: 'open' } : closed)
      return true
    },
  }

  async function requireLabel({ reference }: Ticket): Promise<void> {
    const labels = z.array(z.unknown())
    const set = await unlessRefused(
      ask('POST', `${issues}/${reference}/labels`, labels, { labels: [ownLabel] }),
      403,
      404,
    )
    if (set !== undefined) return
    const error = `the token may not set the label ${ownLabel}: let it write issues of ${channel.repository}`
    // The issue is there: the next attempt finds it.
    throw new TrackerRefusal({ ok: false, error }, false)
  }
}

function ticketOf({ number, state, body, updated_at }: z.output<typeof issueSchema>): Ticket {
  return { reference: `${number}`, text: body ?? '', isClosed: state === 'closed', changedAt: updated_at }
}

function markdown(lines: readonly Line[]): string {
  return lines.map(markdownLine).join('\n\n')
}

function markdownLine(line: Line): string {
  if (line.level === 'links') return line.links.map(({ label, url }) => `[${label}](${inertAddress(url)})`).join(' · ')
  return line.pieces.map(markdownPiece).join('')
}

function markdownPiece(piece: Piece): string {
  if ('own' in piece) return ownWords(piece.own)
  if ('command' in piece) return code(piece.command)
  if ('name' in piece) return code(piece.name, 300)
  return 'foreign' in piece ? prose(piece.foreign, 1000) : withCode(piece.prose)
}

/** Words of hookdrift with names of projects among them: what could be markup or a reference becomes code. */
function ownWords(text: string): string {
  return neutralise(text)
    .split(' ')
    .map((word) => (/^[\p{L}\p{Nd}–×→,.;:()/-]*$/u.test(word) && !/www\.|:\/\/|GH-/i.test(word) ? word : code(word)))
    .join(' ')
}

/** What ends an address in Markdown is encoded. */
function inertAddress(url: string): string {
  return url.replace(/[()<>\s\\]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
