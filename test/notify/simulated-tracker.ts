import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { components, operations } from '@octokit/openapi-types'
import type { Comment, CreatedIssue, IssueTransition, SearchAndReconcileResults } from 'jira.js/cloud'

// Trackers as their published APIs say: GitHub's types are made from its OpenAPI description, Jira's by jira.js from
// Atlassian's. Those of Jira are of version 3, in which a text is a document; version 2 has a string in its place.

type GitHubIssue = Pick<
  components['schemas']['issue'],
  'number' | 'state' | 'state_reason' | 'title' | 'body' | 'labels' | 'updated_at' | 'created_at'
> & { assignees: { login: string }[]; pull_request?: object }
type CreateIssue = operations['issues/create']['requestBody']['content']['application/json']
type UpdateIssue = NonNullable<operations['issues/update']['requestBody']>['content']['application/json']
type ListIssues = NonNullable<operations['issues/list-for-repo']['parameters']['query']>

export interface TrackerRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: each simulation reads it by the type of its request
  readonly body: any
}

interface TrackerAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** What goes wrong with a request: it is not carried out, or it is and its answer is lost, or does not come. */
type Fault = TrackerAnswer | 'lost before' | 'lost after' | 'never' | 'carried out, never answered' | undefined

export interface SimulatedTicket {
  readonly reference: string
  title: string
  text: string
  labels: string[]
  assignees: string[]
  isClosed: boolean
  reason: string | undefined
  comments: string[]
  updatedAt: number
  isDeleted: boolean
}

