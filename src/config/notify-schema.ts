import { z } from 'zod'
import { severities } from '../model/violation.ts'
import { checkFaults, type ValueFault } from '../model/yaml/value-fault.ts'
import { formatNames } from '../report/formats.ts'
import { projectPatterns } from './choose-projects.ts'
import { referenceForms } from './expand-references.ts'

const name = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/, { error: 'letters, digits, `.`, `_` and `-`, at most 100' })
const text = z.string().regex(/^[^\0-\x1f\x7f]{1,200}$/, { error: 'text without line breaks, at most 200 characters' })

const ownerPattern = z.string().regex(/^[^\0-\x1f\x7f]{1,500}$/, {
  error: 'an owner, or a pattern such as `tenant-0*`, at most 500 characters',
})

/** What channels of every type choose by. */
const chosenByAll = {
  name: name.describe('Its name in the log, in metrics and in `hookdrift notify`'),
  projects: projectPatterns.exactOptional(),
  min_severity: z.enum(severities).exactOptional().describe('Only violations of at least this severity'),
  owners: z
    .array(ownerPattern)
    .min(1)
    .max(1000)
    .exactOptional()
    .describe('Only violations of resources whose owner matches: an `owner_id`, or a pattern with `*`'),
}
/** The `labels` of a ticket are its own. */
const chosen = {
  ...chosenByAll,
  labels: z.record(text, text).exactOptional().describe('Only projects with all of these labels'),
}

const url = z.string().refine(isChannelUrl, { error: 'an http or https URL without user, password or fragment' })
const secret = z.string().refine((value) => secretBytes(value) !== undefined, {
  error: '`whsec_` and 16 to 128 bytes in Base64, as `openssl rand -base64 32` makes them',
})
const address = z
  .string()
  .regex(/^[^\s<>()[\]\\,;:"@\0-\x1f\x7f-\uffff]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/, {
    error: 'an address such as `hookdrift@example.com`',
  })
const credential = z
  .string()
  .regex(/^[^\0-\x1f\x7f]{1,1000}$/, { error: 'text without line breaks, at most 1000 characters' })

const trackerToken = z
  .string()
  .regex(/^[\x21-\x7e]{1,1000}$/, { error: 'a token without spaces, at most 1000 characters' })
const githubLabel = z
  .string()
  .regex(/^[^\0-\x1f\x7f,]{1,50}$/, { error: 'a label without commas, at most 50 characters' })
const jiraLabel = z
  .string()
  .regex(/^[^\0-\x20\x7f]{1,255}$/, { error: 'a label without spaces, at most 255 characters' })
const login = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, { error: 'the name of a user, without `@`, at most 100 characters' })
const account = z.string().regex(/^[^\0-\x20\x7f]{1,255}$/, { error: 'a user without spaces, at most 255 characters' })

/** By default as many as the service itself takes. */
const mostCharacters = (most: number) => z.int().min(1000).max(most).default(most)

/** A list of texts, or one for each pattern of owners. */
const forOwners = (value: z.ZodString) => {
  const list = z.array(value).min(1).max(20)
  return z.union([list, z.record(ownerPattern, list)], { error: 'a list, or a mapping of owners to lists' })
}

/** For all, or by patterns of owners. */
export type ForOwners<Value> = Value | Readonly<Record<string, Value>>

const byOwner = 'a list for all, or one for each pattern of owners'

