import { z } from 'zod'
import { urlScheme } from '../history/location.ts'
import { keepNothing, keepsSomething, type RetentionRules, readSpan } from '../history/retention.ts'
import type { NodePath } from '../yaml/node-values.ts'
import type { FileLimits } from '../yaml/parse-yaml.ts'
import { dialectSchema } from './dialect-schema.ts'
import { referenceForms } from './expand-references.ts'
import { hostsSchema, listenSchema } from './listen-schema.ts'
import { channelSchema, isChannelSecret, unsetSecret } from './notify-schema.ts'
import { projectPatterns } from './project-patterns.ts'
import { serveSchema } from './serve-schema.ts'

const named = 'letters, digits, `.`, `_` and `-`, a letter, digit or `_` first, at most 200'
const name = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/, { error: named })

const path = z.string().regex(/^[^\0-\x1f\x7f]{1,4096}$/, { error: 'the path of a file, at most 4096 characters' })

const filter = z.string().regex(/^[^\0-\x1f\x7f]{1,1000}$/, {
  error: 'text that is not empty, without control characters, at most 1000 of others',
})

const key = z.string().regex(/^[\x21-\x7e]{1,4096}$/, { error: expectedKey })

const label = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/, {
  error: 'letters, digits, `.`, `_`, `-` and `/`, a letter or digit first, at most 100',
})

const offer = z.enum(['auto', 'required', 'off'])

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const sizeUnits: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  kB: 1000,
  KB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
}

const limits = z.strictObject({
  connect_timeout: duration({ from: '1ms', to: '10m' }).prefault('5s').describe('Until the connection is open'),
  page_timeout: duration({ from: '1ms', to: '1h' })
    .prefault('30s')
    .describe('For one whole page, to the last byte of the answer'),
  retries: z.int().min(0).max(100).default(4).describe('Further tries of one request after the first'),
  retry_budget: duration({ from: '0s', to: '24h' })
    .prefault('60s')
    .describe(
      "For all waiting between tries of one project's walks, together; a one-shot `audit` gives up a host that it never reached after 5 s",
    ),
  filters_per_run: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(2000)
    .describe('Subscriptions of a project whose filter rows a run reads, the others in their turn'),
  filters_at_once: z.int().min(1).max(64).default(4).describe('Requests for filter rows that are sent at once'),
  max_pages: z.int().min(1).max(10_000_000).default(100_000).describe('Of one walk; a longer one breaks off'),
  walks: z
    .int()
    .min(1)
    .max(1000)
    .exactOptional()
    .describe('Projects of the service that all workers with `shared: true` scan at once. Default: `concurrency`'),
  max_body: size({ from: '1KiB', to: '256MiB' }).prefault('32MiB').describe('Of one answer; a larger one is refused'),
})

const filters = z.strictObject({
  endpoints: z
    .strictObject({
      owner: filter.exactOptional().describe("Only this owner's endpoints"),
      name: filter.exactOptional().describe('Only endpoints with this in their name'),
    })
    .exactOptional(),
  subscriptions: z
    .strictObject({
      name: filter.exactOptional().describe('Only subscriptions with this in their name'),
      endpoints: z
        .array(filter)
        .min(1)
        .max(1000)
        .exactOptional()
        .describe('Only subscriptions of these endpoints, by uid; at most 1000'),
    })
    .exactOptional(),
})

const oneProject = '{ id: 01M7XVZ2T417WGWM74AAK885VQ, name: payments }'

const labels = z
  .record(
    label,
    z.string().regex(/^[^\0-\x1f\x7f]{0,200}$/, { error: 'text without line breaks, at most 200 characters' }),
  )
  .default({})
  .describe("For the policy's selectors")

