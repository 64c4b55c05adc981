import { configurationSchema, reservedName } from '../../config/configuration-schema.ts'
import { looksLikeKey } from '../../config/expand-references.ts'
import type { ListedProject } from '../../gateway/service/service-client.ts'
import { AuditError } from '../../model/errors.ts'
import { policyService } from '../../model/resource.ts'
import { count } from '../../model/text/count.ts'
import type { AnswerCheck, Asker } from './ask.ts'
import { isId, readIds, whereOrganisation } from './find-projects.ts'
import { mendUrl } from './reach-service.ts'

/** What the command line gives. Undefined is asked for, or has a default where there is no one to ask. */
export interface Given {
  readonly url: string | undefined
  readonly keyFromEnv: string | undefined
  readonly organisation: string | undefined
  /** `all`, or ids with commas between them. */
  readonly projects: string | undefined
  readonly target: Target | undefined
  readonly strictness: Strictness | undefined
  /** Who answers for the waivers of all that is open. */
  readonly acceptOpen: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

const targetLabels = {
  github: 'GitHub Actions',
  gitlab: 'GitLab CI',
  compose: 'Docker Compose',
  kubernetes: 'Kubernetes',
  systemd: 'systemd',
  none: 'only here, by hand',
} as const satisfies Record<Target, string>

export async function askTarget({ target }: Given, asker: Asker | undefined): Promise<Target> {
  if (target !== undefined || asker === undefined) return target ?? 'none'
  return asker.choose(
    'Where will hookdrift run?',
    targets.map((value) => ({ value, label: targetLabels[value] })),
  )
}

export async function askUrl({ url }: Given, asker: Asker | undefined): Promise<string> {
  const given = url ?? (await asker?.line('URL of your Convoy', { check: checkUrl }))
  if (given !== undefined) return given
  throw missing('--url', 'the URL of the service')
}

export async function askServiceName(suggested: string, asker: Asker | undefined): Promise<string> {
  return (await asker?.line('Name of the service in reports', { suggested, check: checkName })) ?? suggested
}

/** The variable that holds the key, here and where audits will run; and the key itself, a secret. */
export async function askKey(
  { keyFromEnv }: Given,
  { service, env, asker }: { readonly service: string; readonly env: Environment; readonly asker: Asker | undefined },
): Promise<{ readonly keyVariable: string; readonly key: string }> {
  const keyVariable = keyFromEnv ?? (await askVariable(service, asker))
  if (asker === undefined || (env[keyVariable] ?? '') !== '') return { keyVariable, key: keyIn(keyVariable, env) }
  return { keyVariable, key: await asker.secret('API key (neither shown nor stored)', checkKey) }
}

/** @throws AuditError.usage when the variable holds no key */
function keyIn(variable: string, env: Environment): string {
  const key = env[variable] ?? ''
  const fault = checkVariable(variable) ?? (key === '' ? 'the variable is not set' : checkKey(key))
  if (fault === undefined) return key
  throw AuditError.usage(`--key-from-env${looksLikeKey(variable) ? '' : ` ${variable}`}: ${fault}`, {
    advice: 'put the key into a variable, and give the name of that variable',
  })
}

async function askVariable(service: string, asker: Asker | undefined): Promise<string> {
  if (asker === undefined) throw missing('--key-from-env', 'the name of the variable that holds the key')
  const message = 'Environment variable for the key (if it is set, you are not asked for the key)'
  return asker.line(message, { suggested: nameKeyVariable(service), check: checkVariable })
}

/** `all`, or ids. A person's key reads many projects. */
export async function askScope(
  { projects }: Given,
  asker: Asker | undefined,
): Promise<'all' | 'list' | readonly string[]> {
  if (projects !== undefined) return projects === 'all' ? 'all' : readIds('--projects', projects)
  if (asker === undefined) throw missing('--projects', 'all, or the ids of projects')
  return asker.choose<'all' | 'list'>('Which projects?', [
    { value: 'all', label: 'all of an organisation, including those created later' },
    { value: 'list', label: 'only some of them' },
  ])
}

export async function askOrganisation({ organisation }: Given, asker: Asker | undefined): Promise<string> {
  const message = `Organisation id (${whereOrganisation})`
  const given = organisation ?? (await asker?.line(message, { check: checkId }))
  if (given === undefined) throw missing('--organisation', `the id of the organisation, ${whereOrganisation}`)
  const fault = checkId(given)
  if (fault !== undefined) throw AuditError.usage(`--organisation: ${fault}`)
  return given
}

export async function askProjects(listed: readonly ListedProject[], asker: Asker): Promise<readonly ListedProject[]> {
  const chosen = new Set(
    await asker.chooseSome(
      'Which of them? (space selects)',
      listed.map(({ uid, name }) => ({ value: uid, label: name === '' ? uid : name, hint: uid })),
    ),
  )
  return listed.filter(({ uid }) => chosen.has(uid))
}

export async function askStrictness({ strictness }: Given, asker: Asker | undefined): Promise<Strictness> {
  if (strictness !== undefined || asker === undefined) return strictness ?? 'recommended'
  return asker.choose('How strict?', [
    { value: 'recommended', label: 'recommended', hint: 'fails at medium or above' },
    { value: 'dangerous', label: 'only what is dangerous', hint: 'rules that are critical or high' },
  ])
}

/** Who answers for waivers of all that is open; undefined: nothing is accepted. */
export async function askAcceptance(
  { acceptOpen }: Given,
  { open, until, asker }: { readonly open: number; readonly until: string; readonly asker: Asker | undefined },
): Promise<string | undefined> {
  if (open === 0 || acceptOpen !== undefined || asker === undefined) return open === 0 ? undefined : acceptOpen
  const message = `Accept ${count(open, 'open violation')} until ${until}, so that only new ones fail?`
  if (!(await asker.confirm(message))) return undefined
  return asker.line('Who answers for them?', { check: checkOwner })
}

export const checkOwner: AnswerCheck = (text) =>
  text !== '' && text.length <= 200 && !/[\0-\x1f\x7f]/.test(text)
    ? undefined
    : 'expected a name, at most 200 characters'

const checkUrl: AnswerCheck = (text) => {
  const mended = mendUrl(text)
  return 'problem' in mended ? mended.problem : undefined
}

const checkId: AnswerCheck = (text) => {
  if (looksLikeKey(text)) return 'that is an API key, expected an id such as 01M7XVZ2T417WGWM74AAK885VQ'
  return isId(text) ? undefined : 'expected an id such as 01M7XVZ2T417WGWM74AAK885VQ'
}

const service = configurationSchema.shape.services.element.shape

const checkName: AnswerCheck = (text) =>
  faultIn(service.name.safeParse(text)) ?? (text === policyService ? reservedName : undefined)

/** Never shows the key. */
const checkKey: AnswerCheck = (text) => {
  if (/^["'`]|["'`]$/.test(text)) return 'the key has quotes around it: leave them out'
  return faultIn(service.key.safeParse(text))
}

const checkVariable: AnswerCheck = (text) => {
  if (looksLikeKey(text)) return 'that is the key itself, expected the name of a variable such as ACME_KEY'
  if (!isVariableName(text)) return 'expected the name of a variable such as ACME_KEY'
  return text === 'HOOKDRIFT_SEAL_KEY' ? 'this variable holds the installation key, take another' : undefined
}

function faultIn(parsed: {
  readonly success: boolean
  readonly error?: { readonly issues: readonly { readonly message: string }[] } | undefined
}) {
  return parsed.success ? undefined : `expected ${parsed.error?.issues[0]?.message ?? 'another value'}`
}

/**
 * Where there is no one to ask, checks the options that every set-up needs, before a service is asked.
 * @throws AuditError.usage with all that are missing
 */
export function refuseMissing({ url, keyFromEnv }: Given, env: Environment): void {
  const needed = [
    ['--url', url, 'the URL of the service'],
    ['--key-from-env', keyFromEnv, 'the name of the environment variable that holds the key'],
  ] as const
  const lines = needed.flatMap(([flag, value, what]) => (value === undefined ? [`${flag} is missing: ${what}`] : []))
  if (lines.length > 0) throw AuditError.usage(lines.join('\n'), { advice: asksNothing })
  if (keyFromEnv !== undefined) keyIn(keyFromEnv, env)
}

const asksNothing = 'without a terminal, and with --yes, init asks nothing: see `hookdrift init --help`'

function missing(flag: string, what: string): AuditError {
  return AuditError.usage(`${flag} is missing: ${what}`, { advice: asksNothing })
}

/** Where audits will run. */
export const targets = ['github', 'gitlab', 'compose', 'kubernetes', 'systemd', 'none'] as const
export type Target = (typeof targets)[number]

/** Which rules the policy evaluates: those that are recommended, or of these only the critical and high ones. */
export const strictnesses = ['recommended', 'dangerous'] as const
export type Strictness = (typeof strictnesses)[number]

/** All that the files depend on. It holds no secret: `keyVariable` is the name of a variable. */
export interface Answers {
  readonly service: ChosenService
  /** The environment variable that holds the key. */
  readonly keyVariable: string
  readonly strictness: Strictness
  readonly target: Target
  /** A mapping with `waivers` for what is open now, as YAML; undefined: nothing is accepted. */
  readonly waivers: string | undefined
}

export interface ChosenService {
  /** Precedes the project in reports. */
  readonly name: string
  readonly url: string
  /** The service's identifier of the organisation whose projects are listed; undefined where projects are named. */
  readonly organisation: string | undefined
  readonly projects: 'all' | readonly ChosenProject[]
}

export interface ChosenProject {
  readonly id: string
  /** As in reports, fit for a configuration. */
  readonly name: string
}

/** Host names that say what a service does, and not whose it is. */
const usual = new Set(['api', 'app', 'convoy', 'gateway', 'hookdrift', 'hooks', 'webhooks', 'www', 'localhost'])

/**
 * Suggests the name of a service in reports: `ACME_KEY` names it acme; without such a variable, hooks.example.com is
 * named example.
 */
export function nameService(keyVariable: string | undefined, url: string): string {
  const fromVariable = /^([A-Za-z0-9_]{1,100}?)_(?:API_)?KEY$/i.exec(keyVariable ?? '')?.[1]
  if (fromVariable !== undefined) {
    const named = fromVariable
      .toLowerCase()
      .replaceAll('_', '-')
      .replace(/^-{1,100}/, '')
    // `HOOKDRIFT_KEY` says whose program reads it.
    return named === '' || named === 'hookdrift' ? other : named
  }
  const { hostname } = new URL(url)
  if (/^[\d.]{7,15}$|^\[/.test(hostname)) return other
  const labels = hostname.split('.')
  const distinctive = labels.slice(0, labels.length > 1 ? -1 : 1).findLast((label) => !usual.has(label))
  return distinctive !== undefined && /^[a-z0-9][a-z0-9-]{0,60}$/.test(distinctive) ? distinctive : other
}

const other = 'convoy'

/** `ACME_KEY` for acme. */
export function nameKeyVariable(service: string): string {
  const word = service.toUpperCase().replace(/[^A-Z0-9]/g, '_')
  return `${/^\d/.test(word) ? '_' : ''}${word}_KEY`
}

/** What a shell and every CI system take for the name of a variable. */
export function isVariableName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(text)
}