/** Where notifications are sent. */
export const channelSchema = z.discriminatedUnion('type', [
  z.strictObject({ ...chosen, type: z.literal('log') }),
  z.strictObject({
    ...chosen,
    type: z.literal('directory'),
    path: z
      .string()
      .regex(/^[^\0-\x1f\x7f]{1,4096}$/, { error: 'the path of a directory, at most 4096 characters' })
      .describe('The directory of the reports, relative to this file; it is made when it is not there'),
    formats: z
      .array(z.enum(formatNames))
      .min(1)
      .default(['json', 'text'])
      .describe('In which formats reports are written'),
    keep: z.int().min(1).max(1_000_000).default(90).describe('Runs whose reports stay'),
  }),
  z.strictObject({
    ...chosen,
    type: z.literal('webhook'),
    url: url.describe(`A secret; as ${referenceForms}`),
    secret: secret.describe(`Signs the messages, after Standard Webhooks; as ${referenceForms}`),
  }),
  z.strictObject({
    ...chosen,
    type: z.literal('slack'),
    url: url.describe('An incoming webhook of Slack or of a compatible service; a secret'),
    // Slack cuts a message that is longer: https://docs.slack.dev/changelog/2018-truncating-really-long-messages
    max_characters: mostCharacters(40_000).describe('The most that a compatible service takes in one message'),
  }),
  z.strictObject({
    ...chosen,
    type: z.literal('teams'),
    url: url.describe('The address of a workflow of Microsoft Teams that posts what it receives; a secret'),
  }),
  z.strictObject({
    ...chosen,
    type: z.literal('pagerduty'),
    routing_key: z
      .string()
      .regex(/^[A-Za-z0-9]{32}$/, {
        error: 'the integration key of an Events API v2 integration: 32 letters and digits',
      })
      .describe(`The integration key of an Events API v2 integration, a secret; as ${referenceForms}`),
    url: url
      .default('https://events.pagerduty.com')
      .describe('The Events API; in the EU region https://events.eu.pagerduty.com'),
  }),
  z.strictObject({
    ...chosenByAll,
    type: z.literal('github_issue'),
    repository: z
      .string()
      .regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,98}[A-Za-z0-9])?\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, {
        error: 'a repository such as acme/payments',
      })
      .describe('Where issues are opened, such as acme/payments'),
    token: trackerToken.describe(`Of an account that may write issues and set labels, a secret; as ${referenceForms}`),
    labels: forOwners(githubLabel).exactOptional().describe(`Labels of the issues besides \`hookdrift\`: ${byOwner}`),
    assignees: forOwners(login).exactOptional().describe(`Who the issues are assigned to: ${byOwner}`),
    api_url: url
      .default('https://api.github.com')
      .describe('The REST API; of GitHub Enterprise Server https://HOST/api/v3'),
  }),
  z.strictObject({
    ...chosenByAll,
    type: z.literal('jira'),
    url: url.describe('The address of the site, such as https://acme.atlassian.net'),
    project: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_]{0,254}$/, { error: 'the key of a project, such as OPS' })
      .describe('The key of the project in which issues are opened'),
    user: z
      .string()
      .regex(/^[^\s:\0-\x1f\x7f-\uffff]{1,255}$/, { error: 'the address of an account, without a colon' })
      .exactOptional()
      .describe('In Jira Cloud, the address of the account that the token is of; absent in Jira Data Center'),
    token: trackerToken.describe(
      `An API token, in Jira Data Center a personal access token; a secret; as ${referenceForms}`,
    ),
    issue_type: text.default('Task').describe('The type of the issues'),
    max_characters: mostCharacters(30_000).describe('The most that the site takes in a text'),
    labels: forOwners(jiraLabel).exactOptional().describe(`Labels of the issues besides \`hookdrift\`: ${byOwner}`),
    assignee: z
      .union([account, z.record(ownerPattern, account)], { error: 'a user, or a mapping of owners to users' })
      .exactOptional()
      .describe('Who the issues are assigned to: the account id in Jira Cloud, or the user name; for all or by owner'),
  }),
  z
    .strictObject({
      ...chosen,
      type: z.literal('email'),
      smtp: z
        .string()
        .refine((value) => smtpServer(value) !== undefined, {
          error:
            '`smtp://HOST:PORT` or `smtps://HOST:PORT`, with `USER:PASSWORD@` before the host if the server requires it',
        })
        .describe('The mail server; with credentials, only over TLS'),
      user: credential.exactOptional().describe('The user at the mail server, in place of one in `smtp`'),
      password: credential.exactOptional().describe(`A secret; as ${referenceForms}`),
      from: address.describe('The address of the sender'),
      to: z.array(address).min(1).max(100).describe('The addresses of the receivers'),
    })
    .check(checkFaults(findLoginFault)),
])