/** A tracker on a port of its own. `fault`: asked at each request. */
async function openTracker(handle: (request: TrackerRequest) => TrackerAnswer) {
  const got: TrackerRequest[] = []
  let fault: (request: TrackerRequest, number: number) => Fault | Promise<Fault> = () => undefined
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://tracker')
    const text = Buffer.concat(chunks).toString()
    const request = {
      method: incoming.method ?? '',
      path: pathname,
      query: searchParams,
      headers: incoming.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
    got.push(request)
    const wrong = await fault(request, got.length)
    if (wrong === 'lost before') return void response.destroy()
    if (wrong === 'never') return
    const answer = typeof wrong === 'object' ? wrong : handle(request)
    if (wrong === 'lost after') return void response.destroy()
    if (wrong === 'carried out, never answered') return
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(answer.body === undefined ? '' : JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    got,
    faults(next: typeof fault) {
      fault = next
    },
    /** `POST /issues`, from the start or since the last time. */
    asked: (from = 0) => got.slice(from).map(({ method, path }) => `${method} ${path}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** GitHub ignores others, so a slip in a name would go unnoticed. */
const createMembers: ReadonlySet<string> = new Set([
  'title',
  'body',
  'labels',
  'assignees',
] satisfies (keyof CreateIssue)[])
const updateMembers: ReadonlySet<string> = new Set(['state', 'state_reason'] satisfies (keyof UpdateIssue)[])

const published = (time: number) => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')

/** The issues of `acme/payments`. `mayLabel`: whether the account of the token may set labels. */
export async function openGitHub(token = 'not-a-real-token') {
  const tickets: SimulatedTicket[] = []
  const settings = { hasIssues: true, mayLabel: true, unknownLogins: ['no-such-user'] }
  let clock = Date.parse('2026-11-21T03:00:00Z')
  const issueOf = (ticket: SimulatedTicket): GitHubIssue => ({
    number: Number(ticket.reference),
    state: ticket.isClosed ? 'closed' : 'open',
    state_reason: ticket.reason === 'completed' || ticket.reason === 'not_planned' ? ticket.reason : null,
    title: ticket.title,
    body: ticket.text,
    labels: ticket.labels.map((name) => ({ name })),
    assignees: ticket.assignees.map((login) => ({ login })),
    created_at: published(ticket.updatedAt),
    updated_at: published(ticket.updatedAt),
  })
  const touch = (ticket: SimulatedTicket) => {
    clock += 1000
    ticket.updatedAt = clock
  }
  const create = (asked: CreateIssue): TrackerAnswer => {
    const { title, body = '', labels = [], assignees = [] } = asked
    if (Object.keys(asked).some((member) => !createMembers.has(member))) return { status: 422, body: {} }
    if ((assignees ?? []).some((login) => settings.unknownLogins.includes(login))) return { status: 422, body: {} }
    if (`${title}`.length > 256 || (body ?? '').length > 65_536) return { status: 422, body: {} }
    const ticket = addTicket({
      title: `${title}`,
      text: body ?? '',
      labels: settings.mayLabel ? labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))) : [],
      assignees: assignees ?? [],
    })
    return { status: 201, body: issueOf(ticket) }
  }
  const addTicket = (given: Partial<SimulatedTicket>): SimulatedTicket => {
    const ticket = {
      reference: `${tickets.length + 1}`,
      title: '',
      text: '',
      labels: [],
      assignees: [],
      isClosed: false,
      reason: undefined,
      comments: [],
      updatedAt: 0,
      isDeleted: false,
      ...given,
    }
    touch(ticket)
    tickets.push(ticket)
    return ticket
  }
  const list = (query: URLSearchParams): TrackerAnswer => {
    const asked = Object.fromEntries(query) as { [Name in keyof ListIssues]: string }
    const { labels = '', since = '', per_page = '30', page = '1', state = 'open', sort, direction } = asked
    if (sort !== 'updated' || direction !== 'asc') throw new Error('this order is not simulated')
    const found = tickets
      .filter(({ isDeleted, isClosed, ...ticket }) => {
        if (isDeleted || (state === 'open' && isClosed)) return false
        return (
          labels.split(',').every((label) => ticket.labels.includes(label)) && ticket.updatedAt >= Date.parse(since)
        )
      })
      .toSorted((a, b) => a.updatedAt - b.updatedAt)
    const from = (Number(page) - 1) * Number(per_page)
    return { status: 200, body: found.slice(from, from + Number(per_page)).map(issueOf) }
  }
  const server = await openTracker(({ method, path, query, headers, body }) => {
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: {} }
    const [, reference = '', rest = ''] = /^\/repos\/acme\/payments\/issues(?:\/(\d+)(?:\/(\w+))?)?$/.exec(path) ?? []
    if (!path.startsWith('/repos/acme/payments/issues')) return { status: 404, body: {} }
    if (!settings.hasIssues) return { status: 410, body: {} }
    if (reference === '') return method === 'POST' ? create(body) : list(query)
    const ticket = tickets.find((ticket) => ticket.reference === reference)
    if (ticket === undefined) return { status: 404, body: {} }
    if (ticket.isDeleted) return { status: 410, body: {} }
    if (method === 'GET' && rest === '') return { status: 200, body: issueOf(ticket) }
    if (method === 'GET' && rest === 'comments') {
      const at = (Number(query.get('page')) - 1) * Number(query.get('per_page'))
      const shown = ticket.comments.slice(at, at + Number(query.get('per_page')))
      return {
        status: 200,
        body: shown.map((text): Partial<components['schemas']['issue-comment']> => ({ body: text })),
      }
    }
    if (method === 'POST' && rest === 'labels') {
      if (!settings.mayLabel) return { status: 403, body: {} }
      ticket.labels.push(...body.labels)
      return { status: 200, body: [] }
    }
    touch(ticket)
    if (method === 'POST' && rest === 'comments') {
      ticket.comments.push(body.body)
      return { status: 201, body: { body: body.body } }
    }
    const change: UpdateIssue = body
    if (Object.keys(change).some((member) => !updateMembers.has(member))) return { status: 422, body: {} }
    ticket.isClosed = change.state === 'closed'
    ticket.reason = change.state_reason ?? undefined
    return { status: 200, body: issueOf(ticket) }
  })
  return { ...server, tickets, settings, addTicket, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

const categories: Readonly<Record<string, string>> = { Open: 'new', 'In work': 'indeterminate', Done: 'done' }

/** The issues of the project OPS. `isIndexed`: whether the search finds an issue. */
export async function openJira({ user, token = 'not-a-real-token' }: { user?: string; token?: string } = {}) {
  const tickets: SimulatedTicket[] = []
  const settings = {
    isIndexed: true,
    offers: Object.keys(categories),
    unknownUsers: ['no-such-user'],
    needsField: false,
  }
  const fieldsOf = (ticket: SimulatedTicket) => ({
    status: { name: ticket.isClosed ? 'Done' : 'Open', statusCategory: { key: ticket.isClosed ? 'done' : 'new' } },
    description: ticket.text,
    updated: '2026-11-21T03:00:00.000+0000',
  })
  const login = user === undefined ? `Bearer ${token}` : `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`
  const search = (query: URLSearchParams): TrackerAnswer => {
    const label = /^project = "OPS" AND labels = "([\w-]+)" ORDER BY created ASC$/.exec(query.get('jql') ?? '')?.[1]
    if (label === undefined) return { status: 400, body: {} }
    const found = tickets.filter(({ labels, isDeleted }) => settings.isIndexed && !isDeleted && labels.includes(label))
    const issues = found.map((ticket) => ({ id: ticket.reference, key: ticket.reference, fields: fieldsOf(ticket) }))
    return { status: 200, body: { issues, isLast: true } satisfies SearchAndReconcileResults }
  }
  const create = ({ fields }: { fields: Record<string, unknown> }): TrackerAnswer => {
    const { project, issuetype, summary, description, labels, assignee } = fields as {
      project: { key: string }
      issuetype: { name: string }
      summary: string
      description: string
      labels: string[]
      assignee?: { name?: string; accountId?: string }
    }
    const who = user === undefined ? assignee?.name : assignee?.accountId
    if (project.key !== 'OPS' || issuetype.name !== 'Task' || summary.length > 255) return { status: 400, body: {} }
    if (description.length > 32_767) return { status: 400, body: {} }
    if (/\s/.test(labels.join('')) || settings.unknownUsers.includes(who ?? '')) return { status: 400, body: {} }
    if (assignee !== undefined && who === undefined) return { status: 400, body: {} }
    const key = `OPS-${tickets.length + 1}`
    tickets.push({
      reference: key,
      title: summary,
      text: description,
      labels,
      assignees: who === undefined ? [] : [who],
      isClosed: false,
      reason: undefined,
      comments: [],
      updatedAt: 0,
      isDeleted: false,
    })
    return { status: 201, body: { id: '1', key, self: `https://jira.example/${key}` } satisfies CreatedIssue }
  }
  const server = await openTracker(({ method, path, query, headers, body }) => {
    if (headers.authorization !== login) return { status: 401, body: {} }
    if (path === '/rest/api/2/project/OPS') return { status: 200, body: { key: 'OPS' } }
    if (path === `/rest/api/2/search${user === undefined ? '' : '/jql'}`) return search(query)
    if (path === '/rest/api/2/issue' && method === 'POST') return create(body)
    const [, reference, rest = ''] = /^\/rest\/api\/2\/issue\/(OPS-\d+)(?:\/(\w+))?$/.exec(path) ?? []
    const ticket = tickets.find((ticket) => ticket.reference === reference && !ticket.isDeleted)
    if (ticket === undefined) return { status: 404, body: {} }
    if (rest === '') return { status: 200, body: { key: ticket.reference, fields: fieldsOf(ticket) } }
    if (rest === 'comment' && method === 'GET') {
      type WikiComment = Omit<Comment, 'body'> & { body: string }
      const comments: WikiComment[] = ticket.comments.toReversed().map((text) => ({ body: text }))
      return { status: 200, body: { comments, total: comments.length } }
    }
    if (rest === 'comment') {
      ticket.comments.push(body.body)
      return { status: 201, body: { body: body.body } }
    }
    if (method === 'GET') {
      const transitions: IssueTransition[] = settings.offers.map((name) => ({
        id: name,
        name,
        to: { name, statusCategory: { key: categories[name] ?? '' } },
      }))
      return { status: 200, body: { transitions } }
    }
    if (settings.needsField) return { status: 400, body: {} }
    ticket.isClosed = categories[body.transition.id] === 'done'
    ticket.reason = body.transition.id
    return { status: 204 }
  })
  return { ...server, tickets, settings, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}
