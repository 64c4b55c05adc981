import { z } from 'zod'
import { urlScheme } from '../history/location.ts'
import type { FileLimits } from '../yaml/parse-yaml.ts'
import { dialectSchema } from './dialect-schema.ts'
import { referenceForms } from './expand-references.ts'
import { linkTemplate } from './link-template.ts'
import { duration, size } from './measures.ts'
import { channelSchema } from './notify-schema.ts'
import { retentionSchema } from './retention-schema.ts'
import { runTimeout, scheduleSchema, workerSchema } from './schedule-schema.ts'
import { serveSchema } from './serve-schema.ts'

const named = 'letters, digits, `.`, `_` and `-`, a letter, digit or `_` first, at most 200'
const name = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/, { error: named })
const path = z.string().regex(/^[^\0-\x1f\x7f]{1,4096}$/, { error: 'the path of a file, at most 4096 characters' })
const filter = z.string().regex(/^[^\0-\x1f\x7f]{1,1000}$/, {
  error: 'text that is not empty, without control characters, at most 1000 of others',
})

const key = z.string().regex(/^[\x21-\x7e]{1,4096}$/, { error: expectedKey })

/** Says what is wrong with a key without showing it. */
function expectedKey({ input }: { readonly input?: unknown }): string {
  const expected = 'visible ASCII characters without blanks or line breaks, at most 4096'
  if (typeof input !== 'string') return expected
  if (/^bearer\s/i.test(input)) return 'the key alone: leave `Bearer` out, it is sent before the key'
  return input !== input.trim() ? 'no blank or line break before or after the key: remove it' : expected
}

const label = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/, {
  error: 'letters, digits, `.`, `_`, `-` and `/`, a letter or digit first, at most 100',
})

const offer = z.enum(['auto', 'required', 'off'])

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
export type DecodedMatch = z.output<typeof matched>

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

function isServiceUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false
  // An empty query or fragment leaves no trace in the parsed URL.
  return url.username === '' && url.password === '' && !/[?#@\s\0-\x1f]/.test(text)
}

function withoutSlash(text: string): string {
  return new URL(text).href.replace(/\/+$/, '')
}