export type DecodedChannel = z.output<typeof channelSchema>

/** A channel that opens a ticket for each incident. */
export type TicketChannel = Extract<DecodedChannel, { type: 'github_issue' | 'jira' }>

export function opensTickets(channel: DecodedChannel): channel is TicketChannel {
  return channel.type === 'github_issue' || channel.type === 'jira'
}

/** The address of a receiver that is reached over HTTP, and the member that has it. */
export function httpAddress(
  channel: DecodedChannel,
): { readonly member: 'url' | 'api_url'; readonly url: string } | undefined {
  if ('api_url' in channel) return { member: 'api_url', url: channel.api_url }
  return 'url' in channel ? { member: 'url', url: channel.url } : undefined
}

/** Whether the address in a member is a secret itself: who knows it may send, where nothing else says who sends. */
export function isSecretAddress(channel: DecodedChannel, member: unknown): boolean {
  if (channel.type === 'email') return member === 'smtp' && smtpServer(channel.smtp)?.password !== undefined
  return member === 'url' && !('token' in channel || 'routing_key' in channel)
}

/** Members of a channel that messages may show; all others may be secret. */
const publicMembers: ReadonlySet<unknown> = new Set([
  ...Object.keys(chosen),
  ...['type', 'path', 'formats', 'keep', 'from', 'to'],
  ...['repository', 'assignees', 'api_url', 'project', 'issue_type', 'assignee', 'max_characters'],
])

/** Whether a path of the configuration is a secret of a channel. */
export function isChannelSecret(path: readonly (string | number)[]): boolean {
  return path[0] === 'notify' && !publicMembers.has(path[2])
}

/** The host in the place of a secret that is not there. */
export const unsetHost = 'unset.invalid'

/** Takes the place of a secret of a channel that is not used: it has the form of one. */
export function unsetSecret(member: unknown): string {
  if (member === 'url') return `https://${unsetHost}`
  if (member === 'smtp') return `smtp://${unsetHost}`
  if (member === 'secret') return `whsec_${'0'.repeat(32)}`
  return '0'.repeat(32)
}

/** A channel without its secrets, for the digest of a configuration. */
export function channelWithoutSecrets(channel: DecodedChannel): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(channel).map(([member, value]) => [member, publicMembers.has(member) ? value : 'secret']),
  )
}

/** The bytes of a secret; undefined if it is not one of Standard Webhooks. */
export function secretBytes(value: string): Buffer | undefined {
  const base64 = value.replace(/^whsec_/, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  const bytes = Buffer.from(base64, 'base64')
  const isWhole = bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '')
  return isWhole && bytes.length >= 16 && bytes.length <= 128 ? bytes : undefined
}

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. */
  readonly isSecure: boolean
  readonly user: string | undefined
  readonly password: string | undefined
}

export function smtpServer(value: string): SmtpServer | undefined {
  const url = /[\s\0-\x1f\x7f]/.test(value) ? null : URL.parse(value)
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol)) return undefined
  if (url.hostname === '' || !['', '/'].includes(url.pathname) || /[?#]/.test(value)) return undefined
  const isSecure = url.protocol === 'smtps:'
  try {
    const part = (text: string) => (text === '' ? undefined : decodeURIComponent(text))
    const [user, password] = [part(url.username), part(url.password)]
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    return { host, port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port), isSecure, user, password }
  } catch {
    return undefined
  }
}

function* findLoginFault(channel: {
  readonly smtp: string
  readonly user?: string
  readonly password?: string
}): Generator<ValueFault> {
  const server = smtpServer(channel.smtp)
  const user = channel.user ?? server?.user
  const password = channel.password ?? server?.password
  if ((user === undefined) === (password === undefined) || server?.host === unsetHost) return
  const text = `a ${user === undefined ? 'password without a user' : 'user without a password'}`
  yield { path: ['smtp'], say: () => text }
}

function isChannelUrl(value: string): boolean {
  const url = URL.parse(value)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false
  return url.username === '' && url.password === '' && !/[#\s\0-\x1f]/.test(value)
}
