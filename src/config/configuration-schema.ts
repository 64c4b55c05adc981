import { z } from 'zod'
import { defaultDialect } from '../gateway/service/dialect.ts'
import { withoutCredentials } from '../gateway/service/foreign-text.ts'
import { readLocation, urlScheme } from '../history/location.ts'
import { keepNothing, keepsSomething, type RetentionRules, readSpan } from '../history/retention.ts'
import { AuditError } from '../model/errors.ts'
import { policyService } from '../model/resource.ts'
import { placeholdersIn, uiPlaceholders } from '../model/resource-link.ts'
import { holdsCredential, isSecretName } from '../model/secrets/known-secrets.ts'
import { suggestName } from '../model/text/nearest-name.ts'
import { describeName, describeReference, describeText } from '../model/yaml/describe-value.ts'
import type { NodePath } from '../model/yaml/node-values.ts'
import type { FileLimits } from '../model/yaml/parse-yaml.ts'
import { checkFaults, findRepeats, type ValueFault } from '../model/yaml/value-fault.ts'
import { baseOf, matchesProject, projectPatterns } from './choose-projects.ts'
import { dialectSchema, findHeadersTwice } from './dialect-schema.ts'
import { referenceForms, referenceIn, withoutReferences } from './expand-references.ts'
import { channelSchema, isChannelSecret, opensTickets, unsetSecret } from './notify-schema.ts'
import { findUnguarded, hostsSchema, listenSchema, serveSchema } from './serve-schema.ts'

const named = 'letters, digits, `.`, `_` and `-`, a letter, digit or `_` first, at most 200'
const name = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/, { error: named })

const path = z.string().regex(/^[^\0-\x1f\x7f]{1,4096}$/, { error: 'the path of a file, at most 4096 characters' })

const filter = z.string().regex(/^[^\0-\x1f\x7f]{1,1000}$/, {
  error: 'text that is not empty, without control characters, at most 1000 of others',
})

const key = z
  .string()
  .regex(/^[\x21-\x7e]{1,4096}$/, { error: expectedKey })
  .check(checkFaults(findQuotes))

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
  connect_timeout: duration({ from: '1ms', to: '10m' })
    .prefault('5s')
    .describe('How long the connection may take to open'),
  page_timeout: duration({ from: '1ms', to: '1h' })
    .prefault('30s')
    .describe('How long one page may take, to the last byte of the answer'),
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
  deliveries_per_question: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(20_000)
    .describe(
      'Deliveries and events of a project that one `hookdrift impact` reads at most, each; of more, none are counted',
    ),
  max_pages: z
    .int()
    .min(1)
    .max(10_000_000)
    .default(100_000)
    .describe('The most pages of one walk; a longer one breaks off'),
  walks: z
    .int()
    .min(1)
    .max(1000)
    .exactOptional()
    .describe('Projects of the service that all workers with `shared: true` scan at once. Default: `concurrency`'),
  max_body: size({ from: '1KiB', to: '256MiB' })
    .prefault('32MiB')
    .describe('The most bytes of one answer; a larger one is refused'),
})

const filters = z.strictObject({
  endpoints: z
    .strictObject({
      owner: filter.exactOptional().describe("Only this owner's endpoints"),
      name: filter.exactOptional().describe('Only endpoints with this in their name'),
    })
    .exactOptional()
    .describe('Which endpoints are listed'),
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
    .exactOptional()
    .describe('Which subscriptions are listed'),
})

/** Finds a secret in a text that the history keeps and reports repeat. */
function* findCredential(text: string): Generator<ValueFault> {
  if (holdsCredential(text)) yield { path: [], say: () => 'a secret is in this text, which reports show: leave it out' }
}

const oneProject = '{ id: 01M7XVZ2T417WGWM74AAK885VQ, name: payments }'

const labels = z
  .record(
    label,
    z
      .string()
      .regex(/^[^\0-\x1f\x7f]{0,200}$/, { error: 'text without line breaks, at most 200 characters' })
      .check(checkFaults(findCredential)),
  )
  .default({})
  .describe('Labels by which the policy and `notify` choose projects')

