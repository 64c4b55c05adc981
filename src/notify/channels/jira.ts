import { z } from 'zod'
import type { ForOwners } from '../../config/notify-schema.ts'
import { isoTime } from '../../model/time.ts'
import type { ProxyVariables } from '../../service/proxy-for.ts'
import { cut, neutralise } from '../../text/neutralise.ts'
import { type AskTracker, unlessRefused } from '../ask-tracker.ts'
import { chosenFor } from '../describe-ticket.ts'
import type { SendMessage } from '../message.ts'
import { sendTickets, type Ticket, type TicketMemory, type Tracker } from '../send-tickets.ts'
import type { Line, Piece } from '../show-message.ts'

interface Jira {
  readonly url: string
  readonly project: string
  readonly user?: string
  readonly token: string
  readonly issue_type: string
  readonly labels?: ForOwners<readonly string[]>
  readonly assignee?: ForOwners<string>
}

/**
 * Issues of a project, through version 2 of the REST API, which Jira Cloud and Jira Data Center have:
 * https://developer.atlassian.com/cloud/jira/platform/rest/v2/. A label of each is its key, by which it is searched.
 */
export function sendToJira(
  channel: Jira,
  { env, now, memory }: { readonly env: ProxyVariables; readonly now: () => number; readonly memory: TicketMemory },
): SendMessage {
  const { user, token, project } = channel
  const basic = Buffer.from(`${user}:${token}`).toString('base64')
  const headers = { authorization: user === undefined ? `Bearer ${token}` : `Basic ${basic}` }
  const advice = adviceOf(project)
  const address = { url: channel.url, headers, adviseOn: (status: number) => advice[status] }
  return sendTickets({ address, open: (ask) => openProject(channel, ask), memory, env, now })
}

function adviceOf(project: string): Readonly<Record<number, string>> {
  return {
    400: `check issue_type, labels and assignee, and which fields ${project} requires`,
    401: 'the user or the token is not accepted: set others',
    403: `the token may not do this: let it create, edit, transition and comment issues of ${project}`,
    404: `there is no project ${project}, or the token may not read it`,
  }
}

const statusSchema = z.object({ statusCategory: z.object({ key: z.string() }) })
const issueSchema = z.object({
  key: z.string(),
  fields: z.object({ status: statusSchema, description: z.string().nullish(), updated: z.string() }),
})
const issuesSchema = z.object({ issues: z.array(issueSchema) })
const createdSchema = z.object({ key: z.string() })
const commentsSchema = z.object({ comments: z.array(z.object({ body: z.string().optional() })) })
const transitionsSchema = z.object({ transitions: z.array(z.object({ id: z.string(), to: statusSchema })) })

const fields = 'status,description,updated'

function openProject(channel: Jira, ask: AskTracker): Tracker {
  const { project, issue_type: name, user } = channel
  const api = '/rest/api/2'
  const read = async (reference: string) => {
    const path = `${api}/issue/${encodeURIComponent(reference)}?fields=${fields}`
    const issue = await unlessRefused(ask('GET', path, issueSchema), 404)
    return issue === undefined ? undefined : ticketOf(issue)
  }
  return {
    read,
    async find(key) {
      // Without a valid login, Jira may answer a search with nothing in place of a refusal.
      await ask('GET', `${api}/project/${project}`, createdSchema)
      const jql = `project = "${project}" AND labels = "${key}" ORDER BY created ASC`
      const query = new URLSearchParams({ jql, fields, maxResults: '1' })
      // Cloud has only the one, Data Center only the other.
      const path = `${api}/search${user === undefined ? '' : '/jql'}?${query}`
      const [issue] = (await ask('GET', path, issuesSchema)).issues
      return issue === undefined ? undefined : ticketOf(issue)
    },
    async create({ key, title, lines, message }) {
      const labels = [...new Set(['hookdrift', key, ...chosenFor(channel.labels, message).flat()])]
      const assignee = chosenFor(channel.assignee, message).at(-1)
      const description = `${wikiText(lines)}\n\n${key} ${message.id}`
      const draft = { project: { key: project }, issuetype: { name }, summary: title, description, labels }
      const who = user === undefined ? { name: assignee } : { accountId: assignee }
      const refused = `Jira refused to assign it to ${assignee}.`
      const ending = `${wiki(refused)}\n\n${key} ${message.id}`
      const created =
        assignee === undefined
          ? await ask('POST', `${api}/issue`, createdSchema, { fields: draft })
          : ((await unlessRefused(
              ask('POST', `${api}/issue`, createdSchema, { fields: { ...draft, assignee: who } }),
              400,
            )) ??
            (await ask('POST', `${api}/issue`, createdSchema, {
              fields: { ...draft, description: `${wikiText(lines)}\n\n${ending}` },
            })))
      return { reference: created.key, text: description, isClosed: false, changedAt: isoTime(0) }
    },
    async comment({ reference }, id, lines) {
      const path = `${api}/issue/${encodeURIComponent(reference)}/comment`
      const { comments } = await ask('GET', `${path}?orderBy=-created&maxResults=100`, commentsSchema)
      if (comments.some(({ body = '' }) => body.trimEnd().endsWith(id))) return
      await ask('POST', path, z.unknown(), { body: `${wikiText(lines)}\n\n${id}` })
    },
    async move({ reference }, to) {
      const path = `${api}/issue/${encodeURIComponent(reference)}/transitions`
      const { transitions } = await ask('GET', path, transitionsSchema)
      const categories = to === 'open' ? ['new', 'indeterminate'] : ['done']
      const [chosen] = categories.flatMap((category) =>
        transitions.filter((transition) => transition.to.statusCategory.key === category),
      )
      if (chosen === undefined) return false
      // Refused where the step needs a field that only a person can fill in.
      const moved = unlessRefused(
        ask('POST', path, z.unknown(), { transition: { id: chosen.id } }).then(() => true),
        400,
        409,
      )
      return (await moved) ?? false
    },
  }
}

function ticketOf({ key, fields: { status, description, updated } }: z.output<typeof issueSchema>): Ticket {
  const isClosed = status.statusCategory.key === 'done'
  return { reference: key, text: description ?? '', isClosed, changedAt: updated }
}

function wikiText(lines: readonly Line[]): string {
  return lines.map(wikiLine).join('\n\n')
}

function wikiLine(line: Line): string {
  if (line.level === 'links') return line.links.map(({ label, url }) => `[${label}|${inertAddress(url)}]`).join(' · ')
  return line.pieces.map(wikiPiece).join('')
}

function wikiPiece(piece: Piece): string {
  if ('own' in piece) return wiki(piece.own)
  if ('command' in piece) return `{{${wiki(piece.command)}}}`
  if ('name' in piece) return `"${wiki(piece.name)}"`
  return wiki('foreign' in piece ? piece.foreign : piece.prose)
}

/**
 * Text without markup. Jira takes a backslash before these characters, and what remains (addresses, entities, faces,
 * keys of issues, lists at the start of a line) is broken by a character without width.
 */
function wiki(text: string): string {
  return neutralise(cut(text, 1000))
    .replaceAll('\\', '\\\u2060')
    .replace(/[![\]^~+?%{}()*_|@-]/g, '\\$&')
    .replace(/[:;&#<]|\b(?:h\d|bq|www)\./g, '$&\u2060')
}

/** What ends an address in wiki markup is encoded. */
function inertAddress(url: string): string {
  return url.replace(/[|[\]{}\s\\!*^]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
