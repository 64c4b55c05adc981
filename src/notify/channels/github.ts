import { z } from 'zod'
import type { ForOwners } from '../../config/notify-schema.ts'
import { isoTime } from '../../model/time.ts'
import { code, prose } from '../../report/markdown-prose.ts'
import type { SendMessage } from '../message.ts'
import {
  type AskTracker,
  sendTickets,
  type Ticket,
  type TicketDependencies,
  type TicketMemory,
  type Tracker,
  ticketLabel,
  unlessRefused,
} from '../send-tickets.ts'
import { type Line, type SpanMarkup, showParagraphs } from '../show-message.ts'

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
export function sendToGitHub(channel: GitHub, dependencies: TicketDependencies): SendMessage {
  const { repository, token, labels, assignees, api_url: url } = channel
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'x-github-api-version': '2022-11-28',
  }
  const advice = {
    301: `the repository ${repository} was moved: set repository to its present name`,
    401: 'the token is not accepted: set another one',
    403: `the token may not do this: let it read and write issues of ${repository}, and set labels`,
    404: `there is no repository ${repository}, or the token may not read it`,
    410: `issues are switched off in ${repository}`,
    422: 'the issue is refused: check labels and assignees',
  }
  const open = (ask: AskTracker, memory: TicketMemory) => openRepository(repository, ask, memory)
  return sendTickets({ url, headers, advice, open, labels, assignees, mostCharacters }, dependencies)
}

const issueSchema = z.object({
  number: z.int(),
  state: z.string(),
  body: z.string().nullish(),
  // A time that cannot be read would be remembered, and read in vain from then on.
  updated_at: z.iso.datetime({ offset: true }),
  pull_request: z.unknown().optional(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().optional() })])),
})
const commentSchema = z.object({ body: z.string().optional() })

/** GitHub takes 65,536 bytes of a text. */
const mostCharacters = 30_000
/** Of a list. */
const mostOnPage = 100
/** More are refused. */
const mostAssignees = 10
/** A copy of the database that answers may be behind. */
const overlapMs = 10 * 60_000
/** Between the clock of hookdrift and that of GitHub. */
const clockSkewMs = 24 * 3_600_000

function openRepository(repository: string, ask: AskTracker, memory: TicketMemory): Tracker {
  const issues = `/repos/${repository}/issues`
  return {
    render: markdown,
    async read(reference) {
      // A deleted issue answers 410, one that was moved to another repository 301.
      const issue = await unlessRefused(ask('GET', `${issues}/${reference}`, issueSchema), 301, 404, 410)
      return issue === undefined ? undefined : ticketOf(issue)
    },
    async find(key) {
      const last = await memory.lastChange()
      let match: Ticket | undefined
      let since = last === undefined ? isoTime(0) : isoTime(Date.parse(last) - overlapMs)
      // What changes meanwhile moves to the end of the list, so each page begins where the one before ended.
      for (let page = 1; ; ) {
        const query = new URLSearchParams({
          labels: ticketLabel,
          state: 'all',
          sort: 'updated',
          direction: 'asc',
          since,
        })
        const path = `${issues}?${query}&per_page=${mostOnPage}&page=${page}`
        const listed = await ask('GET', path, z.array(issueSchema))
        for (const issue of listed) {
          const ticket = ticketOf(issue)
          const itsKey = /^<!-- hookdrift:([\w-]{1,100}) /.exec(ticket.text)?.[1]
          if (itsKey === undefined || issue.pull_request !== undefined) continue
          const reference = itsKey === key ? match?.reference : (await memory.find(itsKey))?.reference
          if (itsKey === key) match ??= ticket
          await memory.remember(itsKey, reference ?? ticket.reference, ticket.changedAt)
        }
        const end = listed.at(-1)?.updated_at
        if (end === undefined || listed.length < mostOnPage) return match
        const next = isoTime(Date.parse(end) - 1000)
        page = next > since ? 1 : page + 1
        since = next > since ? next : since
      }
    },
    async create({ key, id, title, text, labels, assignees }) {
      const body = `<!-- hookdrift:${key} ${id} -->\n${text}`
      const request = { title, body, labels, assignees: assignees.slice(0, mostAssignees) }
      const issue = await ask('POST', issues, issueSchema, request)
      const ticket = ticketOf(issue)
      // GitHub drops the labels of who may not set them, and says nothing; setting them alone is refused.
      if (!issue.labels.some((label) => (typeof label === 'string' ? label : label.name) === ticketLabel)) {
        await memory.remember(key, ticket.reference, ticket.changedAt)
        await ask('POST', `${issues}/${ticket.reference}/labels`, z.unknown(), { labels: [ticketLabel] })
      }
      return ticket
    },
    async comment({ reference }, { id, text, at }) {
      const mark = `<!-- hookdrift:${id} -->`
      const path = `${issues}/${reference}/comments`
      const since = isoTime(Date.parse(at) - clockSkewMs)
      for (let page = 1, isFull = true; isFull; page++) {
        const query = `since=${since}&per_page=${mostOnPage}&page=${page}`
        const listed = await ask('GET', `${path}?${query}`, z.array(commentSchema))
        if (listed.some(({ body = '' }) => body.startsWith(mark))) return
        isFull = listed.length === mostOnPage
      }
      await ask('POST', path, commentSchema, { body: `${mark}\n${text}` })
    },
    async move({ reference }, to) {
      const closed = { state: 'closed', state_reason: to === 'solved' ? 'completed' : 'not_planned' }
      await ask('PATCH', `${issues}/${reference}`, issueSchema, to === 'open' ? { state: 'open' } : closed)
      return true
    },
  }
}

function ticketOf({ number, state, body, updated_at }: z.output<typeof issueSchema>): Ticket {
  return { reference: `${number}`, text: body ?? '', isClosed: state === 'closed', changedAt: updated_at }
}

const markup: SpanMarkup = {
  words: prose,
  strong: (text) => `**${prose(text)}**`,
  code,
  link: (label, url) => `[${label}](${url})`,
}

function markdown(lines: readonly Line[]): string {
  // A number in front would begin a list, also behind three blanks.
  return showParagraphs(lines, markup).replace(/^( {0,3}\d{1,9})(?=[.)])/gm, '$1\\')
}
