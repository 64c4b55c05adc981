import { z } from 'zod'
import type { ForOwners } from '../../config/notify-schema.ts'
import { neutralise } from '../../model/text/neutralise.ts'
import { isoTime } from '../../model/time.ts'
import type { SendMessage } from '../message.ts'
import {
  type AskTracker,
  sendTickets,
  type Ticket,
  type TicketDependencies,
  type Tracker,
  unlessRefused,
} from '../send-tickets.ts'
import { type SpanMarkup, showParagraphs } from '../show-message.ts'

interface Jira {
  readonly url: string
  readonly project: string
  readonly user?: string
  readonly token: string
  readonly issue_type: string
  readonly max_characters: number
  readonly labels?: ForOwners<readonly string[]>
  readonly assignee?: ForOwners<string>
}

/**
 * Issues of a project, through version 2 of the REST API, which Jira Cloud and Jira Data Center have:
 * https://developer.atlassian.com/cloud/jira/platform/rest/v2/. A label of each is its key, by which it is searched.
 */
export function sendToJira(channel: Jira, dependencies: TicketDependencies): SendMessage {
  const { url, user, token, project, labels, assignee: assignees, max_characters: mostCharacters } = channel
  const basic = Buffer.from(`${user}:${token}`).toString('base64')
  const headers = { authorization: user === undefined ? `Bearer ${token}` : `Basic ${basic}` }
  const advice = {
    400: `check issue_type, labels and assignee, and which fields ${project} requires`,
    401: 'the user or the token is not accepted: set others',
    403: `the token may not do this: let it create, edit, transition and comment issues of ${project}`,
    404: `there is no project ${project}, or the token may not read it`,
  }
  const open = (ask: AskTracker) => openProject(channel, ask)
  return sendTickets({ url, headers, advice, open, labels, assignees, mostCharacters }, dependencies)
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

function openProject({ project, issue_type: name, user }: Jira, ask: AskTracker): Tracker {
  const api = '/rest/api/2'
  const pathOf = (reference: string) => `${api}/issue/${encodeURIComponent(reference)}`
  return {
    render: (lines) => showParagraphs(lines, markup),
    async read(reference) {
      const issue = await unlessRefused(ask('GET', `${pathOf(reference)}?fields=${fields}`, issueSchema), 404)
      return issue === undefined ? undefined : ticketOf(issue)
    },
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
    async create({ key, id, title: summary, text: said, labels: others, assignees }) {
      const text = `${said}\n\n${key} ${id}`
      const labels = [key, ...others]
      const assignee = assignees.at(-1)
      const who = user === undefined ? { name: assignee } : { accountId: assignee }
      const named = assignee === undefined ? undefined : who
      const draft = {
        project: { key: project },
        issuetype: { name },
        summary,
        description: text,
        labels,
        assignee: named,
      }
      const { key: reference } = await ask('POST', `${api}/issue`, createdSchema, { fields: draft })
      return { reference, text, isClosed: false, changedAt: isoTime(0) }
    },
    async comment({ reference }, { id, text }) {
      const path = `${pathOf(reference)}/comment`
      const { comments } = await ask('GET', `${path}?orderBy=-created&maxResults=100`, commentsSchema)
      if (comments.some(({ body = '' }) => body.trimEnd().endsWith(id))) return
      await ask('POST', path, z.unknown(), { body: `${text}\n\n${id}` })
    },
    async move({ reference }, to) {
      const path = `${pathOf(reference)}/transitions`
      const { transitions } = await ask('GET', path, transitionsSchema)
      const categories = to === 'open' ? ['new', 'indeterminate'] : ['done']
      const [step] = categories.flatMap((key) => transitions.filter(({ to }) => to.statusCategory.key === key))
      if (step === undefined) return false
      const moved = ask('POST', path, z.unknown(), { transition: { id: step.id } }).then(() => true)
      // Refused where the step needs a field that only a person can fill in.
      return (await unlessRefused(moved, 400, 409)) ?? false
    },
  }
}

function ticketOf({ key, fields: { status, description, updated } }: z.output<typeof issueSchema>): Ticket {
  const isClosed = status.statusCategory.key === 'done'
  return { reference: key, text: description ?? '', isClosed, changedAt: updated }
}

const markup: SpanMarkup = {
  words: wiki,
  strong: wiki,
  code: (text) => `{{${wiki(text)}}}`,
  link: (label, url) => `[${label}|${url}]`,
}

/**
 * Text without markup. Jira takes a backslash before these characters, and what remains (addresses, entities, faces,
 * keys of issues, lists at the start of a line) is broken by a character without width.
 */
function wiki(text: string): string {
  return neutralise(text)
    .replaceAll('\\', '\\\u2060')
    .replace(/[![\]^~+?%{}()*_|@-]/g, '\\$&')
    .replace(/[:;&#<]|www\.|\b(?:h\d|bq)\./g, '$&\u2060')
}