const project = z.strictObject(
  {
    id: name.describe("The service's identifier of the project"),
    name: name.exactOptional().describe('The name of the project, shown as service/name. Default: the id'),
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

/** What the address of a published report may name. */
const reportPlaceholders = ['run', 'directory', 'fingerprint'] as const

/** An address with placeholders such as `{uid}`. */
export const linkTemplate = z.string().refine(isTemplate, {
  error: 'an http or https URL without user and password, with placeholders in braces behind the host only',
})

function linkWith(placeholders: readonly string[]) {
  return linkTemplate
    .check(checkFaults((template) => findUnknownPlaceholders(template, placeholders)))
    .check(checkFaults(findCredential))
}

const service = z
  .strictObject({
    name: name.describe(
      'The name of the service, before that of the project in every report: acme/payments. Under another one, its projects begin anew in the history',
    ),
    url: z
      .string()
      .refine(isServiceUrl, { error: 'an http or https URL without user, password, query or fragment' })
      .transform(withoutSlash)
      .describe("The base URL of the service's API, without /api/v1"),
    key: key.exactOptional().describe(`For all projects without one of their own, as ${referenceForms}`),
    page_size: z.int().min(1).max(100_000).default(1000).describe('Items requested per page'),
    listings: z
      .strictObject({
        sources: offer
          .default('auto')
          .describe('The list of sources: used where offered, required, or never requested'),
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
        licence: z
          .enum(['auto', 'off'])
          .default('auto')
          .describe(
            "What the service's licence has, from its dashboard and without a key, once in a run: used where offered, or never requested",
          ),
      })
      .prefault({})
      .describe('Listings beyond endpoints and subscriptions, which are always read'),
    limits: limits.prefault({}).describe('Timeouts, retries and sizes'),
    ca_file: path.exactOptional().describe('PEM file with further certificate authorities to trust'),
    dialect: dialectSchema.check(checkFaults(findHeadersTwice)).prefault({}),
    ui_url: linkWith(uiPlaceholders)
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
  .check(checkFaults(findServiceFaults))

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
    keep_daily: count.exactOptional().describe('As keep_hourly, of days'),
    keep_weekly: count.exactOptional().describe('As keep_hourly, of weeks'),
    keep_monthly: count.exactOptional().describe('As keep_hourly, of months'),
    keep_yearly: count.exactOptional().describe('As keep_hourly, of years'),
    keep_within: z
      .string()
      .refine((text) => readSpan(text) !== undefined, {
        error: 'years, months, days and hours, such as `14d` or `1y6m`',
      })
      .exactOptional()
      .describe('All runs within this time before the newest: years, months, days and hours, such as 14d or 1y6m'),
  })
  .refine((words) => keepsSomething(keepOf(words)), { error: 'something to keep, such as `keep_daily: 30`' })

const workerSchema = z
  .strictObject({
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
  .check(checkFaults(findWorkerFaults))

const scheduleName = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/, { error: 'letters, digits, `.`, `_` and `-`, at most 100' })

/** Whether a pattern and a zone make a timetable is checked by what the worker has for it: see `FindTimetableFault`. */
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
  run_timeout: runTimeout
    .exactOptional()
    .describe("How long one run of this schedule may take. Default: the configuration's"),
})

const configurationMembers = {
  history: path
    .refine((text) => /^(?:postgres(?:ql)?)?$/i.test(urlScheme(text) ?? ''), {
      error: 'the path of a file, or postgres://HOST/DATABASE',
      abort: true,
    })
    .check(checkFaults(findHistoryFault))
    .default('./hookdrift.db')
    .describe(
      'The SQLite file, or postgres://USER@HOST/DATABASE for many machines; $HOOKDRIFT_HISTORY and --history override it',
    ),
  seal_key: z
    .string()
    .regex(/^[\x21-\x7e]{32,4096}$/, { error: '32 to 4096 visible ASCII characters without spaces or line breaks' })
    .exactOptional()
    .describe(
      `The installation key, which seals secrets, as ${referenceForms}; $HOOKDRIFT_SEAL_KEY overrides it. Default: the file hookdrift.key next to the history; a history on a server needs a given one`,
    ),
  policy: path.exactOptional().describe('The policy file. Default: the recommended rules'),
  company: z
    .string()
    .regex(/^(?! )[^\0-\x1f\x7f]{1,200}(?<! )$/, { error: 'text without line breaks, at most 200 characters' })
    .check(checkFaults(findCredential))
    .exactOptional()
    .describe('Whose webhooks these are, as reports by control name it. Default: a line to write on'),
  concurrency: z.int().min(1).max(64).default(4).describe('Projects read at once'),
  run_timeout: runTimeout
    .prefault('1h')
    .describe(
      'How long one whole run may take; listings not finished by then are partial, and the run is committed. A schedule may set its own',
    ),
  retention: retentionSchema
    .exactOptional()
    .describe('Which runs to keep when old ones are pruned after a run, at most once a day. Default: all'),
  serve: serveSchema.exactOptional(),
  worker: workerSchema.exactOptional(),
  schedules: z.array(scheduleSchema).max(100).default([]).describe('When `hookdrift worker` audits which projects'),
  notify: z.array(channelSchema).max(100).default([]).describe('Who is notified of changes'),
  ui_url: linkWith(uiPlaceholders)
    .exactOptional()
    .describe(
      'Where the gateway itself shows a resource, for links in notifications and HTML reports: an address with {service}, {project}, {project_id}, {kind}, {listing} and {uid}',
    ),
  report_url: linkWith(reportPlaceholders)
    .exactOptional()
    .describe(
      'Where the HTML report of a run is published, for links in notifications: an address with {run}, {directory} (such as run-000017) and {fingerprint}',
    ),
  services: z.array(service).min(1).max(1000),
}

/** The file `hookdrift.yaml` as a person writes it: every member of the outer contract, once. */
export const configurationSchema = z.strictObject(configurationMembers).check(checkFaults(findContradictions))

/** The same for what is left of a file without its faulty parts. */
export const partialSchema = z
  .strictObject({ ...configurationMembers, services: z.array(service).max(1000).default([]) })
  .check(checkFaults(findContradictions))

export type DecodedConfiguration = z.output<typeof configurationSchema>
export type DecodedService = DecodedConfiguration['services'][number]
export type DecodedProject = z.output<typeof project>
type DecodedMatch = z.output<typeof matched>
type DecodedWorker = z.output<typeof workerSchema>

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

function isTemplate(text: string): boolean {
  return (
    form.test(text) && !/[{}]/.test(text.replace(placeholder, '')) && URL.parse(text.replace(placeholder, 'x')) !== null
  )
}

type Projects = Pick<DecodedService, 'projects'>

/** The projects that a service names, each with its index among the entries. */
export function namedProjects({ projects }: Projects): readonly (readonly [index: number, project: DecodedProject])[] {
  if (projects === 'all') return []
  return [...projects.entries()].flatMap(([index, entry]) => ('id' in entry ? [[index, entry] as const] : []))
}

/** What a service takes from its list of projects, likewise; empty where it names all its projects. */
export function matchedProjects({
  projects,
}: Projects): readonly (readonly [index: number | undefined, match: DecodedMatch])[] {
  if (projects === 'all') return [[undefined, { match: '*', labels: {} }]]
  return [...projects.entries()].flatMap(([index, entry]) => ('match' in entry ? [[index, entry] as const] : []))
}

/** Whether a service's list decides which of its projects are audited. */
export function isDiscovered(service: Projects): boolean {
  return matchedProjects(service).length > 0
}

/** The base URL that was meant where a URL contains the prefix of the contract's paths; undefined where it does not. */
export function baseBefore(prefix: string, url: string): string | undefined {
  const { origin, pathname } = new URL(url)
  const at = prefix === '' ? -1 : `${pathname}/`.indexOf(`${prefix}/`)
  return at < 0 ? undefined : origin + pathname.slice(0, at)
}

/** The first ten names. */
export function someOf(names: readonly string[]): string {
  const firstNames = names.slice(0, 10).join(', ')
  return names.length > 10 ? `${firstNames} and ${names.length - 10} more` : firstNames
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

/** Whether it is a key, a token or a password: a secret wherever it is repeated. An address or a header need not be. */
export function isKeyPath(path: NodePath): boolean {
  const name = String(path.at(-1))
  if (!isSecretPath(path) || path.includes('labels')) return false
  return /^(?:routing_|seal_)?key$/.test(name) || isSecretName(name)
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
  const expected = 'visible ASCII characters without spaces or line breaks, at most 4096'
  if (typeof input !== 'string') return expected
  if (/^bearer\s/i.test(input)) return 'the key alone: leave `Bearer` out, it is sent before the key'
  return input !== input.trim() ? 'no space or line break before or after the key: remove it' : expected
}

function* findWorkerFaults({ shared, slots, services, pages, listen }: DecodedWorker): Generator<ValueFault> {
  for (const [member, value] of Object.entries({ slots, services })) {
    if (value === undefined || shared === true) continue
    yield { path: [member], say: () => 'only for a worker with `shared: true`' }
  }
  if (pages === true && listen === undefined) {
    yield { path: ['pages'], say: () => 'only with `listen`: they need an address' }
  }
}

/** A project of such a service could have the name of the policy. */
export const reservedName = `${policyService} is the name under which reports show the policy: choose another one`

function* findServiceFaults(service: DecodedService): Generator<ValueFault> {
  yield* findWrongBase(service)
  if (service.name === policyService) yield { path: ['name'], say: () => reservedName }
  const named = namedProjects(service)
  const sameId = findRepeats(
    named.map(([index, { id }]) => ({ name: id, path: ['projects', index, 'id'], owner: ['projects', index] })),
    (id, line) => `a second project with the id ${id}, the first is in line ${line}`,
  )
  // One fault of a project is enough.
  const faulty = new Set<NodePath[number] | undefined>()
  for (const fault of sameId) {
    faulty.add(fault.path[1])
    yield fault
  }
  const sameName = findRepeats(
    named.map(([index, { id, name }]) => {
      const owner = ['projects', index]
      return { name: name ?? id, path: [...owner, name === undefined ? 'id' : 'name'], owner }
    }),
    (name, line) => `a second project named ${name}, the first is in line ${line}`,
  )
  for (const fault of sameName) if (!faulty.has(fault.path[1])) yield fault
  for (const [index, project] of named) {
    if (project.key !== undefined || service.key !== undefined) continue
    const say = () => `no key: neither the project nor its service has one; use ${referenceForms}`
    yield { path: ['projects', index], say, mayBeDueTo: isKey }
  }
  yield* findUnreadableList(service)
}

function isKey(path: NodePath): boolean {
  return path.at(-1) === 'key'
}

/** The paths of the contract are appended: people copy the URL of the API, which has them already. */
function* findWrongBase({ url, dialect }: DecodedService): Generator<ValueFault> {
  const { path_prefix: prefix = defaultDialect.pathPrefix } = dialect
  const base = baseBefore(prefix, url)
  if (base === undefined) return
  const say = () => `leave ${prefix} out of the URL, it is appended: ${withoutCredentials(base)}`
  yield { path: ['url'], say }
}

/** Finds entries for projects of a list that cannot be read: which organisation, with which key. */
function* findUnreadableList(service: DecodedService): Generator<ValueFault> {
  const matched = matchedProjects(service)
  if (matched.length === 0) return
  if (service.key === undefined) {
    const say = () => `the service has no key to list its projects with; use ${referenceForms}`
    yield { path: ['projects'], say, mayBeDueTo: isKey }
  }
  const isNoneNamed = namedProjects(service).length === 0
  if (service.organisation === undefined && (isNoneNamed || service.listings.project === 'off')) {
    const text = isNoneNamed
      ? 'organisation is missing, the id of the organisation whose projects are listed; or name one of them'
      : 'organisation is missing: the projects are not read, so none shows it'
    yield { path: [], say: () => text, mayBeDueTo: ([first = 'services']) => first === 'services' }
  }
  yield* findRepeats(
    matched.map(([index, { match }]) => {
      const owner = ['projects', ...(index === undefined ? [] : [index])]
      return { name: match, path: [...owner, 'match'], owner }
    }),
    (match, line) => `a second entry for ${match}, the first is in line ${line}`,
  )
}

/** Finds faults across the parts of the file. */
function* findContradictions(configuration: DecodedConfiguration): Generator<ValueFault> {
  const { services, schedules, notify, worker, serve } = configuration
  for (const [member, owners, what] of [
    ['services', services, 'service'],
    ['schedules', schedules, 'schedule'],
    ['notify', notify, 'channel'],
  ] as const) {
    yield* findRepeats(
      owners.map(({ name }, index) => ({ name, path: [member, index, 'name'], owner: [member, index] })),
      (name, line) => `a second ${what} named ${name}, the first is in line ${line}`,
    )
  }
  yield* findAuditedTwice(services)
  if (worker?.pages === true) yield* findUnguarded(worker.listen, serve ?? {}, ['worker', 'listen'])
  const names = services.map(({ name }) => name)
  for (const [index, name] of (worker?.services ?? []).entries()) {
    if (names.includes(name)) continue
    const say = () => `${describeReference(name)} is none of ${someOf(names)}`
    yield { path: ['worker', 'services', index], say, mayBeDueTo: isNameOfProject }
  }
  yield* findPointless(configuration)
}

/** Finds projects under two services: all their violations would be counted and sent twice. */
function* findAuditedTwice(services: readonly DecodedService[]): Generator<ValueFault> {
  const audited = new Map<string, NodePath>()
  for (const [at, service] of services.entries()) {
    const base = baseOf(service.url, service.dialect.path_prefix)
    for (const [index, { id }] of namedProjects(service)) {
      const path = ['services', at, 'projects', index, 'id']
      const identity = JSON.stringify([base, id])
      const first = audited.get(identity)
      audited.set(identity, first ?? path)
      // Duplicates within one service are reported with it.
      if (first === undefined || first[1] === at) continue
      yield {
        path,
        say: (text) => {
          const { file, line, column } = text.at(first)
          return `the project ${id} of this URL is configured already, in ${file}:${line}:${column}: audit it under one name`
        },
      }
    }
  }
}

/** Finds schedules, channels and readers that are for no project. */
function* findPointless({ services, schedules, notify, serve }: DecodedConfiguration): Generator<ValueFault> {
  const projects = services.flatMap((service) =>
    namedProjects(service).map(([, { id, name, labels }]) => ({ name: `${service.name}/${name ?? id}`, labels })),
  )
  const names = projects.map(({ name }) => name)
  // A pattern may be meant for a project that the list of a service does not have yet.
  const isOpen = services.some(isDiscovered)
  function* findUnmatched(patterns: readonly string[] = [], path: NodePath, what: string): Generator<ValueFault> {
    for (const [index, pattern] of patterns.entries()) {
      if (isOpen || names.some((name) => matchesProject(name, [pattern]))) continue
      const say = () => `${describeReference(pattern)} ${what}`
      yield { path: [...path, 'projects', index], say, mayBeDueTo: isNameOfProject }
    }
  }
  const matchesNone = `matches none of ${someOf(names)}`
  for (const [at, schedule] of schedules.entries()) {
    yield* findUnmatched(schedule.projects, ['schedules', at], matchesNone)
  }
  for (const [at, token] of (serve?.tokens ?? []).entries()) {
    yield* findUnmatched(token.projects, ['serve', 'tokens', at], matchesNone)
  }
  const matchedLabels = services.flatMap((service) => matchedProjects(service).map(([, { labels }]) => labels))
  const labelled = [...projects.map(({ labels }) => labels), ...matchedLabels]
  for (const [at, channel] of notify.entries()) {
    yield* findUnmatched(channel.projects, ['notify', at], 'matches no project')
    for (const [label, value] of opensTickets(channel) ? [] : Object.entries(channel.labels ?? {})) {
      if (labelled.some((labels) => Object.hasOwn(labels, label) && labels[label] === value)) continue
      const say = () => `no project has the label ${describeReference(label)} with ${describeText(value)}`
      yield { path: ['notify', at, 'labels', label], say, mayBeDueTo: ([first = 'services']) => first === 'services' }
    }
  }
}

/** Whether a faulty part is a project or its name: then a pattern may be meant for that. */
export function isNameOfProject(path: NodePath): boolean {
  const [first, last] = [path[0] ?? 'services', path.at(-1) ?? 'services']
  return first === 'services' && (typeof last === 'number' || ['services', 'projects', 'id', 'name'].includes(last))
}

/** Quotes that a shell or a CI system did not take away are sent as a part of the key. */
function* findQuotes(key: string): Generator<ValueFault> {
  if (!/^["'`]/.test(key) || !/["'`]$/.test(key)) return
  yield {
    path: [],
    say: ({ written }) => {
      const reference = referenceIn(written([]) ?? '')
      const where = reference === '' ? '' : ` in ${reference}`
      return `the key has quotes around it${where}: they would be sent, remove them`
    },
  }
}

function* findUnknownPlaceholders(template: string, placeholders: readonly string[]): Generator<ValueFault> {
  for (const { name, offset } of placeholdersIn(template)) {
    if (placeholders.includes(name)) continue
    const hint = suggestName(name, placeholders) || `, expected one of ${placeholders.join(', ')}`
    yield { path: [], offset, say: () => `there is no placeholder ${describeName(name)} here${hint}` }
  }
}

/** Finds what is wrong with the URL of a history on a server. The sentence quotes no part of it that may be secret. */
function* findHistoryFault(history: string): Generator<ValueFault> {
  if (urlScheme(history) === undefined) return
  const fault = faultOfLocation(history)
  yield {
    path: [],
    say: ({ written }) => {
      // What the file itself says, without the values of references.
      const hasPassword = /:[^@/?#]{1,4096}@/.test(withoutReferences(written([]) ?? ''))
      return hasPassword
        ? `the file contains the password of the history: use ${referenceForms} in its place, PGPASSWORD or a password file`
        : fault
    },
  }
}

function faultOfLocation(history: string): string | undefined {
  try {
    readLocation(history, '.')
    return undefined
  } catch (error) {
    if (error instanceof AuditError) return [error.message, error.advice].filter(Boolean).join(': ')
    throw error
  }
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