const project = z.strictObject(
  {
    id: name.describe("The service's identifier of the project"),
    name: name.exactOptional().describe('Shown as service/name. Default: the id'),
    key: key.exactOptional().describe(`The project's key, as ${referenceForms}. Default: the service's`),
    labels,
    filters: filters.default({}).describe('Narrow the scan; filtered-out resources are not audited'),
  },
  { error: ({ code }) => (code === 'invalid_type' ? `a mapping such as ${oneProject}` : undefined) },
)

const matched = z.strictObject({
  match: z
    .string()
    .regex(/^[A-Za-z0-9_*][A-Za-z0-9._*-]{0,199}$/, {
      error: 'a pattern of names such as pay*: letters, digits, `.`, `_`, `-` and `*` for any text, at most 200',
    })
    .describe("Projects of the service's list by their name or id; `*` is any text. The first entry that fits counts"),
  labels,
})

/** The host is fixed and has no credentials before it: values come from a service, and must not choose where it leads. */
const form =
  /^https?:\/\/(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?(?:[/?#][\w.~:/?#[\]@!$&'()*+,;=%{}-]{0,1700})?$/
const placeholder = /\{([^{}]{1,60})\}/g

/** An address with placeholders such as `{uid}`; `check-configuration.ts` checks which. */
export const linkTemplate = z.string().refine(isTemplate, {
  error: 'an http or https URL without user and password, with placeholders in braces behind the host only',
})

const service = z.strictObject({
  name: name.describe('Precedes the project in every report: acme/payments'),
  url: z
    .string()
    .refine(isServiceUrl, { error: 'an http or https URL without user, password, query or fragment' })
    .transform(withoutSlash)
    .describe("Base URL; the contract's paths are appended"),
  key: key.exactOptional().describe(`For all projects without one of their own, as ${referenceForms}`),
  page_size: z.int().min(1).max(100_000).default(1000).describe('Items requested per page'),
  listings: z
    .strictObject({
      sources: offer.default('auto').describe('The list of sources: used where offered, required, or never requested'),
      project: offer
        .default('auto')
        .describe("The project's own settings: used where offered, required, or never requested"),
      filters: offer
        .default('auto')
        .describe(
          'Filter rows of subscriptions: read where offered, of `limits.filters_per_run` in a run; all of them in every run; or never',
        ),
      event_types: offer
        .default('auto')
        .describe("The catalogue of the project's event types: used where offered, required, or never requested"),
    })
    .prefault({})
    .describe('Listings beyond endpoints and subscriptions, which are always read'),
  limits: limits.prefault({}).describe('Timeouts, retries and sizes'),
  ca_file: path.exactOptional().describe('PEM file with further certificate authorities to trust'),
  dialect: dialectSchema.prefault({}),
  ui_url: linkTemplate
    .exactOptional()
    .describe('Where the gateway shows a resource of this service, as above. Default: the one above'),
  organisation: name
    .exactOptional()
    .describe(
      'Whose projects are listed, by its identifier in the service. Default: the organisation of the first project below that answers',
    ),
  projects: z
    .union(
      [
        z.literal('all'),
        z
          .array(z.union([project, matched], { error: `a mapping such as ${oneProject}` }))
          .min(1, { error: `all, or at least one project, such as - ${oneProject}` })
          .max(50_000),
      ],
      { error: `all, or at least one project, such as - ${oneProject}` },
    )
    .describe('Every project of the organisation, or those that the entries name and match'),
})

/** Large enough for the projects of a large fleet, which a program may have written. */
export const configurationLimits: FileLimits = { mebibytes: 8, tokens: 2_000_000 }

const runTimeout = duration({ from: '1s', to: '24h' })

const count = z.union([z.int().min(0).max(999_999_999), z.literal('unlimited')], {
  error: 'a whole number from 0 to 999999999, or `unlimited`',
})

/** The option names of `hookdrift prune`, which are restic's. */
const retentionSchema = z
  .strictObject({
    keep_last: count.exactOptional().describe('The last runs'),
    keep_hourly: count.exactOptional().describe('The last run of each of the last hours that have one'),
    keep_daily: count.exactOptional().describe('Of each of the last days'),
    keep_weekly: count.exactOptional().describe('Of each of the last weeks'),
    keep_monthly: count.exactOptional().describe('Of each of the last months'),
    keep_yearly: count.exactOptional().describe('Of each of the last years'),
    keep_within: z
      .string()
      .refine((text) => readSpan(text) !== undefined, {
        error: 'years, months, days and hours, such as `14d` or `1y6m`',
      })
      .exactOptional()
      .describe('All runs within this time before the newest'),
  })
  .refine((words) => keepsSomething(keepOf(words)), { error: 'something to keep, such as `keep_daily: 30`' })

const workerSchema = z.strictObject({
  listen: listenSchema.exactOptional().describe('The address of /healthz, /readyz and /metrics. Default: none'),
  hosts: hostsSchema.exactOptional(),
  pages: z
    .boolean()
    .exactOptional()
    .describe('Serve the pages at `listen` too, to the readers that `serve` names. Default: false'),
  shared: z
    .boolean()
    .exactOptional()
    .describe(
      'Share all runs with the other workers of the history, which must be on a PostgreSQL server. Default: false',
    ),
  slots: z
    .int()
    .min(1)
    .max(256)
    .exactOptional()
    .describe('Projects that a worker with `shared: true` scans at once. Default: 16'),
  services: z
    .array(z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/, { error: 'the name of a service' }))
    .min(1)
    .max(1000)
    .exactOptional()
    .describe('Services whose projects a worker with `shared: true` scans. Default: all'),
})

const scheduleName = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/, { error: 'letters, digits, `.`, `_` and `-`, at most 100' })

/** The worker checks whether a pattern and a zone make a timetable: see `check-configuration.ts`. */
const scheduleSchema = z.strictObject({
  name: scheduleName.describe('Its name in the log and in metrics'),
  cron: z
    .string()
    .regex(/^[^\0-\x1f\x7f]{1,200}$/, {
      error: 'five fields (minute hour day month weekday), or six with seconds first, at most 200 characters',
    })
    .describe('Five fields: minute, hour, day, month, weekday; or six, with seconds first'),
  timezone: z
    .string()
    .regex(/^[A-Za-z0-9_+/-]{1,64}$/, { error: 'a time zone such as Europe/Berlin, at most 64 characters' })
    .default('UTC')
    .describe('The zone whose clock the pattern reads, such as Europe/Berlin'),
  jitter: duration({ from: '0s', to: '24h' })
    .prefault('0s')
    .describe('Each run begins up to this much later, at random, so that workers do not all send requests at once'),
  projects: projectPatterns.exactOptional(),
  probes: z.boolean().default(true).describe('Whether its runs run the probes of the policy'),
  run_on_start: z.boolean().default(false).describe('Run once when the worker starts'),
  run_timeout: runTimeout.exactOptional().describe("For this schedule's runs. Default: the configuration's"),
})

/** The file `hookdrift.yaml` as a person writes it: every member of the outer contract, once. */
export const configurationSchema = z.strictObject({
  history: path
    .refine((text) => /^(?:postgres(?:ql)?)?$/i.test(urlScheme(text) ?? ''), {
      error: 'the path of a file, or postgres://HOST/DATABASE',
      abort: true,
    })
    .default('./hookdrift.db')
    .describe(
      'The SQLite file, or postgres://USER@HOST/DATABASE for many machines; $HOOKDRIFT_HISTORY and --history override it',
    ),
  seal_key: z
    .string()
    .regex(/^[\x21-\x7e]{32,4096}$/, { error: '32 to 4096 visible ASCII characters without blanks or line breaks' })
    .exactOptional()
    .describe(
      `The installation key, which seals secrets, as ${referenceForms}; $HOOKDRIFT_SEAL_KEY overrides it. Default: the file hookdrift.key next to the history; a history on a server needs a given one`,
    ),
  policy: path.exactOptional().describe('The policy file. Default: the recommended rules'),
  company: z
    .string()
    .regex(/^(?! )[^\0-\x1f\x7f]{1,200}(?<! )$/, { error: 'text without line breaks, at most 200 characters' })
    .exactOptional()
    .describe('Whose webhooks these are, as reports by control name it. Default: a line to write on'),
  concurrency: z.int().min(1).max(64).default(4).describe('Projects read at once'),
  run_timeout: runTimeout
    .prefault('1h')
    .describe(
      'For one whole run; listings not finished by then are partial, and the run is committed. A schedule may set its own',
    ),
  retention: retentionSchema
    .exactOptional()
    .describe('Which runs to keep when old ones are pruned after a run, at most once a day. Default: all'),
  serve: serveSchema.exactOptional(),
  worker: workerSchema.exactOptional(),
  schedules: z.array(scheduleSchema).max(100).default([]).describe('When `hookdrift worker` audits which projects'),
  notify: z.array(channelSchema).max(100).default([]).describe('Who is notified of changes'),
  ui_url: linkTemplate
    .exactOptional()
    .describe(
      'Where the gateway itself shows a resource, for links in notifications and HTML reports: an address with {service}, {project}, {project_id}, {kind}, {listing} and {uid}',
    ),
  report_url: linkTemplate
    .exactOptional()
    .describe(
      'Where the HTML report of a run is published, for links in notifications: an address with {run}, {directory} (such as run-000017) and {fingerprint}',
    ),
  services: z.array(service).min(1).max(1000),
})

export type DecodedConfiguration = z.output<typeof configurationSchema>
export type DecodedService = DecodedConfiguration['services'][number]
export type DecodedProject = z.output<typeof project>
type DecodedMatch = z.output<typeof matched>

/**
 * The JSON schema for editors, as in `config/hookdrift.schema.json`. Editors see unexpanded references, so it must
 * accept a text with one even if the text has a pattern; names of members have no references.
 */
export function configurationJsonSchema() {
  const schema = z.toJSONSchema(configurationSchema, {
    io: 'input',
    override: ({ jsonSchema, path }) => {
      if (jsonSchema.pattern !== undefined && path.at(-1) !== 'propertyNames') jsonSchema.pattern += '|\\$\\{'
    },
  })
  return { title: 'hookdrift.yaml', ...schema }
}

type Words = Readonly<Partial<Record<`keep_${Exclude<keyof RetentionRules, 'within'>}`, number | 'unlimited'>>> & {
  readonly keep_within?: string
}

/** Which runs to keep, and the words of the configuration for the record. */
export interface Retention {
  readonly keep: RetentionRules
  readonly options: Readonly<Record<string, number | string>>
}

export function retentionOf(words: Words): Retention {
  return { keep: keepOf(words), options: { ...words } }
}

/** What the address of a published report may name. */
export const reportPlaceholders = ['run', 'directory', 'fingerprint'] as const

function isTemplate(text: string): boolean {
  return (
    form.test(text) && !/[{}]/.test(text.replace(placeholder, '')) && URL.parse(text.replace(placeholder, 'x')) !== null
  )
}

type Projects = Pick<DecodedService, 'projects'>

/** The projects that a service names, each with its place among the entries. */
export function namedProjects({ projects }: Projects): readonly (readonly [place: number, project: DecodedProject])[] {
  if (projects === 'all') return []
  return [...projects.entries()].flatMap(([place, entry]) => ('id' in entry ? [[place, entry] as const] : []))
}

/** What a service takes from its list of projects, likewise; empty where it names all its projects. */
export function matchedProjects({
  projects,
}: Projects): readonly (readonly [place: number | undefined, match: DecodedMatch])[] {
  if (projects === 'all') return [[undefined, { match: '*', labels: {} }]]
  return [...projects.entries()].flatMap(([place, entry]) => ('match' in entry ? [[place, entry] as const] : []))
}

/** Whether a service's list decides which of its projects are audited. */
export function isDiscovered(service: Projects): boolean {
  return matchedProjects(service).length > 0
}

/** Whether no message and no command may show the value at a path of the configuration. */
export function isSecretPath(path: NodePath): boolean {
  if (path.includes('key') || path.includes('seal_key') || path.includes('headers')) return true
  return isServeSecret(path) || isChannelSecret(path)
}

/** Whether it is the token of a reader of the pages. */
export function isServeSecret(path: NodePath): boolean {
  return path[0] === 'serve' && path.at(-1) === 'token'
}

/** Takes the place of a secret that is not used: it has the form of one. */
export function secretPlaceholder(path: NodePath): string {
  // Two tokens must differ.
  if (isServeSecret(path)) return path.join('.').padStart(32, '0')
  return isChannelSecret(path) ? unsetSecret(path[2]) : '0'.repeat(32)
}

interface Range {
  /** As a person would write them. */
  readonly from: string
  readonly to: string
}

/** A duration such as `500ms`, `5s`, `2m` or `1h`, decoded to milliseconds. */
function duration({ from, to }: Range) {
  const error = `a duration such as \`5s\`, from ${from} to ${to} (units ms, s, m, h)`
  const [least, most] = [durationMs(from), durationMs(to)]
  return z
    .string({ error })
    .regex(/^\d{1,12}(?:\.\d{1,6})?(?:ms|s|m|h)$/, { error, abort: true })
    .refine((text) => durationMs(text) >= least && durationMs(text) <= most, { error })
    .transform(durationMs)
}

function durationMs(text: string): number {
  const [, amount, unit] = /^([\d.]+)([a-z]+)$/.exec(text) ?? []
  return Math.round(Number(amount) * (durationUnits[unit ?? ''] ?? Number.NaN))
}

/** A size such as `32MiB`, `10MB` or plain bytes, decoded to bytes. */
function size({ from, to }: Range) {
  const error = `a size such as \`32MiB\`, from ${from} to ${to}`
  const [least, most] = [sizeBytes(from), sizeBytes(to)]
  const text = z.string().regex(/^\d{1,15} ?(?:B|kB|KB|KiB|MB|MiB|GB|GiB)?$/, { error })
  return z
    .union([text, z.int()], { error })
    .refine((value) => sizeBytes(value) >= least && sizeBytes(value) <= most, { error })
    .transform(sizeBytes)
}

function sizeBytes(value: string | number): number {
  const [, amount, unit] = /^(-?\d+) ?([A-Za-z]*)$/.exec(String(value)) ?? []
  return Number(amount) * (sizeUnits[unit ?? ''] ?? Number.NaN)
}

/** Says what is wrong with a key without showing it. */
function expectedKey({ input }: { readonly input?: unknown }): string {
  const expected = 'visible ASCII characters without blanks or line breaks, at most 4096'
  if (typeof input !== 'string') return expected
  if (/^bearer\s/i.test(input)) return 'the key alone: leave `Bearer` out, it is sent before the key'
  return input !== input.trim() ? 'no blank or line break before or after the key: remove it' : expected
}

function isServiceUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false
  // An empty query or fragment leaves no trace in the parsed URL.
  return url.username === '' && url.password === '' && !/[?#@\s\0-\x1f]/.test(text)
}

function withoutSlash(text: string): string {
  return new URL(text).href.replace(/\/+$/, '')
}

function keepOf({ keep_within, ...words }: Words): RetentionRules {
  const counts = Object.entries(words).map(([name, value]) => [
    name.replace('keep_', ''),
    value === 'unlimited' ? Number.POSITIVE_INFINITY : value,
  ])
  return { ...keepNothing, ...Object.fromEntries(counts), within: keep_within && readSpan(keep_within) }
}
